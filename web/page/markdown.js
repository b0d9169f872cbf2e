// Documentation as elements: paragraphs, lists, code, emphasis and links of Markdown. Other markup stays text. These
// texts are untrusted, so parsing takes time linear in their length.

import { element } from "./element.js";

/** Maximum number of characters of a text that are shown. */
const LONGEST = 20_000;

/**
 * Renders documentation.
 * @param {string} text
 * @returns {HTMLElement[]}
 */
export function render(text) {
  return blocks(cut(text)).map(renderBlock);
}

/**
 * The first sentence.
 * @param {string} text
 */
export function summaryOf(text) {
  const end = /\.(?=\s)/.exec(text);
  return end ? text.slice(0, end.index + 1) : text;
}

/**
 * Renders one line of documentation: code, emphasis and links.
 * @param {string} text
 * @returns {(HTMLElement | string)[]}
 */
export function renderLine(text) {
  return renderMarks(cut(text), (line) => ({ "`": codeIn(line), "*": emphasisIn(line), "[": linksIn(line) }));
}

/**
 * Renders a message: only its code is marked, since it may contain untrusted names.
 * @param {string} text
 * @returns {(HTMLElement | string)[]}
 */
export function renderMessage(text) {
  return renderMarks(cut(text), (line) => ({ "`": codeIn(line) }));
}

/** @param {string} text */
function cut(text) {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/**
 * Parses the markup that begins at a mark. Returns an element if there is one, and the position at which to continue.
 * @typedef {(at: number) => { made?: HTMLElement | string, end: number }} MarkReader
 */

/**
 * @param {string} text
 * @param {(text: string) => { [mark: string]: MarkReader }} readersOf
 */
function renderMarks(text, readersOf) {
  if (!/[`*[]/.test(text)) return text === "" ? [] : [text];
  const readers = readersOf(text);
  const nextMark = seeker(text, /[`*[]/g);
  const parts = [];
  let [plain, at] = [0, nextMark(0)];
  while (at < text.length) {
    const { made, end } = readers[text.charAt(at)]?.(at) ?? { end: at + 1 };
    if (made !== undefined) {
      parts.push(text.slice(plain, at), made);
      plain = end;
    }
    at = nextMark(end);
  }
  parts.push(text.slice(plain));
  return parts.filter((part) => part !== "");
}

/**
 * Finds the first match of a pattern from a position on. Scans the text once if the positions increase.
 * @param {string} text
 * @param {RegExp} pattern a global one, for one character
 * @returns {(from: number) => number} infinite if there is none
 */
function seeker(text, pattern) {
  let found = -1;
  return (from) => {
    if (found < from) {
      pattern.lastIndex = from;
      found = pattern.exec(text)?.index ?? Infinity;
    }
    return found;
  };
}

/**
 * Returns the end of a run of the character at a position.
 * @param {string} text
 * @param {number} at
 */
function endOfRun(text, at) {
  let end = at + 1;
  while (text.charAt(end) === text.charAt(at)) end += 1;
  return end;
}

/**
 * Code between two runs of as many backticks.
 * @param {string} text
 * @returns {MarkReader}
 */
function codeIn(text) {
  /** The beginnings of runs, by their length, in reverse order. @type {Map<number, number[]>} */
  const runs = new Map();
  for (const { 0: { length }, index } of [...text.matchAll(/`+/g)].reverse()) {
    const places = runs.get(length);
    if (places) places.push(index);
    else runs.set(length, [index]);
  }
  return (at) => {
    const end = endOfRun(text, at);
    const places = runs.get(end - at) ?? [];
    while ((places.at(-1) ?? Infinity) < end) places.pop();
    const close = places.at(-1);
    if (close === undefined) return { end };
    return { made: element("code", {}, text.slice(end, close)), end: close + end - at };
  };
}

/**
 * Emphasis: a text between one or two stars, without stars in it, and without blanks at its ends.
 * @param {string} text
 * @returns {MarkReader}
 */
function emphasisIn(text) {
  const nextStar = seeker(text, /\*/g);
  return (at) => {
    const end = endOfRun(text, at);
    const close = nextStar(end);
    if (end - at > 2 || close === Infinity || endOfRun(text, close) - close !== end - at) return { end };
    const inside = text.slice(end, close);
    if (inside !== inside.trim()) return { end };
    return { made: element(end - at === 2 ? "strong" : "em", {}, inside), end: close + end - at };
  };
}

/**
 * A link, `[text](address)`. Shows the host of its address; other addresses than web addresses are not linked.
 * @param {string} text
 * @returns {MarkReader}
 */
function linksIn(text) {
  const [nextBracket, nextParenthesis, nextBlank] = [seeker(text, /\]/g), seeker(text, /\)/g), seeker(text, /\s/g)];
  return (at) => {
    const middle = nextBracket(at + 1);
    if (text.charAt(middle + 1) !== "(") return { end: at + 1 };
    const close = nextParenthesis(middle + 2);
    if (close === Infinity || nextBlank(middle + 2) < close || middle === at + 1) return { end: at + 1 };
    const [title, href] = [text.slice(at + 1, middle), text.slice(middle + 2, close)];
    if (!/^https?:/.test(href) || !URL.canParse(href)) return { made: title, end: close + 1 };
    const link = element("a", { href, rel: "noopener noreferrer" }, title);
    return { made: title === href ? link : element("span", {}, link, ` (${new URL(href).host})`), end: close + 1 };
  };
}

/** @typedef {{ kind: "paragraph" | "list" | "numbers" | "code" | "heading", lines: string[] }} Block */

/**
 * @param {string} text
 * @returns {Block[]}
 */
function blocks(text) {
  /** @type {Block[]} */
  const found = [];
  /** @type {Block | null} */
  let open = null;
  /** @param {Block["kind"]} kind @param {string} line */
  const begin = (kind, line) => found.push((open = { kind, lines: [line] }));
  for (const line of text.split("\n")) {
    const said = line.trim();
    const mark = /^(?:[-*+]|\d{1,9}[.)])(?=\s)/.exec(`${said} `)?.[0];
    if (open?.kind === "code") {
      if (said.startsWith("```")) open = null;
      else open.lines.push(line);
    } else if (said.startsWith("```")) {
      found.push((open = { kind: "code", lines: [] }));
    } else if (said === "") {
      open = null;
    } else if (/^#{1,6}\s/.test(line)) {
      begin("heading", said.slice(endOfRun(said, 0)).trim());
      open = null;
    } else if (mark) {
      const [kind, item] = [mark.length === 1 ? "list" : "numbers", said.slice(mark.length).trim()];
      if (open?.kind === kind) open.lines.push(item);
      else begin(/** @type {Block["kind"]} */ (kind), item);
    } else if (open) {
      // A line break within a paragraph.
      open.lines.push(`${open.lines.pop()} ${said}`);
    } else {
      begin("paragraph", said);
    }
  }
  return found;
}

/** @param {Block} block */
function renderBlock({ kind, lines }) {
  if (kind === "code") return element("pre", {}, element("code", {}, lines.join("\n")));
  if (kind === "paragraph") return element("p", {}, ...renderLine(lines.join(" ")));
  // It is not one of the page's headings.
  if (kind === "heading") return element("p", { class: "subheading" }, ...renderLine(lines.join(" ")));
  const items = lines.map((line) => element("li", {}, ...renderLine(line)));
  return element(kind === "list" ? "ul" : "ol", {}, ...items);
}
