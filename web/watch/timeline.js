// The time line: happenings of the environment, and actions of all entities.

/** @import { Happenings, Moment } from "../protocol/protocol.js" */
/** @import { Entry } from "./chronicle.js" */
/** @import { Session } from "../protocol/session.js" */

import { Chronicle, contains } from "./chronicle.js";
import { ChronicleView } from "./chronicle-view.js";
import { noteActions, noteGap } from "./doings.js";
import { find } from "../page/element.js";
import { tell, tellStanding } from "../environment/happenings.js";

export class Timeline {
  chronicle = new Chronicle();
  endSubscription = () => {};

  /**
   * @param {HTMLElement} root
   * @param {object} of
   * @param {Session} of.session
   * @param {string} of.environment
   * @param {(entity: string) => void} of.choose
   * @param {(moment: Moment) => void} of.moved called when time has advanced
   */
  constructor(root, { session, environment, choose, moved }) {
    this.session = session;
    this.environment = environment;
    this.moved = moved;
    this.kinds = find(root, "[data-part=kinds]", HTMLSelectElement);
    this.filter = find(root, "[data-part=filter]", HTMLInputElement);
    this.nothing = find(root, "[data-part=nothing]", HTMLElement);
    this.list = find(root, "[data-part=chronicle]", HTMLElement);
    this.view = new ChronicleView(this.list, this.chronicle, { fits: (entry) => this.fits(entry), namesEntity: true });
    this.holdButton = find(root, "[data-part=hold]", HTMLButtonElement);
    this.holdButton.addEventListener("click", () => this.hold());
    this.filter.addEventListener("input", () => this.view.render());
    this.kinds.addEventListener("change", () => this.chooseKinds());
    this.list.addEventListener("click", ({ target }) => {
      const entity = target instanceof Element && target.closest("li")?.dataset["entity"];
      if (entity) choose(entity);
    });
    this.watchActions();
  }

  /** @param {Happenings} happenings */
  show({ status, happenings, resync, lost }) {
    const { episode, step } = status.moment;
    if (resync) {
      if (lost > 0) noteGap(this.chronicle, status.moment, lost, "happenings");
      this.chronicle.add({ kind: "happening", what: tellStanding(status), episode, step });
    } else {
      for (const { text, entity } of tell(happenings)) {
        this.chronicle.add({ kind: "happening", what: text, entity, episode, step });
      }
    }
    this.noted();
  }

  close() {
    this.endSubscription();
    this.endSubscription = () => {};
  }

  watchActions() {
    this.endSubscription = this.session.subscribe(
      { activity: { environment: this.environment } },
      ({ actions, moment, lost }) => {
        if (lost > 0) noteGap(this.chronicle, moment, lost, "actions");
        noteActions(this.chronicle, actions);
        this.moved(moment);
        this.noted();
      },
    );
  }

  noted() {
    this.nothing.hidden = true;
    this.view.refresh();
  }

  /** Subscribes to actions only if they are shown. */
  chooseKinds() {
    this.close();
    if (this.kinds.value !== "happenings") this.watchActions();
    this.view.render();
  }

  /** @param {Entry} entry */
  fits(entry) {
    const { kind } = entry;
    const isWanted = {
      all: true,
      happenings: kind === "happening",
      actions: kind === "action" || kind === "failure",
      failures: kind === "failure",
    }[this.kinds.value];
    return (isWanted || kind === "lost") && contains(entry, this.filter.value.trim().toLowerCase());
  }

  hold() {
    const isHeld = !this.view.isHeld;
    this.holdButton.setAttribute("aria-pressed", String(isHeld));
    this.view.hold(isHeld);
  }
}
