// Light or dark mode: as the system, unless the user chooses otherwise.

import { element, fill, icon } from "./element.js";

const KEY = "situated-theme";
const THEMES = /** @type {const} */ (["auto", "light", "dark"]);
const NAMES = { auto: "as the system", light: "light", dark: "dark" };

/** @typedef {(typeof THEMES)[number]} Theme */

/** @param {HTMLElement} button */
export function offerThemes(button) {
  let theme = remembered();
  wear(button, theme);
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
    remember(theme);
    wear(button, theme);
  });
}

/**
 * @param {HTMLElement} button
 * @param {Theme} theme
 */
function wear(button, theme) {
  document.documentElement.dataset["theme"] = theme;
  const name = `Colours: ${NAMES[theme]}`;
  button.title = name;
  fill(button, icon(theme), element("span", { class: "unseen" }, name));
}

/** The browser may not allow storage. @returns {Theme} */
function remembered() {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? "auto";
  } catch {
    return "auto";
  }
}

/** @param {Theme} theme */
function remember(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Kept while the page is open.
  }
}
