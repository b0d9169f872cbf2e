// An ontology as a reference page: the documentation, the actions and percepts of entities, and the types.

/** @import { EntityType, Field, Ontology, PerceptSignature, Signature, Type } from "../protocol/protocol.js" */
/** @import { NamedTypes } from "../protocol/types.js" */

import { button, element } from "../page/element.js";
import { render, renderLine } from "../page/markdown.js";
import { printParameter } from "../protocol/terms.js";
import { sayDelivery, sayPace, sayRelation, saySignature, sayType } from "../protocol/types.js";

/**
 * @param {Ontology} ontology
 * @returns {HTMLElement[]}
 */
export function referenceOf(ontology) {
  const { version, documentation, pace, relation, parameters, entityTypes, types } = ontology;
  return [
    element("div", { class: "prose" }, ...render(documentation)),
    element("p", { class: "facts" }, `Version ${version}. ${sayPace(pace)} ${sayRelation(relation)}`),
    ...(parameters.length > 0 ? [chapter("Parameters of an episode", tableOf(parameters))] : []),
    ...entityTypes.map(chapterOfEntityType),
    ...(Object.keys(types).length > 0 ? [chapterOfTypes(types)] : []),
  ];
}

/** @param {EntityType} entityType */
function chapterOfEntityType({ name, documentation, actions, percepts }) {
  const lists = [];
  if (actions.length > 0) lists.push(listOf("Actions", actions.map((action) => entry(action))));
  if (percepts.length > 0) lists.push(listOf("Percepts", percepts.map(entryOfPercept)));
  if (lists.length === 0) lists.push(element("p", { class: "facts" }, "It has no actions and no percepts."));
  const prose = element("div", { class: "prose" }, ...render(documentation));
  return chapter(["Entities of type ", element("code", {}, name)], prose, element("div", { class: "lists" }, ...lists));
}

/** @param {NamedTypes} types */
function chapterOfTypes(types) {
  const entries = Object.entries(types).map(([name, { documentation, type }]) => {
    const term = element("dt", { id: idOf(name), tabindex: -1 }, element("code", {}, name));
    return [term, element("dd", {}, ...render(documentation), ...renderType(type))];
  });
  return chapter("Types", element("dl", { class: "entries types" }, ...entries.flat()));
}

/** @param {PerceptSignature} percept */
function entryOfPercept(percept) {
  const delivery = element("span", { class: `delivery ${percept.delivery}` }, `sent ${sayDelivery(percept.delivery)}`);
  return entry(percept, delivery);
}

/**
 * @param {Signature} signature
 * @param {HTMLElement} [remark]
 * @returns {HTMLElement[]}
 */
function entry(signature, remark) {
  const { documentation, parameters } = signature;
  const isDocumented = parameters.some((field) => field.documentation !== "" || hasName(field.type));
  const term = element("dt", {}, element("code", {}, saySignature(signature)), remark);
  return [term, element("dd", {}, ...render(documentation), isDocumented && tableOf(parameters))];
}

/**
 * @param {string} title
 * @param {HTMLElement[][]} entries
 */
function listOf(title, entries) {
  return element("div", {}, element("h4", {}, title), element("dl", { class: "entries" }, ...entries.flat()));
}

/**
 * @param {string | (string | HTMLElement)[]} title
 * @param {...HTMLElement} children
 */
function chapter(title, ...children) {
  return element("section", { class: "chapter" }, element("h3", {}, ...[title].flat()), ...children);
}

/** @param {Field[]} fields */
function tableOf(fields) {
  const heads = ["Parameter", "Type", "Meaning"].map((head) => element("th", { scope: "col" }, head));
  const rows = fields.map(({ name, type, documentation, optional, default: usual }) => {
    const remark =
      usual !== undefined
        ? ["Default: ", element("code", {}, printParameter(usual)), "."]
        : optional
          ? ["Optional."]
          : [];
    const meaning = [
      ...renderLine(documentation.replaceAll("\n", " ")), documentation && remark.length > 0 && " ", ...remark,
    ];
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, element("code", {}, name)),
      element("td", {}, mention(type)),
      element("td", {}, ...meaning),
    );
  });
  const body = element("tbody", {}, ...rows);
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body);
  return element("div", { class: "fields" }, table);
}

/**
 * Describes a named type.
 * @param {Type} type
 * @returns {HTMLElement[]}
 */
function renderType(type) {
  if (typeof type === "string" || !("choice" in type || "function" in type)) return [element("p", {}, mention(type))];
  if ("function" in type) {
    const { parameters } = type.function;
    const signature = element("p", {}, element("code", {}, saySignature(type.function)));
    return parameters.length > 0 ? [signature, tableOf(parameters)] : [signature];
  }
  const words = type.choice.map(({ name, documentation }) => {
    const meaning = renderLine(documentation.replaceAll("\n", " "));
    return element("li", {}, element("code", {}, name), meaning.length > 0 && " ", ...meaning);
  });
  return [element("ul", { class: "words" }, ...words)];
}

/**
 * Describes a type briefly. A named type links to its description.
 * @param {Type} type
 * @returns {HTMLElement}
 */
function mention(type) {
  if (typeof type === "object" && "list" in type) return element("span", {}, "list of ", mention(type.list));
  if (typeof type !== "object" || !("named" in type)) return element("span", { class: "type" }, sayType(type));
  // Not a link, since the fragment of the address determines the view.
  const go = () => {
    const there = document.getElementById(idOf(type.named));
    there?.focus();
    there?.scrollIntoView({ block: "center" });
  };
  return button(type.named, go, { class: "link" });
}

/** @param {Type} type @returns {boolean} */
function hasName(type) {
  return typeof type === "object" && ("named" in type || ("list" in type && hasName(type.list)));
}

/** @param {string} name */
function idOf(name) {
  return `type-${name}`;
}
