// Happenings as sentences, for the time line.

/** @import { Happening } from "../protocol/protocol.js" */

/** From this number on, consecutive happenings of one kind become one sentence. */
const TOLD_ONE_BY_ONE = 3;
const NAMED_TOGETHER = 5;

/**
 * @typedef {object} Sentence
 * @property {string} text
 * @property {string} entity the entity, if it concerns one
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
 * The current state in one sentence, for an observer who has just connected.
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
    if (born) return `${entity} was created (${born.entityType})`;
    if (taken) return `${taken.agent} takes ${entity}`;
    if (released) return `${released.agent} frees ${entity}`;
    if (freed) return `${entity} is free`;
    if (deleted) return `${entity} was deleted`;
    if (registered) return `Agent ${registered.agent} registers`;
    if (unregistered) return `Agent ${unregistered.agent} leaves`;
    if (announcement) return announcement.text;
    if (outcome) return outcome.ending ? `The episode is over: ${outcome.ending}` : "The episode is over";
    return "An event that this page does not know";
  }
}

/** @type {{ [kind: string]: (all: Happening[]) => string }} */
const SUMMARIES = {
  new: (all) => `${all.length} entities were created: ${some(all.map(({ new: born }) => born?.entity))}`,
  taken: (all) => `${all.length} entities are taken: ${some(all.map(({ taken }) => taken?.entity))}`,
  released: (all) => `Agents free ${all.length} entities: ${some(all.map(({ released }) => released?.entity))}`,
  freed: (all) => `${all.length} entities are free: ${some(all.map(({ freed }) => freed?.entity))}`,
  deleted: (all) => `${all.length} entities were deleted: ${some(all.map(({ deleted }) => deleted?.entity))}`,
  registered: (all) => `${all.length} agents register: ${some(all.map(({ registered }) => registered?.agent))}`,
  unregistered: (all) => `${all.length} agents leave: ${some(all.map(({ unregistered }) => unregistered?.agent))}`,
};

/** @param {(string | undefined)[]} names */
function some(names) {
  const named = names.slice(0, NAMED_TOGETHER).join(", ");
  return names.length > NAMED_TOGETHER ? `${named}, …` : named;
}
