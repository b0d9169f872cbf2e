// Light or dark: as the system wishes, unless somebody decides otherwise.

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

/** A browser may keep nothing: then it is asked anew each time. @returns {Theme} */
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
    // It holds for as long as the page is open.
  }
}
