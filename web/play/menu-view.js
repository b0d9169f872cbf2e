// A menu on the page: titles with choices, and titles of submenus. Users choose with mouse, fingers and
// keys. Closing the menu restores the focus.

/** @import { Choice, Group } from "./choices.js" */
/** @import { Anchor } from "../scene/scene-view.js" */

import { isGroup } from "./choices.js";
import { button, element, fill, icon } from "../page/element.js";

/** Minimum distance from the edges of the window. */
const MARGIN_PX = 8;

export class MenuView {
  /** The open submenus, the outermost first. @type {Group[]} */
  path = [];
  /** @type {Group[]} */
  groups = [];
  subject = "";
  /** @type {Anchor} */
  anchor = { x: 0, y: 0 };
  /** The element that had the focus before. @type {Element | null} */
  before = null;

  /** @param {HTMLElement} place the element to which it belongs */
  constructor(place) {
    this.root = element("div", { class: "menu", role: "menu", popover: "manual", tabindex: -1 });
    this.root.addEventListener("keydown", (event) => this.press(event));
    this.closeFromOutside = this.closeFromOutside.bind(this);
    place.append(this.root);
  }

  /**
   * @param {string} subject its subject
   * @param {Group[]} groups
   * @param {Anchor} anchor
   */
  open(subject, groups, anchor) {
    this.close();
    [this.subject, this.groups, this.path, this.anchor] = [subject, groups, [], anchor];
    this.before = document.activeElement;
    this.root.showPopover();
    this.render();
    document.addEventListener("pointerdown", this.closeFromOutside, true);
  }

  close() {
    if (!this.root.matches(":popover-open")) return;
    document.removeEventListener("pointerdown", this.closeFromOutside, true);
    this.root.hidePopover();
    if (this.before instanceof HTMLElement) this.before.focus({ preventScroll: true });
  }

  /** @param {Event} event */
  closeFromOutside({ target }) {
    if (!(target instanceof Node) || !this.root.contains(target)) this.close();
  }

  /** Shows the current submenu, and focuses its first choice, or the one with this name. */
  render(name = "") {
    const inner = this.path.at(-1);
    const outer = this.path.at(-2)?.title ?? this.subject;
    this.root.setAttribute("aria-label", inner?.title || this.subject || "Menu");
    if (inner) fill(this.root, this.button(`${outer ? `${outer}: ` : ""}${inner.title}`, () => this.goOut(), "back"), ...this.list(inner));
    else fill(this.root, this.subject && element("p", { class: "subject" }, this.subject), ...this.groups.map((group) => this.section(group)));
    this.root.scrollTop = 0;
    this.stand();
    const buttons = this.buttons();
    const first = buttons.find((button) => button.dataset["name"] === name) ?? buttons[inner ? 1 : 0] ?? this.root;
    first.focus({ preventScroll: true });
    first.scrollIntoView({ block: "nearest" });
  }

  /** @param {Group} group */
  section(group) {
    const title = element("h3", { role: "presentation" }, group.title);
    return element("div", { role: "group", "aria-label": group.title }, group.title !== "" && title, ...this.list(group));
  }

  /** @param {Group} group */
  list({ entries }) {
    return entries.map((entry) => {
      if (isGroup(entry)) return this.button(entry.title, () => this.goInto(entry), "into");
      return this.button(entry.label, () => this.choose(entry), "");
    });
  }

  /**
   * @param {string} name
   * @param {() => void} act
   * @param {"into" | "back" | ""} leads
   */
  button(name, act, leads) {
    const [before, after] = [leads === "back" && icon("back"), leads === "into" && icon("into")];
    const where = leads === "back" && element("span", { class: "unseen" }, "(back)");
    const words = [before, element("span", {}, name), where, after];
    return button(words, act, { role: "menuitem", tabindex: -1, class: leads, "data-name": name, "aria-haspopup": leads === "into" && "menu" });
  }

  /** @param {Group} group */
  goInto(group) {
    this.path.push(group);
    this.render();
  }

  goOut() {
    const left = this.path.pop();
    this.render(left?.title);
  }

  /** @param {Choice} choice */
  choose(choice) {
    this.close();
    choice.act();
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const buttons = this.buttons();
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const { length } = buttons;
    const to = { ArrowDown: (at + 1) % length, ArrowUp: (at - 1 + length) % length, Home: 0, End: length - 1 }[event.key];
    if (to !== undefined) buttons[to]?.focus();
    else if (event.key === "ArrowRight" && buttons[at]?.classList.contains("into")) buttons[at].click();
    else if (["ArrowLeft", "Escape"].includes(event.key) && this.path.length > 0) this.goOut();
    else if (["Escape", "Tab"].includes(event.key)) this.close();
    else return;
    event.preventDefault();
  }

  /** On small screens, the style sheet puts it at the bottom instead. */
  stand() {
    const { x, y, above = innerHeight } = this.anchor;
    const { offsetWidth, offsetHeight, style } = this.root;
    const left = Math.min(x, innerWidth - offsetWidth - MARGIN_PX);
    const top = y + offsetHeight + MARGIN_PX <= innerHeight ? y : above - offsetHeight - MARGIN_PX;
    style.setProperty("--x", `${Math.max(left, MARGIN_PX)}px`);
    style.setProperty("--y", `${Math.max(top, MARGIN_PX)}px`);
  }

  buttons() {
    return [...this.root.querySelectorAll("button")];
  }
}
