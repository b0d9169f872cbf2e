// The results of an episode as a table, with a row for each entity or group and a column for each measure.

/** @import { Measure, Outcome } from "../protocol/protocol.js" */
/** @import { Verdict } from "./ending.js" */

import { element, fill, find, say } from "../page/element.js";
import { printParameter } from "../protocol/terms.js";

export class ResultsView {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.ending = find(root, "[data-part=ending]", HTMLElement);
    this.place = find(root, "[data-part=table]", HTMLElement);
    /** @type {Outcome | null} */
    this.shown = null;
    /** @type {Verdict | null} */
    this.verdict = null;
  }

  /**
   * @param {Outcome | null} outcome
   * @param {Verdict | null} verdict
   */
  show(outcome, verdict) {
    if (outcome === this.shown && verdict === this.verdict) return;
    if (verdict !== this.verdict) this.arrange(verdict);
    this.shown = outcome;
    this.root.hidden = outcome === null;
    if (!outcome) return;
    say(this.ending, verdict ? `${verdict.title}. ${verdict.text}` : (outcome.ending ?? ""));
    fill(this.place, outcome.results.length > 0 ? resultsTable(outcome.results) : element("p", { class: "nothing" }, "There are no results."));
  }

  /** A decided outcome stands before everything else, and others at the end. @param {Verdict | null} verdict */
  arrange(verdict) {
    this.verdict = verdict;
    this.root.dataset["kind"] = verdict?.kind ?? "";
    const article = this.root.parentElement;
    const head = article?.querySelector(":scope > header");
    if (verdict) head?.after(this.root);
    else article?.querySelector(":scope > .reference")?.before(this.root);
  }
}

/**
 * A table with a row for each owner of a measure.
 * @param {Measure[]} results
 */
export function resultsTable(results) {
  const [owners, names] = [distinct(results.map(({ of }) => of)), distinct(results.map(({ name }) => name))];
  /** @type {Map<string, Measure>} */
  const measures = new Map(results.map((measure) => [JSON.stringify([measure.of, measure.name]), measure]));
  const heads = ["", ...names].map((name) => element("th", { scope: "col" }, name));
  const rows = owners.map((owner) => {
    const cells = names.map((name) => cell(measures.get(JSON.stringify([owner, name]))));
    return element("tr", {}, element("th", { scope: "row" }, owner), ...cells);
  });
  return element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
}

/** @param {Measure | undefined} measure */
function cell(measure) {
  if (!measure) return element("td");
  const { value } = measure;
  if (typeof value !== "number") return element("td", {}, printParameter(value));
  return element("td", { class: "number", title: String(value) }, value.toLocaleString("en", { maximumFractionDigits: 3 }));
}

/** @param {string[]} names */
function distinct(names) {
  return [...new Set(names)];
}
