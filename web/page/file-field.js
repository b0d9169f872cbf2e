// A text that can be typed, or read from a file of the user. Binary files, which contain a zero byte, become base64.

import { button, element, fill } from "./element.js";

/** Maximum number of bytes of a file, so that it fits into a frame of the server; JSON may need two for each. */
const LARGEST = 500_000;

/**
 * @param {HTMLTextAreaElement} text the field for the text
 * @param {string} name its name
 * @returns {HTMLElement} the controls for reading a file
 */
export function fileReader(text, name) {
  const files = element("input", { type: "file", hidden: true, "aria-hidden": "true" });
  const trouble = element("p", { class: "trouble", role: "alert" });
  files.addEventListener("change", async () => {
    const [file] = files.files ?? [];
    // Allows choosing the same file again after it has changed.
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
  return element("div", { class: "file" }, button(`Read ${name} from a file…`, () => files.click()), files, trouble);
}

/**
 * @param {File} file
 * @throws {Error} with the problem
 */
async function read(file) {
  if (file.size > LARGEST) throw new Error(`has more than ${LARGEST / 1000} kB, which is too much to send`);
  const bytes = await file.arrayBuffer().catch((why) => {
    throw new Error(`cannot be read: ${why.message}`);
  });
  const isBinary = new Uint8Array(bytes).includes(0);
  if (isBinary) return btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(""));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("is not UTF-8 text; save it as UTF-8");
  }
}
