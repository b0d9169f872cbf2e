// Documentation as elements: paragraphs, lists, code, emphasis and links of Markdown. Whatever else it says stays text.

import { element } from "./element.js";

/**
 * @param {string} text
 * @returns {HTMLElement[]}
 */
export function render(text) {
  return blocks(text).map(renderBlock);
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
 * What stands in one line: code, emphasis and links.
 * @param {string} text
 * @returns {(HTMLElement | string)[]}
 */
export function renderLine(text) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push(text.slice(at, match.index), renderInline(match.groups ?? {}));
    at = match.index + match[0].length;
  }
  parts.push(text.slice(at));
  return parts.filter((part) => part !== "");
}

const INLINE = new RegExp(
  [
    "(?<ticks>`+)(?<code>[\\s\\S]*?[^`])\\k<ticks>(?!`)",
    "\\*\\*(?<strong>[^*\\s](?:[^*]*[^*\\s])?)\\*\\*",
    "\\*(?<em>[^*\\s](?:[^*]*[^*\\s])?)\\*",
    "\\[(?<text>[^\\]]+)\\]\\((?<href>[^)\\s]+)\\)",
  ].join("|"),
  "g",
);

/** @param {{ [name: string]: string }} groups */
function renderInline({ code, strong, em, text = "", href = "" }) {
  if (code !== undefined) return element("code", {}, code);
  if (strong !== undefined) return element("strong", {}, strong);
  if (em !== undefined) return element("em", {}, em);
  // What is no address of the web leads nowhere from here.
  return /^https?:/.test(href) ? element("a", { href, rel: "noopener noreferrer" }, text) : text;
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
    const item = /^\s*(?:(?<bullet>[-*+])|\d+[.)])\s+(?<text>.*)$/.exec(line)?.groups;
    if (open?.kind === "code") {
      if (/^\s*```/.test(line)) open = null;
      else open.lines.push(line);
    } else if (/^\s*```/.test(line)) {
      found.push((open = { kind: "code", lines: [] }));
    } else if (line.trim() === "") {
      open = null;
    } else if (/^#{1,6}\s/.test(line)) {
      begin("heading", line.replace(/^#+\s+/, ""));
      open = null;
    } else if (item) {
      const kind = item["bullet"] ? "list" : "numbers";
      if (open?.kind === kind) open.lines.push(item["text"] ?? "");
      else begin(kind, item["text"] ?? "");
    } else if (open) {
      // A line that was only broken because it was long.
      open.lines.push(`${open.lines.pop()} ${line.trim()}`);
    } else {
      begin("paragraph", line.trim());
    }
  }
  return found;
}

/** @param {Block} block */
function renderBlock({ kind, lines }) {
  if (kind === "code") return element("pre", {}, element("code", {}, lines.join("\n")));
  if (kind === "paragraph") return element("p", {}, ...renderLine(lines.join(" ")));
  // It has no place among the headings of the page.
  if (kind === "heading") return element("p", { class: "subheading" }, ...renderLine(lines.join(" ")));
  const items = lines.map((line) => element("li", {}, ...renderLine(line)));
  return element(kind === "list" ? "ul" : "ol", {}, ...items);
}
