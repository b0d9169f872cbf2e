// A text that somebody may have in a file: it is typed, or read from the disk of whoever sits here.

import { element, fill } from "./element.js";

/** How many bytes a file may have, so that it fits into a frame that a server takes: JSON may write two for each. */
const LARGEST = 500_000;

/**
 * @param {HTMLTextAreaElement} text where the text stands
 * @param {string} name what it is called
 * @returns {HTMLElement} the means to read a file into it
 */
export function fileReader(text, name) {
  const files = element("input", { type: "file", hidden: true, "aria-hidden": "true" });
  const button = element("button", { type: "button" }, `Read ${name} from a file…`);
  const trouble = element("p", { class: "trouble", role: "alert" });
  button.addEventListener("click", () => files.click());
  files.addEventListener("change", async () => {
    const [file] = files.files ?? [];
    // The same file can be chosen again when it has been changed.
    files.value = "";
    if (!file) return;
    fill(trouble);
    try {
      text.value = await read(file);
      text.focus();
    } catch (why) {
      fill(trouble, `${file.name} ${why instanceof Error ? why.message : String(why)}`);
    }
  });
  return element("div", { class: "file" }, button, files, trouble);
}

/**
 * @param {File} file
 * @throws {Error} which says what is wrong with it
 */
async function read(file) {
  if (file.size > LARGEST) throw new Error(`has more than ${LARGEST / 1000} kB, which is too much to be sent`);
  const bytes = await file.arrayBuffer().catch((why) => {
    throw new Error(`cannot be read: ${why.message}`);
  });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("is no text in UTF-8; save it as UTF-8");
  }
}
