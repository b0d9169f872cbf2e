// Examining a document on the server while it is edited.

/** @import { Refusal } from "../protocol/connection.js" */
/** @import { Examination, Finding } from "../protocol/protocol.js" */
/** @import { Parameters } from "../protocol/terms.js" */
/** @import { Session } from "../protocol/session.js" */

import { button, element, fill } from "../page/element.js";
import { renderMessage } from "../page/markdown.js";

/** Time without changes after which a document is examined. */
const PAUSE_MS = 250;

/** @type {{ [severity: string]: string }} */
const SEVERITIES = { error: "Error", warning: "Warning", note: "" };

/**
 * Examines a document.
 * @param {Session} session
 * @param {string} kind the kind of environments
 * @param {string} document the parameter whose value it is
 * @param {Parameters} parameters
 * @param {number} [seed]
 * @returns {Promise<Examination>}
 */
export async function examine(session, kind, document, parameters, seed) {
  // A file can be opened, or a draft found, before the page is connected.
  await session.whenGreeted();
  const answer = await session.call("examine", { kind, document, parameters, ...(seed !== undefined && { seed }) });
  return answer.examination ?? { findings: [], forms: [] };
}

/** The list of findings beside a document, which follows its changes. */
export class DocumentCheck {
  list = element("ul", { class: "findings", "aria-live": "polite", "aria-label": "Checks" });
  timer = 0;
  /** The number of the latest examination. */
  latest = 0;

  /**
   * @param {Session} session
   * @param {string} kind
   * @param {string} document
   * @param {object} of
   * @param {() => Parameters} of.parameters
   * @param {(path: string) => void} of.choose shows the part with a finding
   * @param {(examination: Examination) => void} of.examined
   */
  constructor(session, kind, document, { parameters, choose, examined }) {
    this.session = session;
    this.kind = kind;
    this.document = document;
    this.parameters = parameters;
    this.choose = choose;
    this.examined = examined;
  }

  /** The document has changed. */
  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), PAUSE_MS);
  }

  close() {
    clearTimeout(this.timer);
    this.latest += 1;
  }

  async now() {
    if (this.session.standing.phase !== "greeted") return;
    const number = (this.latest += 1);
    try {
      const examination = await examine(this.session, this.kind, this.document, this.parameters());
      if (number !== this.latest) return;
      fill(this.list, ...examination.findings.map((finding) => this.line(finding)));
      this.examined(examination);
    } catch (why) {
      if (number !== this.latest) return;
      const { kind, message } = /** @type {Refusal} */ (why);
      const text = kind === "forbidden" ? "Checks need a manager’s token." : message;
      fill(this.list, element("li", { "data-severity": "warning" }, element("p", {}, ...renderMessage(text))));
    }
  }

  /** @param {Finding} finding */
  line({ severity, place, path, text }) {
    const name = path === "" ? "" : place.replace(/^<\w+> ?/, "");
    const words = [SEVERITIES[severity], name].filter(Boolean).join(" · ");
    const content = [words && element("strong", {}, words), " ", text];
    if (path === "") return element("li", { "data-severity": severity }, element("p", {}, ...content));
    return element("li", { "data-severity": severity }, button(content, () => this.choose(path), { class: "link" }));
  }
}
