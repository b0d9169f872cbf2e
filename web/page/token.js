// The user's token. It is stored in this tab only: never in the address, and not after the tab is closed.

/** @import { Session } from "../protocol/session.js" */

import { openDialog } from "./dialog.js";
import { element, labelled } from "./element.js";
import { renderMessage } from "./markdown.js";
import { readAddress } from "./route.js";

const KEY = "situated-token";

/** @returns {string | null} */
export function rememberedToken() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/**
 * @param {Session} session
 * @param {string} [why] the reason for asking
 */
export function askForToken(session, why = "") {
  if (document.querySelector("dialog[open]")) return;
  const input = element("input", { id: "token-input", type: "password", autocomplete: "off", spellcheck: "false" });
  input.value = session.token ?? "";
  openDialog({
    title: "Token",
    content: [
      element(
        "p", { class: "hint" },
        "It determines whether you may observe and manage. It is stored until this tab is closed.",
      ),
      labelled("Token", input),
      element("p", { class: "hint" }, "Leave it empty to connect without one."),
      element("p", { class: "trouble" }, ...(why ? renderMessage(`The server says: ${why}`) : [])),
    ],
    confirm: "Connect",
    act: () => {
      const token = input.value.trim() || null;
      remember(token);
      session.useToken(token);
    },
  });
  input.select();
}

/**
 * Takes the token out of the address of the page, so that nobody reads it there, and remembers it. Only the fragment
 * can contain one, which browsers do not send to servers.
 */
export function takeTokenOfAddress() {
  const { token } = readAddress(location.hash);
  if (!token) return;
  remember(token);
  history.replaceState(null, "", location.hash.replace(/\?.*$/, ""));
}

/** @param {string | null} token */
function remember(token) {
  try {
    if (token) sessionStorage.setItem(KEY, token);
    else sessionStorage.removeItem(KEY);
  } catch {
    // Kept while the page is open.
  }
}
