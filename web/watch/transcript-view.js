// The calls of language models as a list, newest first, with what the models were told and what they have cost.

/** @import { Line } from "./transcript.js" */
/** @import { Topic } from "../protocol/protocol.js" */
/** @import { Session } from "../protocol/session.js" */

import { arrange, element, fill, find } from "../page/element.js";
import { unhurried } from "../page/frame.js";
import { counted } from "../environment/happenings.js";
import { Transcript } from "./transcript.js";

const SHOWN = 150;
const PAUSE_MS = 250;

/** The kinds of lines in words, for screen readers. @type {{ [kind in Line["kind"]]: string }} */
const KINDS = { call: "call", wrong: "wrong call", thought: "thought", other: "remark" };

export class TranscriptView {
  transcript = new Transcript();
  /** @type {Map<number, HTMLElement>} */
  rows = new Map();
  endSubscription = () => {};
  words = "";

  /**
   * @param {HTMLElement} root
   * @param {boolean} namesAgent whether to show the agent of each line
   */
  constructor(root, namesAgent) {
    this.root = root;
    this.namesAgent = namesAgent;
    this.costs = find(root, "[data-part=costs]", HTMLElement);
    this.list = find(root, "[data-part=calls]", HTMLElement);
    this.refresh = unhurried(PAUSE_MS, () => this.render());
    this.render();
  }

  /**
   * Shows the remarks of a topic.
   * @param {Session} session
   * @param {NonNullable<Topic["remarks"]>} topic
   */
  watch(session, topic) {
    this.clear();
    this.endSubscription = session.subscribe(
      { remarks: topic },
      ({ remarks, lost }) => {
        this.transcript.add(remarks, lost);
        this.refresh();
      },
      // The view of which this is a part says who may watch.
      () => {},
    );
  }

  /** Shows nothing. */
  clear() {
    this.close();
    this.transcript.clear();
    this.render();
  }

  close() {
    this.endSubscription();
    this.endSubscription = () => {};
  }

  /** Shows only lines that contain these words. @param {string} words in lower case */
  filter(words) {
    if (words === this.words) return;
    this.words = words;
    this.render();
  }

  render() {
    const { lines, dropped } = this.transcript;
    this.root.hidden = lines.length === 0 && dropped === 0;
    const costs = this.transcript
      .costs()
      .map(([agent, words]) => element("p", {}, element("b", {}, agent), " ", words));
    const missing =
      dropped > 0 && element("p", {}, `${counted(dropped, "earlier remark is", "earlier remarks are")} not shown`);
    fill(this.costs, ...costs, missing);
    const fits = (/** @type {Line} */ { title, agent, parts }) =>
      [title, agent, ...parts.map(([, text]) => text)].some((text) => text.toLowerCase().includes(this.words));
    const chosen = (this.words ? lines.filter(fits) : lines).slice(-SHOWN).reverse();
    arrange(this.list, this.rows, chosen, (line) => this.make(line));
  }

  /** @param {Line} line */
  make({ agent, step, kind, title, gist, parts }) {
    const head = element(
      "summary", {}, element("span", { class: "unseen" }, `${KINDS[kind]} `), element("code", {}, title),
    );
    if (this.namesAgent) head.prepend(element("b", {}, agent), " ");
    if (gist) head.append(" ", element("span", { class: "gist" }, gist));
    const details = element("details", {}, head);
    // Most lines are never opened.
    details.addEventListener("toggle", () => {
      if (details.open && details.children.length === 1)
        details.append(
          element(
            "dl", {},
            ...parts.flatMap(([heading, text]) => [
              element("dt", {}, heading), element("dd", {}, element("pre", {}, text)),
            ]),
          ),
        );
    });
    return element(
      "li", { class: kind }, element("span", { class: "step", title: `step ${step}` }, String(step)), details,
    );
  }
}
