// Adds actions and events to a chronicle.

/** @import { ActionSeen, Moment } from "../protocol/protocol.js" */
/** @import { Term } from "../protocol/terms.js" */
/** @import { Chronicle } from "./chronicle.js" */

import { printTerm } from "../protocol/terms.js";

/**
 * @param {Chronicle} chronicle
 * @param {ActionSeen[]} actions
 */
export function noteActions(chronicle, actions) {
  for (const { moment, agent, action, result } of actions) {
    const { entity, error, percepts = [] } = result;
    const found = percepts.length > 0 ? ` → ${percepts.map(printTerm).join(", ")}` : "";
    const kind = error ? "failure" : "action";
    const what = printTerm(action) + found;
    chronicle.add({
      kind, what, who: agent, entity, why: error?.message ?? "", episode: moment.episode, step: moment.step,
    });
  }
}

/**
 * @param {Chronicle} chronicle
 * @param {Moment} moment
 * @param {string} entity
 * @param {Term[]} events
 */
export function noteEvents(chronicle, { episode, step }, entity, events) {
  for (const event of events) chronicle.add({ kind: "event", what: printTerm(event), entity, episode, step });
}

/**
 * @param {Chronicle} chronicle
 * @param {Moment} moment
 * @param {number} count
 * @param {string} ofWhat
 */
export function noteGap(chronicle, { episode, step }, count, ofWhat) {
  chronicle.add({ kind: "lost", what: `${count} ${ofWhat} before this were missed`, episode, step });
}
