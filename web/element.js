// Making elements and finding them. All text that comes from a server passes through here as text, never as markup.

/** @typedef {Node | string | null | undefined | false} Child */

/** Characters that are not seen, or that turn around what stands beside them: with them, a name can pass for another. */
const DECEPTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2060-\u2069\ufeff]/g;

/**
 * A text as it is shown: deceptive characters are seen as such.
 * @param {string} text
 */
export function shown(text) {
  return text.replace(DECEPTIVE, "\ufffd");
}

/** Attributes whose text people see or hear. */
const SPOKEN = new Set(["aria-label", "placeholder", "title"]);

/**
 * An element with these attributes (true stands for an empty one; false, null and undefined leave it out) and children.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{ [name: string]: string | number | boolean | null | undefined }} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    made.setAttribute(name, value === true ? "" : SPOKEN.has(name) ? shown(String(value)) : String(value));
  }
  made.append(...present(children));
  return made;
}

/**
 * One of the drawings at the beginning of the page. It says nothing to those who do not see it.
 * @param {string} name
 */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  drawing.setAttribute("class", "icon");
  drawing.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", `#icon-${name}`);
  drawing.append(use);
  return drawing;
}

/**
 * The element below `root` that the selector finds. There must be one: the page is at fault otherwise.
 * @template {Element} Kind
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function find(root, selector, kind) {
  const found = root.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} ${selector}`);
  return found;
}

/**
 * A copy of what is in a template of the page.
 * @param {string} id
 */
export function instantiate(id) {
  const content = find(document, `template#${id}`, HTMLTemplateElement).content.cloneNode(true);
  const [root] = /** @type {DocumentFragment} */ (content).children;
  if (!(root instanceof HTMLElement)) throw new Error(`the template ${id} is empty`);
  return root;
}

/**
 * Lets an element have these children and no others.
 * @param {Element} parent
 * @param {...Child} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren(...present(children));
}

/**
 * Sets the text of an element, if it has another one: the same text again would be work for nothing, and would be read out again.
 * @param {Element} where
 * @param {string} text
 */
export function say(where, text) {
  const seen = shown(text);
  if (where.textContent !== seen) where.textContent = seen;
}

/** @param {Child[]} children */
function present(children) {
  const there = children.filter((child) => child !== null && child !== undefined && child !== false);
  return there.map((child) => (typeof child === "string" ? shown(child) : child));
}
