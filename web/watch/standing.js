// The state of an environment, and its time.

/** @import { EnvironmentStatus, Moment, State } from "../protocol/protocol.js" */
/** @import { Verdict } from "../environment/ending.js" */

import { element, fill, icon, say } from "../page/element.js";

/** @type {{ [state in State]: string }} */
const SIGNS = { initializing: "init", paused: "pause", running: "start", killed: "kill" };

/**
 * Shows a state with a word, an icon and a colour. Once the episode is decided, that is its state, even if time goes
 * on.
 * @param {HTMLElement} chip
 * @param {State} state
 * @param {Verdict | null} [verdict]
 */
export function showState(chip, state, verdict = null) {
  const word = verdict && state !== "killed" ? verdict.kind : state;
  if (chip.dataset["state"] === word) return;
  chip.dataset["state"] = word;
  fill(chip, icon(word === state ? SIGNS[state] : "whole"), element("span", {}, word));
}

/** The measured speed, computed from received moments. */
export class Progress {
  /** @type {Moment | null} */
  from = null;
  /** Steps per second; null if not known yet. @type {number | null} */
  speed = null;

  /** @param {Moment} moment */
  reach(moment) {
    const { from } = this;
    const isOther = !from || from.episode !== moment.episode || moment.step < from.step || moment.time < from.time;
    if (isOther || moment.time - from.time > 5000) {
      this.from = moment;
      this.speed = null;
    } else if (moment.time - from.time >= 1000) {
      this.speed = (1000 * (moment.step - from.step)) / (moment.time - from.time);
      this.from = moment;
    }
  }
}

/** Shows episode, step and speed. */
export class Clock {
  progress = new Progress();
  /** @type {Moment | null} */
  moment = null;

  /**
   * @param {HTMLElement} place
   */
  constructor(place) {
    this.place = place;
    this.episode = element("span", { class: "number" });
    this.step = element("span", { class: "number", "data-part": "step" });
    this.speed = element("span", { class: "real-speed" });
    fill(place, element("span", {}, "Episode ", this.episode), element("span", {}, "Step ", this.step), this.speed);
  }

  /** Older moments may arrive later. @param {Moment} moment */
  reach(moment) {
    const { moment: last } = this;
    const isPast = last && moment.time < last.time && moment.episode <= last.episode;
    if (isPast) return;
    this.moment = moment;
    this.progress.reach(moment);
  }

  /** @param {EnvironmentStatus | null} status */
  render(status) {
    this.place.hidden = this.moment === null;
    say(this.episode, String(this.moment?.episode ?? ""));
    say(this.step, (this.moment?.step ?? 0).toLocaleString("en").replaceAll(",", "\u202f"));
    const { speed } = this.progress;
    const isKnown = status?.state === "running" && speed !== null;
    const skipped = status?.skippedSteps ? ` (${status.skippedSteps} skipped)` : "";
    say(this.speed, isKnown ? `${speed.toFixed(speed < 10 ? 1 : 0)} steps/s${skipped}` : "");
  }
}
