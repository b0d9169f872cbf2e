// What the editors of documents have in common: versions, a draft, checks on the server, and environments with the
// document.

/** @import { Examination } from "../protocol/protocol.js" */
/** @import { Parameters } from "../protocol/terms.js" */
/** @import { Session } from "../protocol/session.js" */

import { DocumentCheck, examine } from "./document-check.js";
import { rememberDraft, rememberedDraft } from "./draft.js";
import { EditHistory } from "./edit-history.js";
import { button } from "../page/element.js";
import { announce, complain, orComplain } from "../page/notice.js";
import { addressOf } from "../page/route.js";

/** @template T a value that can be copied as JSON */
export class DocumentEditor {
  listening = new AbortController();

  /**
   * @param {Session} session
   * @param {string} kind the kind of environments
   * @param {string} document the parameter whose value the document is
   * @param {object} of
   * @param {T} of.first the document of a new editor
   * @param {(document: T) => string} of.write
   * @param {(forms: Examination["forms"]) => T | null} of.read returns null if the forms are of no document
   * @param {string} of.start the label of the button that creates an environment
   */
  constructor(session, kind, document, { first, write, read, start }) {
    this.session = session;
    this.kind = kind;
    this.document = document;
    this.edited = first;
    this.write = write;
    this.read = read;
    this.history = new EditHistory(first);
    this.undo = button("Undo", () => this.travel(-1), { title: "Undo (Ctrl+Z)" });
    this.redo = button("Redo", () => this.travel(1), { title: "Redo (Ctrl+Y)" });
    this.start = button(start, () => orComplain(this.create()), { class: "main" });
    this.check = new DocumentCheck(session, kind, document, {
      parameters: () => this.parameters(),
      choose: (path) => this.choose(path),
      examined: (examination) => this.mark(examination),
    });
    addEventListener("keydown", (event) => this.shortcut(event), { signal: this.listening.signal });
  }

  /** Shows the document, or the draft of the user. @param {string} name that of the draft */
  begin(name) {
    this.render();
    const draft = rememberedDraft(this.kind, this.document);
    if (draft) this.open(draft, name);
    else this.check.soon();
  }

  close() {
    this.listening.abort();
    this.check.close();
  }

  /** Shows the document, with whether there are versions before and after it. */
  render() {
    this.undo.setAttribute("aria-disabled", String(!this.history.canUndo));
    this.redo.setAttribute("aria-disabled", String(!this.history.canRedo));
  }

  show() {}

  /** Shows the part with a finding. @param {string} _path */
  choose(_path) {}

  /** The parameters of an environment with the document. @returns {Parameters} */
  parameters() {
    return { [this.document]: this.write(this.edited) };
  }

  /** Adds the document to its versions. Returns whether it has changed. */
  keep() {
    const hasChanged = this.history.add(this.edited);
    if (hasChanged) this.remember();
    return hasChanged;
  }

  remember() {
    rememberDraft(this.kind, this.document, this.write(this.edited));
    this.check.soon();
  }

  /** Edits another document, or another version. @param {T} document @param {string} [_name] that of its file */
  take(document, _name) {
    this.edited = document;
    this.history.add(document);
    this.remember();
    this.render();
  }

  /** @param {number} by */
  travel(by) {
    if (by < 0 ? !this.history.canUndo : !this.history.canRedo) return;
    this.take(this.history.go(by));
    announce(by < 0 ? "Undone" : "Redone");
  }

  /** @param {KeyboardEvent} event */
  shortcut(event) {
    const { target } = event;
    const isText =
      (target instanceof HTMLInputElement && target.type !== "checkbox") || target instanceof HTMLTextAreaElement;
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || isText || (key !== "z" && key !== "y")) return;
    event.preventDefault();
    this.travel(key === "y" || event.shiftKey ? 1 : -1);
  }

  /** Opens the text of a file, or a document with this name. @param {string} text @param {string} name */
  async open(text, name) {
    try {
      const { forms, findings } = await examine(this.session, this.kind, this.document, { [this.document]: text });
      const document = this.read(forms);
      if (document) {
        this.take(document, name);
        announce(`Opened ${name}`);
      } else complain(`${name}: ${findings[0]?.text ?? "cannot be read"}`);
    } catch (why) {
      complain(why instanceof Error ? why.message : String(why));
    }
  }

  async create() {
    const { status } = await this.session.call("createEnvironment", {
      kind: this.kind, parameters: this.parameters(), start: true,
    });
    location.hash = addressOf(status.environment);
  }

  /** @param {Examination} examination */
  mark({ findings }) {
    const isWrong = findings.some(({ severity }) => severity === "error");
    this.start.setAttribute("aria-disabled", String(isWrong || !this.session.may("manage")));
  }
}
