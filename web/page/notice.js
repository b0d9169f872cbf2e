// Short messages: errors, displayed and read aloud; and changes, for screen readers.

import { button, element, find, icon, say } from "./element.js";
import { renderMessage } from "./markdown.js";

const NOTICES = 3;
const SHOWN_MS = 12000;

/**
 * Shows an error.
 * @param {string} text
 */
export function complain(text) {
  const place = find(document, "#notices", HTMLElement);
  const close = button(icon("kill"), () => notice.remove(), { class: "quiet", "aria-label": "Close this message" });
  const notice = element("div", { class: "notice" }, element("p", {}, ...renderMessage(text)), close);
  setTimeout(() => notice.remove(), SHOWN_MS);
  place.append(notice);
  while (place.children.length > NOTICES) place.firstElementChild?.remove();
}

/**
 * Waits for a promise, and shows its error if it is rejected.
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
 * Announces a change to screen readers.
 * @param {string} text
 */
export function announce(text) {
  say(find(document, "#announcements", HTMLElement), text);
}
