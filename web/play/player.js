// A user of this page who plays an entity: an agent with its own session, which asks the
// environment for menus and acts.

/** @import { EntityPerception, EntityResult, Menu, Percepts } from "../protocol/protocol.js" */
/** @import { Term } from "../protocol/terms.js" */

import { Beliefs } from "../environment/beliefs.js";
import { Session } from "../protocol/session.js";

const LETTERS_OF_NAME = 5;

export class Player {
  agent = nameOfStranger();
  /** The percepts of the entity. */
  beliefs = new Beliefs();

  /**
   * @param {Session} watching the session of the page, whose server and token are used
   * @param {string} environment
   * @param {string} entity
   */
  constructor(watching, environment, entity) {
    this.session = new Session(watching.url, watching.token, "agent");
    /** The environment and the agent, as calls name them. */
    this.me = { environment, agent: this.agent };
    this.entity = entity;
  }

  /**
   * Takes the entity, possibly together with other agents.
   * @param {(events: Term[], perceived: Percepts) => void} onPerceived called when the entity perceives something, with the new events
   */
  async begin(onPerceived) {
    const { session, me, entity } = this;
    session.connect();
    await session.whenGreeted();
    await session.call("register", me);
    await session.call("associate", { ...me, entity });
    session.subscribe({ percepts: me }, (perceived) => this.receive(perceived, onPerceived));
  }

  /**
   * After a lost connection, the server may repeat what it does not know to have arrived.
   * @param {Percepts} told
   * @param {(events: Term[], perceived: Percepts) => void} onPerceived
   */
  async receive(told, onPerceived) {
    while (!told.perceptions.every((perception) => this.beliefs.fits(perception))) {
      told = { ...told, ...(await this.perceive()) };
    }
    onPerceived(told.perceptions.flatMap((perception) => this.beliefs.update(perception)), told);
  }

  /**
   * Perceives what is new to the entity, if there is a connection.
   * @returns {Promise<{ perceptions: EntityPerception[] }>}
   */
  perceive() {
    const known = this.beliefs.version ? [{ entity: this.entity, version: this.beliefs.version }] : [];
    return this.session.call("perceive", { ...this.me, entities: [this.entity], known }).catch(() => ({ perceptions: [] }));
  }

  /** Ends the session, which frees the entity. */
  leave() {
    this.session.leave();
  }

  /**
   * Asks for the menu.
   * @param {{ at?: [x: number, y: number], about?: Term, text?: string }} [request] the point in the scene of the entity, the percept, or
   * the text about which the user asks
   * @returns {Promise<Menu>}
   */
  async menu(request = {}) {
    const { menu } = await this.session.call("menu", { ...this.me, entity: this.entity, ...request });
    return menu;
  }

  /**
   * Acts, and returns the percepts of the action.
   * @param {Term} action
   * @returns {Promise<Term[]>}
   */
  async act(action) {
    const { results } = await this.session.call("act", { ...this.me, action, entities: [this.entity] });
    const [{ error, percepts = [] }] = /** @type {[EntityResult]} */ (results);
    if (error) throw new Error(error.message);
    return percepts;
  }
}

/** Returns a name that no other person has. */
function nameOfStranger() {
  const numbers = crypto.getRandomValues(new Uint8Array(LETTERS_OF_NAME));
  return `person-${[...numbers].map((number) => (number % 36).toString(36)).join("")}`;
}
