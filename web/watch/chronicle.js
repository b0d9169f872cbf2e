// A chronicle of actions and events: the last entries, in order. It forgets the oldest.

/**
 * @typedef {object} Entry
 * @property {number} number its number, from 1
 * @property {number} episode
 * @property {number} step
 * @property {"happening" | "action" | "failure" | "event" | "lost"} kind
 * @property {string} who the agent of an action
 * @property {string} what
 * @property {string} entity the entity, if it concerns one
 * @property {string} why the reason of a failure
 */

/** Maximum number of entries. */
export const ENTRIES_REMEMBERED = 2000;

export class Chronicle {
  /** @type {Entry[]} */
  entries = [];
  count = 0;

  /** @param {Pick<Entry, "kind" | "what"> & Partial<Entry>} entry */
  add(entry) {
    this.count += 1;
    this.entries.push({ episode: 0, step: 0, who: "", entity: "", why: "", ...entry, number: this.count });
    // Cut seldom, since cutting takes time linear in the length.
    if (this.entries.length > 2 * ENTRIES_REMEMBERED) this.entries.splice(0, ENTRIES_REMEMBERED);
  }

  clear() {
    this.entries = [];
  }

  /**
   * Returns the newest matching entries, newest first.
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
 * Whether an entry contains all words of a text.
 * @param {Entry} entry
 * @param {string} filter in lower case
 */
export function contains({ who, what, entity, why }, filter) {
  if (filter === "") return true;
  const text = `${who} ${what} ${entity} ${why}`.toLowerCase();
  return filter.split(/\s+/).every((word) => text.includes(word));
}
