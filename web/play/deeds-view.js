// The last actions and events of a player, beside the scene.

/** @import { Parameter } from "../protocol/protocol.js" */
/** @import { Term } from "../protocol/terms.js" */

import { element, icon } from "../page/element.js";
import { renderMessage } from "../page/markdown.js";
import { printParameter } from "../protocol/terms.js";

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
   * Adds an action or an event.
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

/** Texts are not quoted: people read them, and do not copy them into programs. @param {Parameter} parameter */
function inWords(parameter) {
  return typeof parameter === "string" ? parameter : printParameter(parameter);
}
