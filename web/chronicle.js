// What was done and what has happened, as entries: the last ones, in order. It forgets the oldest.

/**
 * @typedef {object} Entry
 * @property {number} number which one it is, from 1
 * @property {number} episode
 * @property {number} step
 * @property {"happening" | "action" | "failure" | "event" | "lost"} kind
 * @property {string} who the agent that has done it, if it was one
 * @property {string} what
 * @property {string} entity the entity that it concerns, if it is one
 * @property {string} why the reason of a failure
 */

/** How many entries are remembered. */
export const ENTRIES_REMEMBERED = 2000;

export class Chronicle {
  /** @type {Entry[]} */
  entries = [];
  count = 0;

  /** @param {Pick<Entry, "kind" | "what"> & Partial<Entry>} entry */
  add(entry) {
    this.count += 1;
    this.entries.push({ episode: 0, step: 0, who: "", entity: "", why: "", ...entry, number: this.count });
    // It is cut seldom, since cutting costs as much as there is.
    if (this.entries.length > 2 * ENTRIES_REMEMBERED) this.entries.splice(0, ENTRIES_REMEMBERED);
  }

  clear() {
    this.entries = [];
  }

  /**
   * The newest entries that fit, newest first.
   * @param {(entry: Entry) => boolean} fits
   * @param {number} limit
   */
  newest(fits, limit) {
    const found = [];
    const oldest = Math.max(0, this.entries.length - ENTRIES_REMEMBERED);
    for (let place = this.entries.length - 1; place >= oldest && found.length < limit; place -= 1) {
      const entry = /** @type {Entry} */ (this.entries[place]);
      if (fits(entry)) found.push(entry);
    }
    return found;
  }
}

/**
 * Whether an entry has all words of a text somewhere.
 * @param {Entry} entry
 * @param {string} filter in lower case
 */
export function contains({ who, what, entity, why }, filter) {
  if (filter === "") return true;
  const text = `${who} ${what} ${entity} ${why}`.toLowerCase();
  return filter.split(/\s+/).every((word) => text.includes(word));
}
