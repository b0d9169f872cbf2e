// Creating and finding elements. All text from a server passes through here as text, never as markup.

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * Invisible characters, and characters that change the direction of text: with them, one name can look like another.
 */
const DECEPTIVE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Returns a text with deceptive characters made visible.
 * @param {string} text
 */
export function shown(text) {
  return text.replace(DECEPTIVE, "\ufffd");
}

/** Attributes whose text is displayed or read aloud. */
const SPOKEN = new Set(["aria-label", "placeholder", "title"]);

/**
 * Creates an element with these attributes (true means empty; false, null and undefined omit one) and children. The
 * page's security policy forbids the attribute `style`, so that it becomes a property.
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
    if (name === "style") made.style.cssText = String(value);
    else made.setAttribute(name, value === true ? "" : SPOKEN.has(name) ? shown(String(value)) : String(value));
  }
  made.append(...present(children));
  return made;
}

/**
 * Creates a button.
 * @param {Child | Child[]} content
 * @param {(button: HTMLButtonElement) => unknown} act what a click does
 * @param {Parameters<typeof element>[1]} [attributes]
 */
export function button(content, act, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, ...[content].flat());
  made.addEventListener("click", () => act(made));
  return made;
}

/**
 * Puts a control, which has an identifier, beside its label.
 * @param {string} label
 * @param {HTMLElement} control
 */
export function labelled(label, control) {
  const name = element("label", { for: control.id }, label);
  const isCheckBox = control instanceof HTMLInputElement && control.type === "checkbox";
  return isCheckBox
    ? element("div", { class: "field check" }, control, name)
    : element("div", { class: "field" }, name, control);
}

/**
 * Creates one of the icons of the page. Screen readers ignore it.
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
 * Returns the element below `root` that matches the selector. It must exist.
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
 * Returns a copy of the contents of a template of the page.
 * @param {string} id
 */
export function instantiate(id) {
  const content = find(document, `template#${id}`, HTMLTemplateElement).content.cloneNode(true);
  const [root] = /** @type {DocumentFragment} */ (content).children;
  if (!(root instanceof HTMLElement)) throw new Error(`the template ${id} is empty`);
  return root;
}

/**
 * Replaces the children of an element.
 * @param {Element} parent
 * @param {...Child} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren(...present(children));
}

/**
 * Shows a row for each of these entries, in their order. Rows that are shown already stay as they are.
 * @template {{ number: number }} Entry
 * @param {Element} list
 * @param {Map<number, Element>} rows the rows of the list, by the numbers of their entries
 * @param {Entry[]} entries
 * @param {(entry: Entry) => Element} make
 */
export function arrange(list, rows, entries, make) {
  const shown = new Set(entries.map(({ number }) => number));
  for (const [number, row] of rows) {
    if (shown.has(number)) continue;
    row.remove();
    rows.delete(number);
  }
  let next = list.firstElementChild;
  for (const entry of entries) {
    const row = rows.get(entry.number) ?? make(entry);
    if (rows.has(entry.number)) next = row.nextElementSibling;
    else list.insertBefore(row, next);
    rows.set(entry.number, row);
  }
}

/**
 * Sets the text of an element, if it has changed; setting the same text would make screen readers repeat it.
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
