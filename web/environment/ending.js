// How an episode stands for people: whether the task is completed, has failed or can no longer be completed.

/** @import { Happening, Outcome } from "../protocol/protocol.js" */

/** @typedef {{ kind: "completed" | "failed" | "unsolvable" | "over", title: string, text: string }} Verdict */

/** The announcements that decide about a task, with their titles. */
const TITLES = {
  completed: "Well done: the task is completed",
  failed: "The task has failed",
  unsolvable: "The task can no longer be completed",
};

/** @type {Verdict} */
const COMPLETED = { kind: "completed", title: TITLES.completed, text: "Everything is done." };
/** @type {Verdict} */
const UNSOLVABLE = { kind: "unsolvable", title: TITLES.unsolvable, text: "Something that it needs is lost." };
/** @type {Verdict} */
const FAILED = { kind: "failed", title: TITLES.failed, text: "It ended before everything was done." };
/** @type {Verdict} */
const FAILED_IN_TIME = { kind: "failed", title: TITLES.failed, text: "The time is up." };
/** @type {Verdict} */
const TERMINATED = { kind: "over", title: "The episode is over", text: "Its end is reached." };
/** @type {Verdict} */
const TRUNCATED = { kind: "over", title: "The episode is over", text: "The time is up." };

/**
 * Returns the verdict of a happening, if it is one.
 * @param {Happening} happening
 * @returns {Verdict | null}
 */
export function verdictOf({ announcement, outcome }) {
  if (announcement && Object.hasOwn(TITLES, announcement.name)) {
    const kind = /** @type {keyof typeof TITLES} */ (announcement.name);
    return { kind, title: TITLES[kind], text: sentence(announcement.text) };
  }
  return outcome ? verdictOfOutcome(outcome) : null;
}

/**
 * Returns the verdict that follows from results, since players get no announcements: measures say whether the task is `completed` and
 * `solvable`. An episode that ends without being completed has failed.
 * @param {Outcome} outcome
 * @returns {Verdict | null}
 */
export function verdictOfOutcome({ ending, results }) {
  const is = (/** @type {string} */ name) => results.find((measure) => measure.name === name)?.value;
  if (is("completed") === true) return COMPLETED;
  if (is("solvable") === false) return UNSOLVABLE;
  if (ending === null) return null;
  if (is("completed") === false) return ending === "truncated" ? FAILED_IN_TIME : FAILED;
  return ending === "truncated" ? TRUNCATED : TERMINATED;
}

/** @param {string} text */
function sentence(text) {
  const begun = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
