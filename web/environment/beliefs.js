// The beliefs about one entity, updated with the server's messages, and its new events.

/** @import { EntityPerception } from "../protocol/protocol.js" */
/** @import { Term } from "../protocol/terms.js" */

import { printTerm } from "../protocol/terms.js";

export class Beliefs {
  /** By text. @type {Map<string, Term>} */
  held = new Map();
  /** The number of events of the entity so far. */
  events = 0;
  /** The greatest version received. */
  changes = 0;

  /**
   * @param {EntityPerception} perception
   * @returns {Term[]} the new events
   */
  update(perception) {
    if (perception.resync) this.held.clear();
    for (const percept of perception.delete ?? []) this.held.delete(printTerm(percept));
    for (const percept of perception.add ?? []) this.held.set(printTerm(percept), percept);
    return this.newEvents(perception);
  }

  /**
   * After a lost connection, the server may repeat events. The versions show which of them are new.
   * @param {EntityPerception} perception
   */
  newEvents({ version: [changes, count], events = [] }) {
    const beganAnew = count < this.events || changes < this.changes;
    const known = beganAnew ? 0 : this.events;
    [this.events, this.changes] = [count, changes];
    const unknown = Math.min(events.length, count - known);
    return unknown > 0 ? events.slice(-unknown) : [];
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
