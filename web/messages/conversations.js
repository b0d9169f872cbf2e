// Messages between agents as an observer sees them: the last ones, with the agents that they concern.

/** @import { AclAgent, AclMessage, AclValue, MessageSeen } from "../protocol/protocol.js" */

/** The number of messages that are shown. */
export const MOST_MESSAGES = 1000;

/** The number of agents that have a line of their own. */
export const MOST_AGENTS = 30;

/** The name of the line for all further agents. */
export const OTHERS = "…";

/** The number of conversations and names that can be chosen. */
const MOST_KNOWN = 100;

/** Acts by which an agent declines or reports a failure. */
const NEGATIVE = new Set(["cancel", "disconfirm", "failure", "not-understood", "refuse", "reject-proposal"]);

/**
 * A message that is shown.
 * @typedef {MessageSeen & { id: string, from: string, to: string[], conversation: string, isNegative: boolean }} Shown
 */

/**
 * A conversation, with the number of its first message.
 * @typedef {{ number: number, id: string, protocol: string, messages: number, violations: number }} Conversation
 */

/** @param {AclAgent} agent */
export function nameOf(agent) {
  return typeof agent === "string" ? agent : agent.name;
}

/** Returns a value of a message as text. @param {AclValue | undefined} value @returns {string} */
export function textOf(value) {
  if (value === undefined || typeof value === "string") return value ?? "";
  if (value.list) return `(${value.list.map(textOf).join(" ")})`;
  return value.string ?? value.number ?? value.time ?? value.bytes ?? "";
}

/** Returns the content of a message as text. @param {AclMessage} message */
export function contentOf({ content }) {
  return typeof content === "object" ? `${content.bytes} (bytes in base64)` : (content ?? "");
}

export class Conversations {
  /** @type {Shown[]} */
  messages = [];
  /** The agents with a line, in the order of their first messages. @type {string[]} */
  agents = [];
  /** The conversations that can be chosen, the latest last. @type {Map<string, Conversation>} */
  known = new Map();
  /** The names that can be chosen. @type {Set<string>} */
  names = new Set();
  /** @type {Set<string>} */
  protocols = new Set();
  last = 0;
  /** The number of the last message that was counted, under any filter. */
  counted = 0;
  /** The number of messages that are no longer shown. */
  dropped = 0;

  /** Removes the messages; names and conversations can still be chosen. */
  clear() {
    this.messages = [];
    this.agents = [];
    this.last = 0;
    this.dropped = 0;
  }

  /**
   * Adds messages, except those that it has: after a lost connection, the server sends some again.
   * @param {MessageSeen[]} messages
   * @param {number} lost
   */
  add(messages, lost) {
    this.dropped += lost;
    for (const seen of messages) {
      if (seen.number <= this.last) continue;
      this.last = seen.number;
      const { message } = seen;
      const from = message.sender === undefined ? OTHERS : nameOf(message.sender);
      const to = [...new Set((message.receivers ?? []).map(nameOf))];
      const conversation = textOf(message.conversationId);
      this.messages.push({
        ...seen, id: `message-${seen.number}`, from, to, conversation, isNegative: NEGATIVE.has(message.performative),
      });
      this.count(seen, conversation, [from, ...to]);
    }
    const surplus = this.messages.length - MOST_MESSAGES;
    if (surplus > 0) {
      this.messages.splice(0, surplus);
      this.dropped += surplus;
    }
    this.agents = linesOf(this.messages, this.agents);
  }

  /**
   * @param {MessageSeen} seen
   * @param {string} id
   * @param {string[]} names
   */
  count({ number, message, violations = [] }, id, names) {
    if (number <= this.counted) return;
    this.counted = number;
    for (const name of names) remember(this.names, name);
    if (message.protocol) remember(this.protocols, message.protocol);
    if (!id) return;
    const conversation = this.known.get(id) ?? { number, id, protocol: "", messages: 0, violations: 0 };
    conversation.protocol = message.protocol ?? conversation.protocol;
    conversation.messages += 1;
    conversation.violations += violations.length;
    this.known.delete(id);
    this.known.set(id, conversation);
    if (this.known.size > MOST_KNOWN) this.known.delete(/** @type {string} */ (this.known.keys().next().value));
  }

  /** Returns the index of an agent's line. @param {string} agent */
  lineOf(agent) {
    const place = this.agents.indexOf(agent);
    return place >= 0 ? place : this.agents.length - 1;
  }
}

/**
 * Returns the agents of these messages, those that had a line first; beyond the limit, one line for all others.
 * @param {Shown[]} messages
 * @param {string[]} before
 */
function linesOf(messages, before) {
  const present = new Set(messages.flatMap(({ from, to }) => [from, ...to]));
  const kept = before.filter((agent) => agent !== OTHERS && present.has(agent));
  const all = [...new Set([...kept, ...present])];
  return all.length > MOST_AGENTS ? [...all.slice(0, MOST_AGENTS - 1), OTHERS] : all;
}

/** @param {Set<string>} names @param {string} name */
function remember(names, name) {
  if (names.size < MOST_KNOWN) names.add(name);
}
