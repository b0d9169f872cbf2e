// The remarks of language models as an observer sees them: their calls, what they were told, and their costs.

/** @import { RemarkSeen } from "../protocol/protocol.js" */

import { counted } from "../environment/happenings.js";

/** The number of remarks that are shown. */
export const MOST_REMARKS = 400;

/** The number of agents whose costs are shown. */
const MOST_AGENTS = 100;

/**
 * A remark that is shown: a call of a tool, a thought (a request to the model, with its answer), or another one.
 * @typedef {object} Line
 * @property {number} number
 * @property {string} agent
 * @property {number} episode
 * @property {number} step
 * @property {"call" | "wrong" | "thought" | "other"} kind
 * @property {string} title
 * @property {string} gist the beginning of what follows from it
 * @property {[heading: string, text: string][]} parts everything about it
 */

/** The costs of an agent so far. @typedef {{ calls?: Costs, thoughts?: Costs }} Spent */

/** @typedef {{ [name: string]: unknown }} Costs */

export class Transcript {
  /** @type {Line[]} */
  lines = [];
  /** @type {Map<string, Spent>} */
  spent = new Map();
  last = 0;
  /** The number of remarks that are no longer shown. */
  dropped = 0;

  clear() {
    this.lines = [];
    this.spent.clear();
    this.last = 0;
    this.dropped = 0;
  }

  /**
   * Adds remarks, except those that it has: after a lost connection, the server sends some again.
   * @param {RemarkSeen[]} remarks
   * @param {number} lost
   */
  add(remarks, lost) {
    this.dropped += lost;
    for (const seen of remarks) {
      if (seen.number <= this.last) continue;
      this.last = seen.number;
      this.lines.push(lineOf(seen));
      this.count(seen);
    }
    const surplus = this.lines.length - MOST_REMARKS;
    if (surplus <= 0) return;
    this.lines.splice(0, surplus);
    this.dropped += surplus;
  }

  /** @param {RemarkSeen} seen */
  count({ agent, remark }) {
    const { called, soFar } = objectOf(remark);
    if (soFar === undefined) return;
    const spent = this.spent.get(agent) ?? {};
    if (this.spent.size >= MOST_AGENTS && !this.spent.has(agent)) return;
    this.spent.set(agent, { ...spent, [called === undefined ? "thoughts" : "calls"]: objectOf(soFar) });
  }

  /** Returns what each agent has cost so far, in words. @returns {[agent: string, costs: string][]} */
  costs() {
    return [...this.spent].map(([agent, spent]) => [agent, costsOf(spent)]);
  }
}

/** @param {Spent} spent */
function costsOf({ calls, thoughts }) {
  const words = [];
  if (thoughts) {
    words.push(counted(number(thoughts["requests"]), "request", "requests"));
    words.push(`${tokens(thoughts)} tokens`, `${seconds(thoughts["seconds"])} of thought`);
  }
  if (calls) {
    const wrong = number(calls["wrongCalls"]);
    words.push(counted(number(calls["calls"]), "call", "calls") + (wrong > 0 ? ` (${wrong} wrong)` : ""));
    words.push(`${number(calls["characters"]).toLocaleString("en")} characters told`);
    if (!thoughts) words.push(`${seconds(calls["seconds"])} in calls`);
  }
  return words.join(" · ");
}

/** @param {RemarkSeen} seen @returns {Line} */
function lineOf({ number: of, agent, moment: { episode, step }, remark }) {
  const about = { number: of, agent, episode, step };
  const given = objectOf(remark);
  if (typeof given["called"] === "string") {
    const { called, arguments: values, told, isWrong, seconds: took } = given;
    const text = textOf(told);
    const parts = [
      ["Arguments", withValues(values)], ["Told", text], ["Took", seconds(took)],
    ];
    return {
      ...about, kind: isWrong === true ? "wrong" : "call", title: `${called}${briefly(values)}`, gist: gistOf(text),
      parts: filled(parts),
    };
  }
  if (given["answered"] !== undefined || given["error"] !== undefined) {
    const { answered, error, received, seconds: took } = given;
    const said = textOf(objectOf(answered)["content"]);
    const messages = Array.isArray(received)
      ? received.map(objectOf).map(({ role, content }) => [`From ${textOf(role)}`, textOf(content)])
      : [];
    const title = error === undefined ? `thought ${seconds(took)} · ${tokens(given)} tokens` : "no answer";
    const parts = [...messages, ["Answered", said], ["Error", textOf(error)]];
    return {
      ...about, kind: error === undefined ? "thought" : "wrong", title, gist: gistOf(said || textOf(error)),
      parts: filled(parts),
    };
  }
  if (typeof given["left"] === "string") {
    const reason = given["left"];
    const parts = filled([["Reason", reason]]);
    return { ...about, kind: "other", title: "left the environment", gist: gistOf(reason), parts };
  }
  return { ...about, kind: "other", title: "remark", gist: "", parts: filled([["Remark", withValues(remark)]]) };
}

/** @param {string[][]} parts @returns {[string, string][]} */
function filled(parts) {
  return parts.flatMap(([heading = "", text = ""]) => (text === "" ? [] : [[heading, text]]));
}

/** The arguments of a call in one line. @param {unknown} values */
function briefly(values) {
  const words =
    typeof values === "string"
      ? [values]
      : Object.entries(objectOf(values)).map(
          ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
        );
  return words.length > 0 ? ` ${words.join(", ").slice(0, 200)}` : "";
}

/** The first line that says more than the step, cut to what fits into a line. @param {string} text */
function gistOf(text) {
  const [first = "", ...others] = text.split("\n");
  const rest = others.slice(0, 3).join(" ");
  return `${first} ${rest}`.trim().slice(0, 160);
}

/** @param {unknown} value */
function withValues(value) {
  if (typeof value === "string") return value;
  return Object.keys(objectOf(value)).length === 0 ? "" : JSON.stringify(value, null, 1);
}

/** @param {unknown} value */
function textOf(value) {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** @param {unknown} value @returns {Costs} */
function objectOf(value) {
  return typeof value === "object" && value !== null ? /** @type {Costs} */ (value) : {};
}

/** @param {unknown} value */
function number(value) {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** @param {Costs} costs */
function tokens({ promptTokens, completionTokens }) {
  return `${number(promptTokens).toLocaleString("en")} + ${number(completionTokens).toLocaleString("en")}`;
}

/** @param {unknown} value */
function seconds(value) {
  return `${number(value).toFixed(1)} s`;
}
