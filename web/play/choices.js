// The choices of a menu, under titles, made from the menu of an environment or from its
// ontology.

/** @import { EntityType, MenuItem, Signature } from "../protocol/protocol.js" */

import { saySignature } from "../protocol/types.js";

/** @typedef {{ label: string, act: () => void }} Choice */

/** @typedef {{ title: string, entries: (Choice | Group)[] }} Group */

/**
 * The items of a menu, each under its titles. Titles keep the order of their first occurrence.
 * @param {MenuItem[]} items
 * @param {(item: MenuItem) => void} choose
 * @returns {Group[]}
 */
export function choicesOf(items, choose) {
  /** @type {Group} */
  const all = { title: "", entries: [] };
  for (const item of items) {
    const titles = item.sections.length > 0 ? item.sections : [""];
    titles.reduce(groupIn, all).entries.push({ label: item.label, act: () => choose(item) });
  }
  return all.entries.filter(isGroup);
}

/**
 * All actions of an entity type, whether or not the environment offers them. @param {EntityType} type @param
 * {(action: Signature) => void} choose @returns {Group}
 */
export function actionsOf({ actions }, choose) {
  return { title: "Actions", entries: actions.map((action) => ({ label: saySignature(action), act: () => choose(action) })) };
}

/**
 * @param {Choice | Group} entry
 * @returns {entry is Group}
 */
export function isGroup(entry) {
  return "entries" in entry;
}

/**
 * @param {Group} outer
 * @param {string} title
 */
function groupIn(outer, title) {
  const known = outer.entries.filter(isGroup).find((group) => group.title === title);
  if (known) return known;
  /** @type {Group} */
  const group = { title, entries: [] };
  outer.entries.push(group);
  return group;
}
