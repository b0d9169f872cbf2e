// A form for the parameters of an episode or of an action, generated from the ontology.

/** @import { Field, Ontology, Parameter, Signature, Type } from "../protocol/protocol.js" */
/** @import { Parameters } from "../protocol/terms.js" */
/** @import { NamedTypes } from "../protocol/types.js" */

import { element } from "./element.js";
import { fileReader } from "./file-field.js";
import { renderLine } from "./markdown.js";
import { printParameter, readParameter } from "../protocol/terms.js";
import { resolve, sayType } from "../protocol/types.js";

/**
 * @typedef {object} Control
 * @property {string} name
 * @property {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} control
 * @property {(text: string) => Parameter} read
 * @property {HTMLElement} [below] elements below the control
 */

/** The name of the type of parameters that can be files. */
const FILE_CONTENTS = "FileContents";

/** The choice of a value that the environment does not know by name. No name contains a line break. */
const ANOTHER = "\n";

/** The number of parameters that are always shown. An environment declares the most important ones first. */
const SHOWN = 3;

export class ParametersForm {
  /**
   * @param {Pick<Ontology, "parameters" | "types">} declared
   * @param {Parameters} [current] the values to begin with
   * @param {string} [legend]
   */
  constructor({ parameters, types }, current = {}, legend = "Parameters of the episode") {
    /** @type {Control[]} */
    this.controls = [];
    const rows = parameters.map((field) => this.row(field, types, current[field.name]));
    const isShown = (/** @type {number} */ place) =>
      place < SHOWN || parameters.length <= SHOWN + 1 || isRequired(parameters[place]);
    const shown = rows.filter((_, place) => isShown(place));
    this.advanced = element("div", { class: "advanced" }, ...rows.filter((_, place) => !isShown(place)));
    const fold = element("details", {}, element("summary", {}, "Advanced"), this.advanced);
    fold.hidden = this.advanced.children.length === 0;
    this.fold = fold;
    this.element = element("fieldset", { hidden: rows.length === 0 }, element("legend", {}, legend), ...shown, fold);
    this.initial = new Map(this.controls.map(({ name, control }) => [name, control.value]));
  }

  /** Adds rows to those that few people need. @param {...Node} rows */
  addAdvanced(...rows) {
    this.advanced.append(...rows);
    this.fold.hidden = this.element.hidden = false;
  }

  /**
   * Returns the parameters with values. Empty ones have their defaults.
   * @returns {Parameters}
   * @throws {Error} with the invalid parameter
   */
  read() {
    const filled = this.controls.filter(({ control }) => control.value.trim() !== "");
    return Object.fromEntries(filled.map((control) => [control.name, this.value(control)]));
  }

  /**
   * Returns the parameters that were changed. Those that were emptied are null.
   * @returns {{ [name: string]: Parameter | null }}
   * @throws {Error} with the invalid parameter
   */
  readChanges() {
    const changed = this.controls.filter(({ name, control }) => control.value !== this.initial.get(name));
    const value = (/** @type {Control} */ of) => (of.control.value.trim() === "" ? null : this.value(of));
    return Object.fromEntries(changed.map((control) => [control.name, value(control)]));
  }

  /** @param {Control} control */
  value({ name, control, read }) {
    try {
      return read(control.value.trim());
    } catch (why) {
      this.fold.open ||= this.advanced.contains(control);
      control.focus();
      throw new Error(`${name}: ${/** @type {Error} */ (why).message}`);
    }
  }

  /**
   * @param {Field} field
   * @param {NamedTypes} types
   * @param {Parameter | undefined} current
   */
  row(field, types, current) {
    const id = `parameter-${field.name}`;
    const { control, read, below } = controlFor(field, resolve(field.type, types));
    if (current !== undefined) control.value = typeof current === "string" ? current : printParameter(current);
    this.controls.push({ name: field.name, control, read });
    const own = field.names ? element("div", { class: "field" }, control, below) : null;
    const list = own && listOf(field, control, own);
    const named = list ?? control;
    named.id = id;
    const meaning = renderLine(field.documentation.replaceAll("\n", " "));
    const hint = element("span", { class: "hint", id: `${id}-hint` }, ...meaning);
    if (meaning.length > 0) named.setAttribute("aria-describedby", hint.id);
    const controls = list ? [list, own] : [control, below];
    return element(
      "div", { class: "field" }, element("label", { for: id }, field.name), ...controls, meaning.length > 0 && hint,
    );
  }
}

/**
 * Returns a list of the values that the environment knows by name. Its last choice shows the control for another value.
 * @param {Field} field
 * @param {Control["control"]} control
 * @param {HTMLElement} own the control with what belongs to it
 */
function listOf(field, control, own) {
  const { name, names = [], default: usual } = field;
  const omitted = usual === undefined ? "left out" : `default: ${printParameter(usual)}`;
  const options = names.map((known) => element("option", { value: known }, known));
  const list = element(
    "select", {}, !isRequired(field) && element("option", { value: "" }, omitted), ...options,
    element("option", { value: ANOTHER }, "Another…"),
  );
  list.value = control.value === "" || names.includes(control.value) ? control.value : ANOTHER;
  control.ariaLabel = `Another ${name}`;
  const reflect = () => (own.hidden = list.value !== ANOTHER);
  list.addEventListener("change", () => {
    control.value = list.value === ANOTHER ? "" : list.value;
    reflect();
    if (!own.hidden) control.focus();
  });
  reflect();
  return list;
}

/** @param {Field | undefined} field */
function isRequired(field) {
  return field !== undefined && !field.optional && field.default === undefined;
}

/**
 * @param {Field} field
 * @param {Type} type
 * @returns {Omit<Control, "name">}
 */
function controlFor({ name, type: declared, optional, default: usual, range }, type) {
  const required = !optional && usual === undefined;
  const omitted = usual === undefined ? "left out" : `default: ${printParameter(usual)}`;
  if (type === "truthValue")
    return { control: choice(["true", "false"], required, omitted), read: (text) => text === "true" };
  if (typeof type === "object" && "choice" in type) {
    return {
      control: choice(
        type.choice.map(({ name }) => name), required, omitted,
      ),
      read: (text) => text,
    };
  }
  const placeholder = required ? sayType(type) : omitted;
  const common = { required, placeholder, autocomplete: "off", spellcheck: "false" };
  if (typeof declared === "object" && "named" in declared && declared.named === FILE_CONTENTS) {
    const placeholder = `${required ? "" : `${omitted}; `}a name, or the contents of a file`;
    const control = element("textarea", { ...common, placeholder, rows: 2 });
    return { control, read: (text) => text, below: fileReader(control, name) };
  }
  if (type === "identifier") return { control: element("input", { ...common }), read: (text) => text };
  if (type === "number") {
    const bounds = { min: range?.minimum, max: range?.maximum, step: "any" };
    return { control: element("input", { ...common, ...bounds, type: "number" }), read: Number };
  }
  if (typeof type === "object" && "integer" in type) {
    const bounds = { min: safe(type.integer.minimum), max: safe(type.integer.maximum), step: 1 };
    return { control: element("input", { ...common, ...bounds, type: "number" }), read: Number };
  }
  return { control: element("input", { ...common, class: "term" }), read: readParameter };
}

/**
 * @param {string[]} words
 * @param {boolean} required
 * @param {string} omitted
 */
function choice(words, required, omitted) {
  const options = words.map((word) => element("option", { value: word }, word));
  if (!required) options.unshift(element("option", { value: "" }, omitted));
  return element("select", { required }, ...options);
}

/**
 * Returns a bound that the page can represent; beyond that, there is none.
 * @param {number} bound
 */
function safe(bound) {
  return Number.isSafeInteger(bound) ? bound : undefined;
}

/**
 * Returns the parameters of an action in order; omitted ones must be last.
 * @param {Signature} action
 * @param {{ [name: string]: Parameter }} given
 */
export function inOrder({ parameters }, given) {
  const args = parameters.map(({ name }) => given[name]);
  const count = args.findLastIndex((argument) => argument !== undefined) + 1;
  return args.slice(0, count).map((argument, place) => {
    if (argument === undefined)
      throw new Error(`${parameters[place]?.name}: it cannot be omitted if a later parameter is given`);
    return argument;
  });
}
