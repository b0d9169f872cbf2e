// What somebody who plays does and hears: the last of it, beside the scene.

/** @import { Parameter, Term } from "./protocol.js" */

import { element, icon } from "./element.js";
import { renderMessage } from "./markdown.js";
import { printParameter } from "./terms.js";

const SHOWN = 30;

export class DeedsView {
  /** @param {HTMLElement} list */
  constructor(list) {
    this.list = list;
  }

  clear() {
    this.list.replaceChildren();
    this.list.hidden = true;
  }

  /**
   * Something that was done, or was heard.
   * @param {"action" | "event"} kind
   * @param {Term} term
   */
  add(kind, { name, args = [] }) {
    this.append(kind, element("b", {}, name), args.length > 0 && ` ${args.map(inWords).join(" · ")}`);
  }

  /** @param {string} reason */
  addFailure(reason) {
    this.append("failure", ...renderMessage(reason));
  }

  /**
   * @param {string} kind
   * @param {...(Node | string | false)} words
   */
  append(kind, ...words) {
    this.list.append(element("li", { class: kind }, icon(kind), element("span", {}, ...words)));
    this.list.hidden = false;
    while (this.list.children.length > SHOWN) this.list.firstElementChild?.remove();
    this.list.scrollTop = this.list.scrollHeight;
  }
}

/** Texts as they are: they are read, not copied into programs. @param {Parameter} parameter */
function inWords(parameter) {
  return typeof parameter === "string" ? parameter : printParameter(parameter);
}
