// A chronicle as a list, newest first. It is updated a few times a second, since nobody reads faster.

/** @import { Chronicle, Entry } from "./chronicle.js" */

import { arrange, element, icon } from "../page/element.js";
import { unhurried } from "../page/frame.js";

const SHOWN = 120;
const PAUSE_MS = 250;

/** The kinds of entries in words, for screen readers. @type {{ [kind in Entry["kind"]]: string }} */
const KINDS = { happening: "happening", action: "action", failure: "failed action", event: "event", lost: "gap" };

export class ChronicleView {
  /** @type {Map<number, HTMLElement>} */
  rows = new Map();
  isHeld = false;

  /**
   * @param {HTMLElement} list
   * @param {Chronicle} chronicle
   * @param {object} of
   * @param {(entry: Entry) => boolean} of.fits
   * @param {boolean} of.namesEntity whether to show the entity of an action
   */
  constructor(list, chronicle, { fits, namesEntity }) {
    this.list = list;
    this.chronicle = chronicle;
    this.fits = fits;
    this.namesEntity = namesEntity;
    this.refresh = unhurried(PAUSE_MS, () => this.isHeld || this.render());
  }

  /** @param {boolean} isHeld whether to stop updating the list */
  hold(isHeld) {
    this.isHeld = isHeld;
    if (!isHeld) this.render();
  }

  render() {
    const entries = this.chronicle.newest(this.fits, SHOWN);
    arrange(this.list, this.rows, entries, (entry) => this.make(entry));
    this.list.hidden = entries.length === 0;
  }

  /** @param {Entry} entry */
  make({ kind, step, who, what, entity, why }) {
    const isTerm = kind === "action" || kind === "failure" || kind === "event";
    const where = this.namesEntity && isTerm && entity && element("span", { class: "where" }, entity);
    const text = element(
      "span",
      { class: "what" },
      who && element("span", { class: "who" }, who),
      isTerm ? element("code", {}, what) : what,
      where,
      why && element("span", { class: "why" }, why),
    );
    const sign = element("span", { class: "sign" }, icon(kind), element("span", { class: "unseen" }, KINDS[kind]));
    const row = element(
      "li", { class: kind }, element("span", { class: "step", title: `step ${step}` }, String(step)), sign, text,
    );
    if (entity) row.dataset["entity"] = entity;
    return row;
  }
}
