// The talk of a team: messages in words, messages to choose from, and a field to write, with what the environment understands.
// Where people cannot write, it shows events and choices.

/** @import { MenuItem } from "../protocol/protocol.js" */
/** @import { Looks } from "../scene/looks.js" */
/** @import { Player } from "./player.js" */

import { choicesOf } from "./choices.js";
import { button, element, fill, find, say } from "../page/element.js";
import { MenuView } from "./menu-view.js";

const MOST_MESSAGES = 200;
const MOST_QUICK = 3;
const PARSE_PAUSE_MS = 150;

export class TalkView {
  /** @type {MenuItem[]} */
  offered = [];
  subject = "";
  parseTimer = 0;

  /**
   * @param {HTMLElement} root
   * @param {object} of
   * @param {Looks} of.looks
   * @param {() => Player | null} of.player
   * @param {(item: MenuItem) => Promise<boolean>} of.send sends a message; returns whether it was sent
   */
  constructor(root, { looks, player, send }) {
    this.root = root;
    this.looks = looks;
    this.player = player;
    this.send = send;
    this.log = find(root, "[data-part=log]", HTMLElement);
    this.quick = find(root, "[data-part=quick]", HTMLElement);
    this.parse = find(root, "[data-part=parse]", HTMLElement);
    this.text = find(root, "[data-part=text]", HTMLInputElement);
    this.menu = new MenuView(root);
    this.text.addEventListener("input", () => {
      clearTimeout(this.parseTimer);
      this.parseTimer = setTimeout(() => this.showParse(), PARSE_PAUSE_MS);
    });
    find(root, "[data-part=form]", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      this.sendTyped();
    });
  }

  get isEmpty() {
    return this.offered.length === 0 && this.log.childElementCount === 0;
  }

  /** @param {boolean} canWrite whether the environment understands words */
  letWrite(canWrite) {
    find(this.root, "[data-part=write]", HTMLElement).hidden = !canWrite;
    say(find(this.root, "[data-part=title]", HTMLElement), canWrite ? "Team talk" : "Events and choices");
  }

  /**
   * Shows a message.
   * @param {string} from the sender; empty for the player
   * @param {string} words
   */
  add(from, words) {
    if (from) {
      const { name, sign, color, ink } = this.looks.of(from);
      const dot = element("span", { class: "dot", style: `background: ${color}; color: ${ink}`, "aria-hidden": "true" }, sign);
      this.log.append(element("p", { class: "message" }, dot, element("span", {}, element("b", {}, name), element("span", { class: "words" }, words))));
    } else {
      this.log.append(element("p", { class: "message mine" }, element("span", { class: "words" }, element("span", { class: "unseen" }, "You: "), words)));
    }
    while (this.log.children.length > MOST_MESSAGES) this.log.firstElementChild?.remove();
    this.log.scrollTop = this.log.scrollHeight;
  }

  /**
   * Offers messages: the first as buttons, all in a menu.
   * @param {string} subject what they are about
   * @param {MenuItem[]} items
   */
  offer(subject, items) {
    [this.subject, this.offered] = [subject, items];
    // Do not replace buttons under a finger or the focus for the same choice.
    const signature = JSON.stringify([subject, items.slice(0, MOST_QUICK).map(({ label }) => label), items.length]);
    if (this.quick.dataset["offers"] === signature) return;
    const hadFocus = this.quick.contains(document.activeElement);
    this.quick.dataset["offers"] = signature;
    const quick = items.filter(({ sections }) => sections.length < 2).slice(0, MOST_QUICK);
    const buttons = quick.map((item) => button(item.label, () => this.send(item)));
    const more = items.length > quick.length && button("More…", (anchor) => this.openMenu(anchor), { "aria-haspopup": "menu" });
    fill(this.quick, ...buttons, more);
    if (hadFocus) this.quick.querySelector("button")?.focus();
  }

  /** @param {HTMLElement} button */
  openMenu(button) {
    const { left, top, bottom } = button.getBoundingClientRect();
    this.menu.open(this.subject, choicesOf(this.offered, (item) => void this.send(item)), { x: left, y: bottom, above: top });
  }

  async showParse() {
    const text = this.text.value.trim();
    if (!text) return say(this.parse, "");
    const understood = await this.understand(text);
    if (text === this.text.value.trim()) say(this.parse, understood?.words ?? "");
  }

  /**
   * Asks what a text means.
   * @param {string} text
   * @returns {Promise<{ item: MenuItem, words: string } | null>}
   */
  async understand(text) {
    try {
      const menu = await this.player()?.menu({ text });
      const [item] = menu?.items ?? [];
      return item ? { item, words: menu?.subject || `Understood: ${item.label}` } : null;
    } catch {
      return null;
    }
  }

  async sendTyped() {
    const text = this.text.value.trim();
    if (!text) return;
    const understood = await this.understand(text);
    if (!understood) return say(this.parse, "Messages cannot be written here; choose one.");
    if (!(await this.send(understood.item))) return;
    this.text.value = "";
    say(this.parse, "");
  }
}
