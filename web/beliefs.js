// What holds for one entity, kept up to date by what the server tells, and the events that are new.

/** @import { Term, EntityPerception } from "./protocol.js" */

import { printTerm } from "./terms.js";

export class Beliefs {
  /** By their text. @type {Map<string, Term>} */
  held = new Map();
  /** How many events of the entity have been told. */
  events = 0;
  /** The greatest version that was told. */
  changes = 0;

  /**
   * @param {EntityPerception} told
   * @returns {Term[]} the events that have not been told before
   */
  hear(told) {
    if (told.resync) this.held.clear();
    for (const percept of told.delete ?? []) this.held.delete(printTerm(percept));
    for (const percept of told.add ?? []) this.held.set(printTerm(percept), percept);
    return this.newEvents(told);
  }

  /**
   * After a connection was lost, events are told again that were told already: they are told from those numbered by versions.
   * @param {EntityPerception} told
   */
  newEvents({ version: [changes, count], events = [] }) {
    const beganAnew = count < this.events || changes < this.changes;
    const known = beganAnew ? 0 : this.events;
    [this.events, this.changes] = [count, changes];
    const unknown = Math.min(events.length, count - known);
    return unknown > 0 ? events.slice(-unknown) : [];
  }

  /** What holds, by the names of percepts, in order of the names. */
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
