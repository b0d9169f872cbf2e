// The list of environments with their states, and creating and removing them.

/** @import { EnvironmentStatus, Kind } from "../protocol/protocol.js" */
/** @import { Session } from "../protocol/session.js" */

import { openDialog } from "../page/dialog.js";
import { editorsOf } from "../editors/editors.js";
import { button, element, fill, find, icon, instantiate, labelled, say } from "../page/element.js";
import { counted } from "../environment/happenings.js";
import { seedInput } from "./management.js";
import { orComplain } from "../page/notice.js";
import { ParametersForm } from "../page/parameters-form.js";
import { addressOf } from "../page/route.js";
import { showState } from "./standing.js";

/** @typedef {{ card: HTMLElement, state: HTMLElement, facts: HTMLElement, remove: HTMLButtonElement }} Card */

const CANNOT = "Creating and removing environments needs a manager’s token.";

export class EnvironmentsView {
  root = instantiate("environments");
  title = "Environments";
  /** @type {Map<string, Card>} */
  cards = new Map();
  /** @type {Kind[]} */
  kinds = [];

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.list = find(this.root, "[data-part=list]", HTMLElement);
    this.nothing = find(this.root, "[data-part=nothing]", HTMLElement);
    this.kindsSection = find(this.root, "[data-part=kinds]", HTMLElement);
    this.kindList = find(this.root, "[data-part=kind-list]", HTMLElement);
    this.remark = find(this.root, "[data-part=remark]", HTMLElement);
    this.reflectSession();
  }

  close() {}

  /** The connection was opened or lost; rights may have changed. */
  reflectSession() {
    const cannot = this.session.standing.phase === "greeted" && !this.session.may("manage");
    say(this.remark, cannot ? CANNOT : "");
    this.remark.hidden = !cannot;
    for (const button of this.root.querySelectorAll("button")) this.allow(button);
    if (this.session.standing.phase === "greeted") this.askForKinds();
  }

  /** @param {EnvironmentStatus[]} environments */
  show(environments) {
    const names = new Set(environments.map(({ environment }) => environment));
    for (const [name, { card }] of this.cards) {
      if (names.has(name)) continue;
      card.remove();
      this.cards.delete(name);
    }
    environments.forEach((status, place) => {
      const { card } = this.showCard(status);
      if (this.list.children[place] !== card) this.list.insertBefore(card, this.list.children[place] ?? null);
    });
    this.nothing.hidden = environments.length > 0;
  }

  async askForKinds() {
    try {
      const { kinds } = await this.session.call("listEnvironments", {});
      this.kindsSection.hidden = kinds.length === 0;
      fill(this.kindList, ...kinds.map((kind) => this.kindRow(kind)));
    } catch {
      // Without a connection, a banner says so.
    }
  }

  /** @param {EnvironmentStatus} status */
  showCard(status) {
    const { environment, kind, state, agents, entities, hosted, crash, recording, data } = status;
    const known = this.cards.get(environment) ?? this.makeCard(environment);
    showState(known.state, state);
    const facts = [
      environment === kind ? "" : kind,
      counted(entities, "entity", "entities"),
      counted(agents, "agent", "agents"),
      status.moment.episode > 0 ? `episode ${status.moment.episode}` : "",
      hosted ? "hosted by another process" : "",
      crash ? `crashed: ${crash}` : "",
      recording ? (recording.error ? `recording failed: ${recording.error}` : "recorded") : "",
      data ? (data.error ? `storing failed: ${data.error}` : "stored") : "",
    ];
    say(known.facts, facts.filter((fact) => fact !== "").join(" · "));
    return known;
  }

  /**
   * @param {string} environment
   * @returns {Card}
   */
  makeCard(environment) {
    const [state, facts] = [element("span", { class: "state" }), element("p", { class: "facts" })];
    const link = element("a", { href: addressOf(environment) }, environment);
    const ask = () => this.session.may("manage") && this.askToRemove(environment);
    const remove = button(icon("remove"), ask, {
      class: "quiet", "aria-label": `Remove ${environment}`, title: "Remove",
    });
    const card = element("li", { class: "card" }, element("h2", {}, link), state, facts, remove);
    this.allow(remove);
    const made = { card, state, facts, remove };
    this.cards.set(environment, made);
    return made;
  }

  /** @param {Kind} kind */
  kindRow({ kind, summary }) {
    const ask = () => this.session.may("manage") && orComplain(this.askToCreate(kind));
    const make = button([icon("new"), "New"], ask, { "aria-label": `New environment of kind ${kind}` });
    this.allow(make);
    const editors = editorsOf(kind).map(({ label, address }) => element("a", { href: address }, label));
    return element(
      "li", {},
      element(
        "div", {}, element("h3", {}, kind), element("p", {}, summary), element("p", { class: "editors" }, ...editors),
      ),
      make,
    );
  }

  /** @param {HTMLButtonElement} button */
  allow(button) {
    const may = this.session.may("manage");
    button.setAttribute("aria-disabled", String(!may));
    if (may) button.removeAttribute("aria-describedby");
    else button.setAttribute("aria-describedby", "kinds-remark");
  }

  /** @param {string} environment */
  askToRemove(environment) {
    openDialog({
      title: `Remove ${environment}?`,
      content: [element("p", {}, "It ends, and is removed from this server. This cannot be undone.")],
      confirm: "Remove",
      isGrave: true,
      act: () => this.session.call("removeEnvironment", { environment }),
    });
  }

  /** @param {string} kind */
  async askToCreate(kind) {
    const { ontology } = await this.session.call("describeKind", { kind });
    const form = new ParametersForm(ontology);
    const seed = seedInput("default: 1");
    const name = element("input", {
      id: "new-name", placeholder: `default: ${kind}`, maxlength: 255, autocomplete: "off", spellcheck: "false",
    });
    const speed = element("input", {
      id: "new-speed", type: "number", min: 0.001, step: "any", placeholder: "steps per second; default: as declared",
    });
    form.addAdvanced(seed.row, labelled("Speed", speed));
    const start = element("input", { id: "new-start", type: "checkbox", checked: true });
    openDialog({
      title: `New ${kind}`,
      content: [labelled("Name", name), form.element, labelled("Start at once", start)],
      confirm: "Create",
      act: async () => {
        const { status } = await this.session.call("createEnvironment", {
          kind,
          parameters: form.read(),
          start: start.checked,
          ...(name.value.trim() && { environment: name.value.trim() }),
          seed: seed.read(),
          ...(speed.value && { speed: Number(speed.value) }),
        });
        location.hash = addressOf(status.environment);
      },
    });
  }
}
