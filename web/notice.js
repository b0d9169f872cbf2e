// Short messages: what could not be done, to be seen and heard; and what has changed, for those who do not see it.

import { element, find, icon, say } from "./element.js";
import { renderMessage } from "./markdown.js";

const NOTICES = 3;
const SHOWN_MS = 12000;

/**
 * Says what could not be done, and why.
 * @param {string} text
 */
export function complain(text) {
  const place = find(document, "#notices", HTMLElement);
  const close = element("button", { type: "button", class: "quiet", "aria-label": "Close this message" }, icon("kill"));
  const notice = element("div", { class: "notice" }, element("p", {}, ...renderMessage(text)), close);
  close.addEventListener("click", () => notice.remove());
  setTimeout(() => notice.remove(), SHOWN_MS);
  place.append(notice);
  while (place.children.length > NOTICES) place.firstElementChild?.remove();
}

/**
 * Does something, and complains if it is refused.
 * @param {Promise<unknown>} done
 */
export async function orComplain(done) {
  try {
    await done;
  } catch (why) {
    complain(why instanceof Error ? why.message : String(why));
  }
}

/**
 * Tells those who cannot see it that something has changed.
 * @param {string} text
 */
export function announce(text) {
  say(find(document, "#announcements", HTMLElement), text);
}
