// The percepts of an entity as a list, grouped by name. Unchanged elements are kept.

/** @import { EntityType } from "../protocol/protocol.js" */
/** @import { Term } from "../protocol/terms.js" */
/** @import { Beliefs } from "./beliefs.js" */

import { element, say } from "../page/element.js";
import { printParameters, printTerm } from "../protocol/terms.js";
import { sayDelivery } from "../protocol/types.js";

/** Maximum number of percepts with one name that are shown; the number of further ones follows. */
const SHOWN_OF_A_NAME = 200;

/** Percepts have no order; with this one, unchanged percepts keep their places. */
const inOrder = new Intl.Collator("en", { numeric: true }).compare;

/** @typedef {{ term: HTMLElement, values: HTMLElement, text: string }} Group */

export class PerceptsView {
  /** @type {Map<string, Group>} */
  groups = new Map();

  /** @param {HTMLElement} list */
  constructor(list) {
    this.list = list;
  }

  clear() {
    this.groups.clear();
    this.list.replaceChildren();
  }

  /**
   * @param {Beliefs} beliefs
   * @param {string} filter in lower case
   * @param {EntityType | undefined} of the type that declares their delivery
   */
  show(beliefs, filter, of) {
    const words = filter.split(/\s+/);
    const names = new Set();
    /** The last element in its place. @type {HTMLElement | null} */
    let last = null;
    for (const [name, percepts] of beliefs.byName()) {
      const fitting = percepts.filter((percept) => isFitting(percept, words));
      if (fitting.length === 0) continue;
      names.add(name);
      const group = this.group(name, of);
      /** @type {ChildNode | null} */
      const next = last ? last.nextSibling : this.list.firstChild;
      if (next !== group.term) this.list.insertBefore(group.term, next);
      if (group.term.nextSibling !== group.values) group.term.after(group.values);
      this.showGroup(group, fitting);
      last = group.values;
    }
    for (const [name, { term, values }] of this.groups) {
      if (names.has(name)) continue;
      this.groups.delete(name);
      term.remove();
      values.remove();
    }
    this.list.classList.toggle("empty", names.size === 0);
  }

  /**
   * @param {string} name
   * @param {EntityType | undefined} of
   */
  group(name, of) {
    const known = this.groups.get(name);
    if (known) return known;
    const declared = of?.percepts.find((percept) => percept.name === name);
    const title = declared && `${declared.documentation} Sent ${sayDelivery(declared.delivery)}.`;
    const group = { term: element("dt", { title }, name), values: element("dd"), text: "" };
    this.groups.set(name, group);
    return group;
  }

  /**
   * @param {Group} group
   * @param {Term[]} percepts
   */
  showGroup(group, percepts) {
    const values = percepts.map(({ args = [] }) => printParameters(args) || "holds").sort(inOrder);
    const shown = values.slice(0, SHOWN_OF_A_NAME);
    if (percepts.length > shown.length) shown.push(`and ${percepts.length - shown.length} more`);
    const text = shown.join("\n");
    if (text === group.text) return;
    group.text = text;
    const { children } = group.values;
    shown.forEach((value, place) => say(children[place] ?? group.values.appendChild(element("span", { class: "value" })), value));
    while (children.length > shown.length) group.values.lastElementChild?.remove();
  }
}

/**
 * @param {Term} percept
 * @param {string[]} words
 */
function isFitting(percept, words) {
  const text = printTerm(percept).toLowerCase();
  return words.every((word) => text.includes(word));
}
