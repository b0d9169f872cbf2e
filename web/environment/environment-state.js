// The state of an environment for observers: its agents, entities and relation, updated with happenings.

/** @import { Happening, Outcome } from "../protocol/protocol.js" */
/** @import { Verdict } from "./ending.js" */

import { verdictOf } from "./ending.js";

/** @typedef {{ name: string, entityType: string, agents: Set<string> }} Entity */

export class EnvironmentState {
  /** In order of creation. @type {Map<string, Entity>} */
  entities = new Map();
  /** In order of registration. @type {Set<string>} */
  agents = new Set();
  /** @type {{ number: number, seed?: number } | null} */
  episode = null;
  /** The outcome of the episode, if it is over. @type {Outcome | null} */
  outcome = null;
  /** How the episode stands, if that is decided. @type {Verdict | null} */
  verdict = null;
  /** Whether any happenings were received. */
  isKnown = false;

  /**
   * @param {Happening[]} happenings
   * @param {boolean} resync whether they contain the current state, and replace the previous one
   */
  update(happenings, resync) {
    if (resync) {
      this.entities.clear();
      this.agents.clear();
      this.episode = this.outcome = this.verdict = null;
    }
    this.isKnown = true;
    for (const happening of happenings) this.apply(happening);
  }

  /** @param {Happening} happening */
  apply(happening) {
    const { episode, new: born, taken, released, freed, deleted, registered, unregistered, outcome } = happening;
    if (episode) [this.episode, this.outcome, this.verdict] = [episode, null, null];
    if (born) this.entities.set(born.entity, { name: born.entity, entityType: born.entityType, agents: new Set() });
    if (taken) this.entities.get(taken.entity)?.agents.add(taken.agent);
    if (released) this.entities.get(released.entity)?.agents.delete(released.agent);
    if (freed) this.entities.get(freed.entity)?.agents.clear();
    if (deleted) this.entities.delete(deleted.entity);
    if (registered) this.agents.add(registered.agent);
    if (unregistered) this.agents.delete(unregistered.agent);
    if (outcome) this.outcome = outcome;
    const verdict = verdictOf(happening);
    if (verdict && (!this.verdict || happening.announcement)) this.verdict = verdict;
  }
}
