// The beliefs about one entity, updated with the server's messages, and its new events.

/** @import { EntityPerception } from "../protocol/protocol.js" */
/** @import { Term } from "../protocol/terms.js" */

import { printTerm } from "../protocol/terms.js";

export class Beliefs {
  /** By text. @type {Map<string, Term>} */
  held = new Map();
  /** The numbers of changes and events that it has. @type {[changes: number, events: number] | undefined} */
  version;

  /**
   * Whether a perception begins at this version, or has everything. Others are ignored.
   * @param {EntityPerception} perception
   */
  fits({ since: [changes, events], resync }) {
    if (!this.version) return true;
    return resync ? events >= this.version[1] : changes === this.version[0] && events === this.version[1];
  }

  /**
   * @param {EntityPerception} perception
   * @returns {Term[]} the events
   */
  update(perception) {
    if (perception.resync) this.held.clear();
    for (const percept of perception.delete ?? []) this.held.delete(printTerm(percept));
    for (const percept of perception.add ?? []) this.held.set(printTerm(percept), percept);
    this.version = perception.version;
    return perception.events ?? [];
  }

  /** The percepts that hold, by name, in order of the names. */
  byName() {
    /** @type {Map<string, Term[]>} */
    const groups = new Map();
    for (const percept of this.held.values()) {
      const group = groups.get(percept.name);
      if (group) group.push(percept);
      else groups.set(percept.name, [percept]);
    }
    return new Map([...groups].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}
