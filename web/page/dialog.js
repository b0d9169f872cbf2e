// A dialog that asks for input and executes an action. If that fails, it shows the error and stays open.

import { button, element, fill } from "./element.js";
import { renderMessage } from "./markdown.js";

/**
 * @param {object} of
 * @param {string} of.title
 * @param {(Node | string)[]} of.content
 * @param {string} of.confirm the label of the button that executes the action
 * @param {boolean} [of.isGrave] whether the action cannot be undone
 * @param {() => Promise<unknown> | void} of.act executes the action; an error leaves the dialog open
 */
export function openDialog({ title, content, confirm, isGrave = false, act }) {
  const heading = element("h2", { id: "dialog-title" }, title);
  const trouble = element("p", { class: "trouble", role: "alert" });
  const cancel = button("Cancel", () => dialog.close());
  const go = element("button", { type: "submit", class: isGrave ? "grave" : "main" }, confirm);
  const foot = element("div", { class: "foot" }, trouble, element("div", { class: "buttons" }, cancel, go));
  const form = element("form", {}, heading, ...content, foot);
  const dialog = element("dialog", { "aria-labelledby": "dialog-title" }, form);

  dialog.addEventListener("close", () => dialog.remove());
  // A selection of text may end outside of the dialog.
  let hasBegunOutside = false;
  dialog.addEventListener("pointerdown", ({ target }) => (hasBegunOutside = target === dialog));
  dialog.addEventListener("click", ({ target }) => target === dialog && hasBegunOutside && dialog.close());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (go.disabled) return;
    go.disabled = true;
    fill(trouble);
    try {
      await act();
      dialog.close();
    } catch (why) {
      fill(trouble, ...renderMessage(why instanceof Error ? why.message : String(why)));
    } finally {
      go.disabled = false;
    }
  });
  document.body.append(dialog);
  dialog.showModal();
}
