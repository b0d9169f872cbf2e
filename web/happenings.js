// Happenings in words, for the time line.

/** @import { Happening } from "./protocol.js" */

/** What has happened, as it is told: happenings of one kind in a row are told together if there are many. */
const TOLD_ONE_BY_ONE = 3;
const NAMED_TOGETHER = 5;

/**
 * @typedef {object} Sentence
 * @property {string} text
 * @property {string} entity the entity that it is about, if it is one
 */

/**
 * @param {Happening[]} happenings
 * @returns {Sentence[]}
 */
export function tell(happenings) {
  /** @type {Map<string, Happening[]>} */
  const kinds = new Map();
  for (const happening of happenings) {
    const [kind = ""] = Object.keys(happening);
    kinds.set(kind, [...(kinds.get(kind) ?? []), happening]);
  }
  return [...kinds].flatMap(([kind, all]) => {
    const summary = all.length > TOLD_ONE_BY_ONE ? SUMMARIES[kind]?.(all) : undefined;
    return summary ? [{ text: summary, entity: "" }] : all.map(tellOne);
  });
}

/**
 * How things stand, as one sentence: what an observer is told who has just come.
 * @param {{ state: string, entities: number, agents: number }} standing
 */
export function tellStanding({ state, entities, agents }) {
  return `You watch from here: ${state}, ${counted(entities, "entity", "entities")}, ${counted(agents, "agent", "agents")}`;
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} many
 */
export function counted(count, one, many) {
  return `${count} ${count === 1 ? one : many}`;
}

/**
 * @param {Happening} happening
 * @returns {Sentence}
 */
function tellOne({ state, episode, new: born, taken, released, freed, deleted, registered, unregistered, announcement, outcome }) {
  const entity = (born ?? taken ?? released ?? freed ?? deleted)?.entity ?? "";
  return { text: inWords(), entity };

  function inWords() {
    if (state) return `The environment is ${state}`;
    if (episode) return `Episode ${episode.number} begins${episode.seed === undefined ? "" : `, with seed ${episode.seed}`}`;
    if (born) return `${entity} is there, a ${born.entityType}`;
    if (taken) return `${taken.agent} takes ${entity}`;
    if (released) return `${released.agent} lets go of ${entity}`;
    if (freed) return `${entity} is free`;
    if (deleted) return `${entity} is no more`;
    if (registered) return `The agent ${registered.agent} registers`;
    if (unregistered) return `The agent ${unregistered.agent} leaves`;
    if (announcement) return announcement.text;
    if (outcome) return outcome.ending ? `The episode is over: ${outcome.ending}` : "The episode is over";
    return "Something happens that this page does not know";
  }
}

/** @type {{ [kind: string]: (all: Happening[]) => string }} */
const SUMMARIES = {
  new: (all) => `${all.length} entities are there: ${some(all.map(({ new: born }) => born?.entity))}`,
  taken: (all) => `${all.length} entities are taken: ${some(all.map(({ taken }) => taken?.entity))}`,
  released: (all) => `Agents let go of ${all.length} entities: ${some(all.map(({ released }) => released?.entity))}`,
  freed: (all) => `${all.length} entities are free: ${some(all.map(({ freed }) => freed?.entity))}`,
  deleted: (all) => `${all.length} entities are no more: ${some(all.map(({ deleted }) => deleted?.entity))}`,
  registered: (all) => `${all.length} agents register: ${some(all.map(({ registered }) => registered?.agent))}`,
  unregistered: (all) => `${all.length} agents leave: ${some(all.map(({ unregistered }) => unregistered?.agent))}`,
};

/** @param {(string | undefined)[]} names */
function some(names) {
  const named = names.slice(0, NAMED_TOGETHER).join(", ");
  return names.length > NAMED_TOGETHER ? `${named}, …` : named;
}
