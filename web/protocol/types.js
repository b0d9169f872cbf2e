// Types of an ontology: resolving names, and short descriptions.

/** @import { Delivery, Field, Ontology, Pace, Signature, Type } from "./protocol.js" */

/** The types of an ontology by name. @typedef {Ontology["types"]} NamedTypes */

/** Maximum length of a chain of names. */
const LONGEST_CHAIN = 32;

/**
 * Resolves a named type.
 * @param {Type} type
 * @param {NamedTypes} types
 * @returns {Type}
 */
export function resolve(type, types) {
  let meant = type;
  // The ontology of a host may contain cycles and long chains of names.
  for (let steps = 0; steps < LONGEST_CHAIN; steps += 1) {
    if (typeof meant !== "object" || !("named" in meant)) return meant;
    meant = (Object.hasOwn(types, meant.named) ? types[meant.named]?.type : undefined) ?? "any";
  }
  return "any";
}

/**
 * @param {Type} type
 * @returns {string}
 */
export function sayType(type) {
  if (type === "any") return "any parameter";
  if (type === "truthValue") return "true|false";
  if (typeof type === "string") return type;
  if ("choice" in type) return type.choice.map(({ name }) => name).join("|");
  if ("integer" in type) return sayInteger(type.integer);
  if ("list" in type) return `list of ${sayType(type.list)}`;
  if ("function" in type) return saySignature(type.function);
  return type.named;
}

/** @param {Signature} signature */
export function saySignature({ name, parameters }) {
  return parameters.length === 0 ? name : `${name}(${parameters.map(sayField).join(", ")})`;
}

/** @param {Delivery} delivery */
export function sayDelivery(delivery) {
  return DELIVERIES[delivery] ?? delivery;
}

/** @param {Pace} pace */
export function sayPace(pace) {
  if (typeof pace === "object") return `It runs in real time, ${pace.realTime.stepsPerSecond} steps per second.`;
  return PACES[pace] ?? "";
}

/** @param {Ontology["relation"]} relation */
export function sayRelation({ oneAgentPerEntity, oneEntityPerAgent }) {
  if (oneAgentPerEntity && oneEntityPerAgent)
    return "Each entity has at most one agent, and each agent at most one entity.";
  if (oneAgentPerEntity) return "Each entity has at most one agent.";
  if (oneEntityPerAgent) return "Each agent has at most one entity.";
  return "Entities may have any number of agents, and agents any number of entities.";
}

/** @type {{ [delivery: string]: string }} */
const DELIVERIES = {
  once: "once",
  onChange: "on change",
  onChangeWithNegation: "on change with negation",
  always: "always",
  event: "as an event",
};

/** @type {{ [pace: string]: string }} */
const PACES = {
  reactive: "Each action advances time by one step.",
  lockstep: "A step is made when all agents have acted.",
  own: "It has its own clock.",
};

/** @param {Field} field */
function sayField({ name, optional, type, range }) {
  const [mark, bounds] = [optional ? "?" : "", range ? ` ${range.minimum}..${range.maximum}` : ""];
  return type === "identifier" ? `${name}${mark}` : `${name}${mark}: ${sayType(type)}${bounds}`;
}

/**
 * Omits bounds that only reflect the storage of a number.
 * @param {{ minimum: number, maximum: number }} bounds
 */
function sayInteger({ minimum, maximum }) {
  const [low, high] = [minimum <= -(2 ** 31), maximum >= 2 ** 31 - 1];
  if (low && high) return "integer";
  if (low) return `integer ..${maximum}`;
  return high ? `integer ${minimum}..` : `integer ${minimum}..${maximum}`;
}
