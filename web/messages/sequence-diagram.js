// Messages as a sequence diagram: a line for each agent, and an arrow for each message, from top to bottom. The arrow
// keys choose a message.

/** @import { Conversations, Shown } from "./conversations.js" */

import { contentOf } from "./conversations.js";
import { element, fill, find, say, shown } from "../page/element.js";

const SPACE = "http://www.w3.org/2000/svg";
const ROW = 48;
/** The part of a row below its arrow. */
const FOOT = 20;
const GUTTER = 76;
const NARROW_GUTTER = 8;
const NARROW = 560;
const [LEAST_COLUMN, MOST_COLUMN] = [108, 260];
const LETTER = 6.4;
const HEAD = 7;
/** The number of colours that tell conversations apart. */
const COLORS = 6;
/** So close to its end, the diagram follows new messages. */
const NEAR_END = 60;

export class SequenceDiagram {
  selected = "";
  /** @type {Map<string, SVGGElement>} */
  rows = new Map();
  /** What the columns look like; all rows are drawn again when it changes. */
  signature = "";
  column = MOST_COLUMN;
  gutter = GUTTER;

  /**
   * @param {HTMLElement} root
   * @param {Conversations} conversations
   * @param {(message: Shown) => void} choose called when the user chooses a message
   */
  constructor(root, conversations, choose) {
    this.conversations = conversations;
    this.choose = choose;
    this.root = root;
    this.heads = find(root, "[data-part=heads]", HTMLElement);
    this.drawing = find(root, "[data-part=drawing]", SVGSVGElement);
    this.lines = svg("g", { class: "lifelines", "aria-hidden": "true" });
    this.list = svg("g", { role: "presentation" });
    this.drawing.append(this.lines, this.list);
    this.drawing.addEventListener("keydown", (event) => this.press(event));
    this.drawing.addEventListener("click", ({ target }) => {
      const id = target instanceof Element && target.closest("[role=option]")?.id;
      if (id) this.select(id);
    });
    this.resizing = new ResizeObserver(() => this.render());
    this.resizing.observe(root);
  }

  close() {
    this.resizing.disconnect();
  }

  /** Draws the messages. */
  render() {
    const { messages, agents } = this.conversations;
    const width = this.root.clientWidth;
    const follows = this.root.scrollTop + this.root.clientHeight >= this.root.scrollHeight - NEAR_END;
    this.gutter = width < NARROW ? NARROW_GUTTER : GUTTER;
    this.column = Math.max(LEAST_COLUMN, Math.min(MOST_COLUMN, (width - this.gutter) / Math.max(agents.length, 1)));
    const known = new Set(messages.map(({ id }) => id));
    let dropped = 0;
    for (const [id, row] of this.rows) {
      if (known.has(id)) continue;
      row.remove();
      this.rows.delete(id);
      dropped += 1;
    }
    const signature = JSON.stringify([agents, this.column, this.gutter]);
    if (signature !== this.signature) this.clear(signature);
    messages.forEach((message, place) => {
      const row = this.rows.get(message.id) ?? this.draw(message);
      row.setAttribute("transform", `translate(0 ${(place + 1) * ROW - FOOT})`);
      if (row.parentNode !== this.list) this.list.append(row);
    });
    const [full, high] = [Math.max(this.gutter + this.column * agents.length, 1), messages.length * ROW + 8];
    setAll(this.drawing, { width: full, height: high, viewBox: `0 0 ${full} ${high}` });
    this.lines.replaceChildren(
      ...agents.map((_, place) => svg("line", { x1: this.x(place), x2: this.x(place), y1: 0, y2: high })),
    );
    if (follows) this.root.scrollTop = this.root.scrollHeight;
    // The rows that someone reads have moved up.
    else if (dropped > 0) this.root.scrollTop -= dropped * ROW;
  }

  /** @param {string} signature */
  clear(signature) {
    const { agents } = this.conversations;
    this.signature = signature;
    this.rows.clear();
    this.list.replaceChildren();
    const head = (/** @type {string} */ agent) => element("span", { class: "head", title: agent }, agent);
    fill(this.heads, ...agents.map(head));
    this.heads.style.width = `${this.gutter + this.column * agents.length}px`;
    this.heads.style.paddingInlineStart = `${this.gutter}px`;
  }

  /** @param {number} place */
  x(place) {
    return this.gutter + this.column * (place + 0.5);
  }

  /** @param {Shown} message */
  draw(message) {
    const { id, from, to, conversation, violations = [], isNegative, time, message: said } = message;
    const breaks = violations.length > 0;
    const kind = breaks ? "breaks" : isNegative ? "negative" : "";
    const remarks = `${conversation && `, conversation ${conversation}`}${breaks ? ", breaks a rule" : ""}`;
    const label = `${said.performative} from ${from} to ${to.join(", ") || "nobody"}${remarks}`;
    const option = svg("g", {
      id, role: "option", class: `arrow ${kind}`, "aria-selected": String(id === this.selected),
      "aria-label": shown(label),
    });
    // The label has the words already.
    const words = svg("g", { class: `words ${kind}`, "aria-hidden": "true" });
    const start = this.x(this.conversations.lineOf(from));
    const ends = [...new Set(to.map((agent) => this.x(this.conversations.lineOf(agent))))];
    const all = [start, ...ends];
    const [left, right] = [Math.min(...all), Math.max(...all)];
    const full = this.gutter + this.column * this.conversations.agents.length;
    option.append(svg("rect", { class: "hit", x: 0, y: FOOT - ROW, width: full, height: ROW }));
    if (this.gutter === GUTTER) words.append(text({ class: "time", x: 8, y: 4 }, clock(time)));
    for (const end of ends) option.append(...(end === start ? loop(start) : arrow(start, end)));
    option.append(svg("circle", { class: `origin color-${colorOf(conversation)}`, cx: start, cy: 0, r: 4.5 }));
    const isLoop = left === right;
    const middle = isLoop ? left + 34 : (left + right) / 2;
    const anchor = isLoop ? "start" : "middle";
    const room = Math.floor((isLoop ? this.column / 2 : right - left - 16) / LETTER);
    words.append(
      text(
        { class: "act", x: middle, y: isLoop ? -2 : -7, "text-anchor": anchor },
        `${breaks ? "⚠ " : ""}${said.performative}`,
      ),
    );
    const content = contentOf(said).replace(/\s+/g, " ");
    if (content)
      words.append(
        text({ class: "content", x: middle, y: isLoop ? 11 : 14, "text-anchor": anchor }, shorten(content, room)),
      );
    const row = svg("g", { role: "presentation" });
    row.append(option, words);
    this.rows.set(id, row);
    return row;
  }

  /** Chooses a message. @param {string} id */
  select(id) {
    this.rows.get(this.selected)?.firstElementChild?.setAttribute("aria-selected", "false");
    this.selected = id;
    const row = this.rows.get(id)?.firstElementChild;
    row?.setAttribute("aria-selected", "true");
    row?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.drawing.setAttribute("aria-activedescendant", row ? id : "");
    const message = this.conversations.messages.find((one) => one.id === id);
    if (message) this.choose(message);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const { messages } = this.conversations;
    const place = messages.findIndex(({ id }) => id === this.selected);
    const last = messages.length - 1;
    /** @type {{ [key: string]: number }} */
    const places = {
      ArrowDown: place < 0 ? 0 : Math.min(place + 1, last),
      ArrowUp: place < 0 ? last : Math.max(place - 1, 0),
      Home: 0,
      End: last,
      PageDown: Math.min(place + 10, last),
      PageUp: Math.max(place - 10, 0),
    };
    const next = messages[places[event.key] ?? -1];
    if (!next) return;
    event.preventDefault();
    this.select(next.id);
  }
}

/** Returns a number that tells conversations apart. @param {string} conversation */
function colorOf(conversation) {
  if (!conversation) return "none";
  let hash = 0;
  for (const letter of conversation) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return String(hash % COLORS);
}

/** @param {number} time */
function clock(time) {
  return new Date(time).toLocaleTimeString([], {
    hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
  });
}

/** @param {string} words @param {number} letters */
function shorten(words, letters) {
  const all = [...words];
  return all.length > letters ? `${all.slice(0, Math.max(letters - 1, 3)).join("")}…` : words;
}

/** @param {number} from @param {number} to */
function arrow(from, to) {
  const back = from < to ? -HEAD : HEAD;
  const line = svg("line", { class: "shaft", x1: from, x2: to + back, y1: 0, y2: 0 });
  return [line, svg("path", { class: "point", d: `M${to} 0l${back * 1.4} -4.5v9z` })];
}

/** An arrow from an agent to itself. @param {number} at */
function loop(at) {
  const path = svg("path", { class: "shaft", d: `M${at} -8h26v16h${HEAD - 26}`, fill: "none" });
  return [path, svg("path", { class: "point", d: `M${at} 8l${HEAD * 1.4} -4.5v9z` })];
}

/** @param {{ [name: string]: string | number }} attributes @param {string} words */
function text(attributes, words) {
  const made = svg("text", attributes);
  say(made, words);
  return made;
}

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{ [name: string]: string | number }} [attributes]
 * @returns {SVGElementTagNameMap[Tag]}
 */
function svg(tag, attributes = {}) {
  const made = document.createElementNS(SPACE, tag);
  setAll(made, attributes);
  return made;
}

/** @param {Element} of @param {{ [name: string]: string | number }} attributes */
function setAll(of, attributes) {
  for (const [name, value] of Object.entries(attributes)) of.setAttribute(name, String(value));
}
