// Managing an environment: its state, its speed, its episodes. Users without the right see the reason.

/** @import { Command, EnvironmentStatus, Moment, Ontology, State } from "../protocol/protocol.js" */
/** @import { Session } from "../protocol/session.js" */

import { openDialog } from "../page/dialog.js";
import { button, element, fill, icon, labelled, say } from "../page/element.js";
import { inNextFrame } from "../page/frame.js";
import { orComplain } from "../page/notice.js";
import { ParametersForm } from "../page/parameters-form.js";
import { LAST_PLACE, placeOf, saySpeed, speedAt } from "./speed.js";
import { askForToken } from "../page/token.js";

/**
 * @typedef {object} Control
 * @property {string} word
 * @property {State[]} in the states in which it is possible
 * @property {string} otherwise the reason why it is not possible in others
 * @property {(management: Management) => Promise<unknown> | void} act
 */

/** @type {{ [name: string]: Control }} */
const CONTROLS = {
  init: {
    word: "Init", in: ["initializing"], otherwise: "The first episode has begun",
    act: (management) => management.askToInit(),
  },
  start: {
    word: "Start", in: ["paused"], otherwise: "Only while it is paused",
    act: (management) => management.command("start"),
  },
  pause: {
    word: "Pause", in: ["running"], otherwise: "Only while it is running",
    act: (management) => management.command("pause"),
  },
  step: {
    word: "Step", in: ["paused"], otherwise: "Only while it is paused", act: (management) => management.advance(),
  },
  reset: {
    word: "Reset",
    in: ["paused", "running"],
    otherwise: "Only when there is an episode",
    act: (management) => management.askToReset(),
  },
  kill: {
    word: "Kill",
    in: ["initializing", "paused", "running"],
    otherwise: "It has already been killed",
    act: (management) => management.askToKill(),
  },
};

export class Management {
  /** @type {EnvironmentStatus | null} */
  status = null;
  /** @type {Ontology | null} */
  ontology = null;
  /** @type {{ [name: string]: HTMLButtonElement }} */
  buttons = {};

  /**
   * @param {HTMLElement} root
   * @param {object} of
   * @param {Session} of.session
   * @param {string} of.environment
   * @param {(moment: Moment) => void} of.moved called when time has advanced
   */
  constructor(root, { session, environment, moved }) {
    this.session = session;
    this.environment = environment;
    this.moved = moved;
    this.remark = element("p", { class: "remark", id: "management-remark", hidden: true });
    this.slider = element("input", {
      type: "range", min: 0, max: LAST_PLACE, step: 1, id: "speed", "aria-describedby": this.remark.id,
    });
    this.speed = element("output", { for: "speed", class: "speed" });
    const group = element("div", { class: "controls", role: "group", "aria-label": "Management" });
    for (const name of Object.keys(CONTROLS)) group.append(this.button(name));
    const label = element("label", { for: "speed" }, "Speed");
    fill(root, group, element("div", { class: "pace" }, label, this.slider, this.speed), this.remark);
    this.slider.addEventListener("input", () => this.say(speedAt(Number(this.slider.value))));
    this.slider.addEventListener("change", () => this.setSpeed(speedAt(Number(this.slider.value))));
    this.render = this.render.bind(this);
  }

  /** @param {EnvironmentStatus} status */
  show(status) {
    this.status = status;
    inNextFrame(this.render);
  }

  /** @param {Ontology} ontology */
  describe(ontology) {
    this.ontology = ontology;
    inNextFrame(this.render);
  }

  render() {
    const { status } = this;
    const obstacle = this.obstacle();
    for (const [name, button] of Object.entries(this.buttons)) this.renderButton(button, CONTROLS[name], obstacle);
    if (this.shownObstacle !== obstacle && status) this.renderRemark(obstacle);
    const { slider } = this;
    slider.disabled = obstacle !== "" || !status || status.state === "killed";
    // Do not move the slider while the user moves it.
    if (status && document.activeElement !== slider) {
      slider.value = String(placeOf(status.speed));
      this.say(status.speed);
    }
  }

  /**
   * @param {HTMLButtonElement} button
   * @param {Control | undefined} control
   * @param {string} obstacle
   */
  renderButton(button, control, obstacle) {
    if (!control) return;
    const isPossible = this.status !== null && control.in.includes(this.status.state);
    const why = obstacle || (isPossible ? "" : control.otherwise);
    // It can still be focused and shows the reason, unlike a disabled button.
    button.setAttribute("aria-disabled", String(why !== ""));
    button.title = why;
  }

  /** The reason why this page may not manage, if so. */
  obstacle() {
    const { session } = this;
    if (session.standing.phase !== "greeted") return "There is no connection.";
    return session.may("manage") ? "" : "You may observe this environment, but not manage it.";
  }

  /** @param {string} obstacle */
  renderRemark(obstacle) {
    this.shownObstacle = obstacle;
    const isOfRights = obstacle !== "" && this.session.standing.phase === "greeted";
    const enter = button("Enter a manager’s token", () => askForToken(this.session), { class: "link" });
    fill(this.remark, obstacle, isOfRights && " ", isOfRights && enter);
    this.remark.hidden = obstacle === "";
  }

  /** @param {string} name */
  button(name) {
    const { word, act } = /** @type {Control} */ (CONTROLS[name]);
    const press = async (/** @type {HTMLButtonElement} */ made) => {
      if (made.ariaDisabled === "true" || made.ariaBusy === "true") return;
      made.ariaBusy = "true";
      await orComplain(Promise.resolve(act(this)));
      made.ariaBusy = "false";
    };
    const made = button([icon(name), element("span", { class: "word" }, word)], press, {
      "data-command": name, "aria-describedby": this.remark.id,
    });
    this.buttons[name] = made;
    return made;
  }

  /** @param {Command} command */
  async command(command) {
    const { moment } = await this.session.call("manage", { environment: this.environment, command });
    this.moved(moment);
  }

  async advance() {
    const { moment } = await this.session.call("advance", { environment: this.environment, steps: 1 });
    this.moved(moment);
  }

  /** @param {number | null} speed */
  setSpeed(speed) {
    return orComplain(this.session.call("setSpeed", { environment: this.environment, speed: speed ?? undefined }));
  }

  /** @param {number | null} speed */
  say(speed) {
    say(this.speed, saySpeed(speed, "/s"));
    this.slider.ariaValueText = saySpeed(speed, "a second");
  }

  askToInit() {
    if (!this.ontology) return;
    const form = new ParametersForm(this.ontology);
    const seed = seedInput("default: 1");
    form.addAdvanced(seed.row);
    openDialog({
      title: `Init ${this.environment}`,
      content: [element("p", { class: "hint" }, "The first episode begins, paused."), form.element],
      confirm: "Init",
      act: () => this.command({ init: { parameters: form.read(), seed: seed.read() ?? 1 } }),
    });
  }

  async askToReset() {
    const { ontology, parameters } = await this.session.call("describe", { environment: this.environment });
    const form = new ParametersForm(ontology, parameters ?? {});
    const seed = seedInput("derived from the last one");
    form.addAdvanced(seed.row);
    openDialog({
      title: `Reset ${this.environment}`,
      content: [element("p", { class: "hint" }, "This episode ends, and a new one begins, paused."), form.element],
      confirm: "Reset",
      act: () => this.command({ reset: { parameters: form.readChanges(), seed: seed.read() } }),
    });
  }

  askToKill() {
    openDialog({
      title: `Kill ${this.environment}?`,
      content: [element("p", {}, "It ends: its agents lose their entities, and it cannot be started again.")],
      confirm: "Kill",
      isGrave: true,
      act: () => this.command("kill"),
    });
  }
}

/**
 * @param {string} placeholder
 */
export function seedInput(placeholder) {
  const input = element("input", {
    id: "seed", type: "number", min: 0, max: Number.MAX_SAFE_INTEGER, step: 1, placeholder,
  });
  return {
    row: labelled("Seed", input),
    read: () => (input.value === "" ? undefined : Number(input.value)),
  };
}

