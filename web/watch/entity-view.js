// The chosen entity: its current percepts, its actions, its events, and the calls of a language model that controls it.

/** @import { Activity, Moment, Ontology } from "../protocol/protocol.js" */
/** @import { Term } from "../protocol/terms.js" */
/** @import { Entity } from "../environment/environment-state.js" */
/** @import { Player } from "../play/player.js" */
/** @import { Session } from "../protocol/session.js" */

import { Beliefs } from "../environment/beliefs.js";
import { Chronicle, contains } from "./chronicle.js";
import { ChronicleView } from "./chronicle-view.js";
import { noteActions, noteEvents, noteGap } from "./doings.js";
import { find, say } from "../page/element.js";
import { unhurried } from "../page/frame.js";
import { PerceptsView } from "../environment/percepts-view.js";
import { TranscriptView } from "./transcript-view.js";

const PAUSE_MS = 100;

export class EntityView {
  name = "";
  beliefs = new Beliefs();
  chronicle = new Chronicle();
  /** @type {Ontology | null} */
  ontology = null;
  /** @type {Entity | undefined} */
  entity = undefined;
  /** The reason why its percepts cannot be shown, if so. */
  refused = "";
  isMissing = false;
  endSubscription = () => {};

  /**
   * @param {HTMLElement} root
   * @param {object} of
   * @param {Session} of.session
   * @param {string} of.environment
   * @param {(entity: string) => Player | null} of.played returns the player of an entity on this page
   * @param {() => void} of.leave deselects the entity
   */
  constructor(root, { session, environment, played, leave }) {
    this.session = session;
    this.environment = environment;
    this.played = played;
    this.title = find(root, "[data-part=title]", HTMLElement);
    this.facts = find(root, "[data-part=facts]", HTMLElement);
    this.halves = find(root, "[data-part=halves]", HTMLElement);
    this.nothing = find(root, "[data-part=nothing]", HTMLElement);
    this.invitation = this.nothing.textContent ?? "";
    this.filter = find(root, "[data-part=filter]", HTMLInputElement);
    this.leave = find(root, "[data-part=leave]", HTMLButtonElement);
    this.percepts = new PerceptsView(find(root, "[data-part=percepts]", HTMLElement));
    const fits = {
      fits: (/** @type {import("./chronicle.js").Entry} */ entry) => contains(entry, this.words), namesEntity: false,
    };
    this.doings = new ChronicleView(find(root, "[data-part=chronicle]", HTMLElement), this.chronicle, fits);
    this.transcript = new TranscriptView(find(root, "[data-part=transcript]", HTMLElement), false);
    this.refresh = unhurried(PAUSE_MS, () => this.render());
    this.filter.addEventListener("input", () => {
      this.render();
      this.doings.render();
      this.transcript.filter(this.words);
    });
    this.leave.addEventListener("click", leave);
  }

  get words() {
    return this.filter.value.trim().toLowerCase();
  }

  /**
   * Shows another entity, or none.
   * @param {string} name
   */
  choose(name) {
    this.close();
    this.name = name;
    this.beliefs = new Beliefs();
    this.chronicle.clear();
    this.percepts.clear();
    this.refused = "";
    this.transcript.clear();
    this.show(undefined, false);
    if (!name) return;
    this.transcript.watch(this.session, { environment: this.environment, entity: name });
    this.endSubscription = this.session.subscribe(
      { activity: { environment: this.environment, entity: name } },
      (activity) => this.receive(activity),
      ({ kind, message }) =>
        this.refuse(kind === "forbidden" ? `Only agents of ${name} and observers can see what it perceives.` : message),
    );
  }

  /**
   * Sets its type and agents.
   * @param {Entity | undefined} entity
   * @param {boolean} isMissing whether it does not exist
   */
  show(entity, isMissing) {
    this.entity = entity;
    this.isMissing = isMissing;
    this.refresh();
  }

  /** @param {Ontology} ontology */
  describe(ontology) {
    this.ontology = ontology;
    this.refresh();
  }

  close() {
    this.endSubscription();
    this.endSubscription = () => {};
    this.transcript.close();
  }

  /** @param {Activity} activity */
  receive(activity) {
    this.refused = "";
    const { perception, actions, moment, lost } = activity;
    if (lost > 0) noteGap(this.chronicle, moment, lost, "actions");
    noteActions(this.chronicle, actions);
    if (perception) {
      if (perception.lost) noteGap(this.chronicle, moment, perception.lost, "events");
      noteEvents(this.chronicle, moment, perception.entity, this.beliefs.update(perception));
      this.refresh();
    }
    this.doings.refresh();
  }

  /**
   * Adds events of an entity that is played on this page. Observers get them with its activity.
   * @param {Term[]} events
   * @param {Moment} moment
   */
  receiveOwn(events, moment) {
    if (!this.own) return;
    noteEvents(this.chronicle, moment, this.name, events);
    this.refresh();
  }

  /** The player of the entity, if the page needs it to show percepts; for observers it does not. */
  get own() {
    return this.session.may("observe") ? null : this.played(this.name);
  }

  /** @param {string} reason */
  refuse(reason) {
    this.refused = reason;
    this.refresh();
  }

  render() {
    const { name, entity, own } = this;
    const reason = (own ? "" : this.refused) || (this.isMissing && !entity ? `There is no entity ${name} now.` : "");
    say(this.title, name || "Entity");
    say(this.facts, entity ? `${entity.entityType} · ${[...entity.agents].join(", ") || "free"}` : "");
    this.filter.hidden = this.leave.hidden = name === "";
    this.halves.hidden = name === "" || reason !== "";
    this.nothing.hidden = !this.halves.hidden;
    say(this.nothing, name === "" ? this.invitation : reason);
    const type = this.ontology?.entityTypes.find((type) => type.name === entity?.entityType);
    this.percepts.show(own?.beliefs ?? this.beliefs, this.words, type);
    this.doings.refresh();
  }
}
