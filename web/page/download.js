// Saving and opening files of the user.

import { button, element } from "./element.js";

/**
 * Saves a text as a file.
 * @param {string} name
 * @param {string} text
 * @param {string} type
 */
export function saveFile(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: address, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * Returns a button with which the user opens a text file.
 * @param {string} label
 * @param {string} accept the endings of its name
 * @param {(text: string, name: string) => void} opened
 */
export function openButton(label, accept, opened) {
  const files = element("input", { type: "file", accept, hidden: true, "aria-hidden": "true", tabindex: -1 });
  files.addEventListener("change", async () => {
    const [file] = files.files ?? [];
    files.value = "";
    if (file) opened(await file.text(), file.name);
  });
  return element("span", {}, button(label, () => files.click()), files);
}
