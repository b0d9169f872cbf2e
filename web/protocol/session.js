// The page's session with a server: it connects, resumes after lost connections, and keeps subscriptions.
// `npm run types` in `tests` makes the types of its messages, `protocol.d.ts`, from the schema of the protocol.

/** @import { Greeting, Methods, Notifications, Right, Role, Topic } from "./protocol.js" */

import { Connection, Refusal, notConnected } from "./connection.js";

const PROTOCOL = 2;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8000;

// In a hidden page, timers run only once a minute.
const PING_MS = 30_000;
const HEARTBEAT_MS = 5 * PING_MS;

// The times for the answers to a ping and to a greeting, after which the connection counts as lost: a phone may have
// changed its network. A server that doubts a token waits for some seconds before it answers.
const PING_PATIENCE_MS = 8000;
const GREETING_PATIENCE_MS = 30_000;

/**
 * The state of the session.
 * - `connecting`: for the first time, or again;
 * - `greeted`: there is a connection;
 * - `waiting`: the connection is lost; the next attempt is at `retryAt`;
 * - `refused`: the server rejected the page, and there is no automatic retry.
 * @typedef {object} Standing
 * @property {"connecting" | "greeted" | "waiting" | "refused"} phase
 * @property {string} reason the reason why there is no connection, if known
 * @property {boolean} wantsToken whether another token may help
 * @property {number} retryAt as for `performance.now()`
 */

/**
 * A subscription. It survives connections, and sessions.
 * @typedef {object} Subscription
 * @property {Topic} topic
 * @property {(params: any) => void} onNotification
 * @property {(why: Refusal) => void} refused
 * @property {number | null} number its number in the session, if known
 * @property {boolean} ended
 */

/** Dispatches `standing` whenever {@link Session.standing} has changed. */
export class Session extends EventTarget {
  /** @type {Standing} */
  standing = { phase: "connecting", reason: "", wantsToken: false, retryAt: 0 };
  /** @type {Greeting | null} */
  greeting = null;
  /** @type {Connection | null} */
  connection = null;
  /** @type {Set<Subscription>} */
  subscriptions = new Set();
  /** The numbers of subscriptions that the server was asked to end. @type {Set<number>} */
  ending = new Set();
  /** @type {string | null} */
  resume = null;
  pauseMs = FIRST_PAUSE_MS;
  retry = 0;
  beat = 0;
  /** The server's reason for closing. */
  closingReason = "";
  listening = new AbortController();

  /**
   * @param {string} url
   * @param {string | null} token
   * @param {Role} [role] its role; an observer with only the right to act becomes an agent
   */
  constructor(url, token, role = "observer") {
    super();
    this.url = url;
    this.token = token;
    this.purpose = role;
    this.role = role;
    const { signal } = this.listening;
    addEventListener("online", () => this.hurry(), { signal });
    document.addEventListener("visibilitychange", () => document.hidden || this.hurry(), { signal });
  }

  /** @param {Right} right */
  may(right) {
    return this.greeting?.rights.includes(right) ?? false;
  }

  connect() {
    clearTimeout(this.retry);
    this.stand("connecting");
    this.closingReason = "";
    /** @type {Connection} */
    const connection = new Connection(this.url, {
      opened: () => this.greet(connection),
      notified: (method, params) => connection === this.connection && this.notified(method, params),
      closed: () => connection === this.connection && this.lost(),
    });
    this.connection = connection;
  }

  /**
   * Opens a new session with another token, or without one.
   * @param {string | null} token
   */
  useToken(token) {
    this.token = token;
    this.role = this.purpose;
    this.resume = null;
    this.pauseMs = FIRST_PAUSE_MS;
    this.sayGoodbye();
    this.connect();
  }

  /** Ends the session; its agents are unregistered at once. */
  leave() {
    this.listening.abort();
    clearTimeout(this.retry);
    clearInterval(this.beat);
    this.sayGoodbye();
  }

  sayGoodbye() {
    const old = this.connection;
    this.connection = null;
    old?.call("bye", {}).catch(() => old.close());
  }

  /**
   * @template {keyof Methods} Method
   * @param {Method} method
   * @param {Methods[Method]["parameters"]} params
   * @returns {Promise<Methods[Method]["answer"]>} rejects with a {@link Refusal}
   */
  call(method, params) {
    return this.connection?.call(method, params) ?? Promise.reject(notConnected());
  }

  /**
   * @template {keyof Topic} Name
   * @param {{ [name in Name]: NonNullable<Topic[Name]> }} topic
   * @param {(params: Notifications[Name]) => void} onNotification
   * @param {(why: Refusal) => void} [refused]
   * @returns {() => void} ends it
   */
  subscribe(topic, onNotification, refused = () => {}) {
    /** @type {Subscription} */
    const subscription = { topic, onNotification, refused, number: null, ended: false };
    this.subscriptions.add(subscription);
    if (this.standing.phase === "greeted") this.ask(subscription);
    return () => this.end(subscription);
  }

  /** @param {Connection} connection */
  async greet(connection) {
    const { token, resume } = this;
    const hello = {
      protocol: PROTOCOL, role: this.role, client: "page", heartbeatMs: HEARTBEAT_MS, ...(token && { token }),
      ...(resume && { resume }),
    };
    try {
      const greeting = await inTime(connection, connection.call("hello", hello), GREETING_PATIENCE_MS);
      if (connection === this.connection) this.greeted(greeting);
    } catch (why) {
      if (connection === this.connection) this.notGreeted(/** @type {Refusal} */ (why));
    }
  }

  /** @param {Greeting} greeting */
  greeted(greeting) {
    this.greeting = greeting;
    this.resume = greeting.resume;
    this.pauseMs = FIRST_PAUSE_MS;
    clearInterval(this.beat);
    // Each third of the time that the server allows, so that a late ping is no harm.
    const pause = Math.min(PING_MS, (greeting.heartbeatMs ?? HEARTBEAT_MS) / 3);
    this.beat = setInterval(() => this.check(), pause);
    this.stand("greeted");
    for (const subscription of this.subscriptions) {
      if (!greeting.resumed) subscription.number = null;
      if (subscription.number === null) this.ask(subscription);
    }
  }

  /** @param {Refusal} why */
  notGreeted(why) {
    if (why.kind === "notConnected") return;
    if (this.resume && ["sessionEnded", "forbidden"].includes(why.kind)) return this.restart();
    if (why.kind === "forbidden" && this.role === "observer" && grants(why, "act")) return this.beginAs("agent");
    const wantsToken = ["unauthorized", "forbidden"].includes(why.kind);
    if (wantsToken || why.kind === "version") return this.giveUp(why.message, wantsToken);
    this.closingReason = why.message;
    this.connection?.close();
  }

  /** @param {Role} role */
  beginAs(role) {
    this.role = role;
    this.restart();
  }

  /** The session has ended; the next one is new. */
  restart() {
    const old = this.connection;
    this.connection = null;
    this.resume = null;
    old?.close();
    this.connect();
  }

  /**
   * @param {string} reason
   * @param {boolean} wantsToken
   */
  giveUp(reason, wantsToken) {
    const old = this.connection;
    this.connection = null;
    old?.close();
    this.greeting = null;
    this.stand("refused", { reason, wantsToken });
  }

  lost() {
    this.connection = null;
    const pause = this.pauseMs * (0.75 + Math.random() / 2);
    this.pauseMs = Math.min(2 * this.pauseMs, LONGEST_PAUSE_MS);
    this.retry = setTimeout(() => this.connect(), pause);
    this.stand("waiting", { reason: this.closingReason, retryAt: performance.now() + pause });
  }

  /** Retries at once instead of waiting for the end of the pause, or finds out whether there still is a connection. */
  hurry() {
    if (this.standing.phase === "waiting") this.connect();
    else if (this.standing.phase === "greeted") this.check();
  }

  /** Gives the connection up if the server does not answer a ping. */
  check() {
    const { connection } = this;
    if (connection) inTime(connection, connection.call("ping", {}), PING_PATIENCE_MS).catch(() => {});
  }

  /**
   * @param {string} method
   * @param {any} params
   */
  notified(method, params) {
    if (method === "closing") return this.closing(new Refusal(params.reason));
    const { subscription: number } = params;
    if (number === undefined) return;
    const subscription = [...this.subscriptions].find((one) => one.number === number);
    // Its end, or the response with its number, was lost with a connection.
    if (!subscription) this.unsubscribe(number);
    else if (method === "ended") this.ended(subscription, new Refusal(params.reason));
    else if (method in subscription.topic) subscription.onNotification(params);
  }

  /**
   * @param {Subscription} subscription
   * @param {Refusal} why
   */
  ended(subscription, why) {
    // It continues with the next session.
    if (why.kind === "shuttingDown") subscription.number = null;
    else this.refuse(subscription, why);
  }

  /** @param {Refusal} why */
  closing({ message, kind }) {
    this.closingReason = message;
    // Resuming would take the session away from the other client.
    if (kind === "takenOver") this.giveUp(message, false);
  }

  /** @param {Subscription} subscription */
  async ask(subscription) {
    const asked = this.connection;
    try {
      const { subscription: number } = await this.call("subscribe", { to: subscription.topic });
      if (asked !== this.connection) return;
      subscription.number = number;
      if (subscription.ended) this.end(subscription);
    } catch (why) {
      const refusal = /** @type {Refusal} */ (why);
      if (refusal.kind !== "notConnected" && !subscription.ended) this.refuse(subscription, refusal);
    }
  }

  /**
   * A subscription failed or ended; with other rights it may succeed.
   * @param {Subscription} subscription
   * @param {Refusal} why
   */
  refuse(subscription, why) {
    if (why.kind !== "forbidden") this.subscriptions.delete(subscription);
    subscription.number = null;
    subscription.refused(why);
  }

  /** @param {Subscription} subscription */
  end(subscription) {
    subscription.ended = true;
    this.subscriptions.delete(subscription);
    if (subscription.number !== null) this.unsubscribe(subscription.number);
    subscription.number = null;
  }

  /** @param {number} number */
  async unsubscribe(number) {
    if (this.ending.has(number)) return;
    this.ending.add(number);
    // The environment may have been removed, with its subscriptions.
    await this.call("unsubscribe", { subscription: number }).catch(() => {});
    this.ending.delete(number);
  }

  /** Waits for the greeting of the server. @returns {Promise<void>} rejects if there is no connection */
  whenGreeted() {
    return new Promise((resolve, reject) => {
      const look = () => {
        const { phase, reason } = this.standing;
        if (phase === "connecting") return;
        this.removeEventListener("standing", look);
        if (phase === "greeted") resolve();
        else reject(new Error(reason || "the server does not answer"));
      };
      this.addEventListener("standing", look);
      look();
    });
  }

  /**
   * @param {Standing["phase"]} phase
   * @param {Partial<Standing>} [more]
   */
  stand(phase, more = {}) {
    this.standing = { phase, reason: "", wantsToken: false, retryAt: 0, ...more };
    this.dispatchEvent(new Event("standing"));
  }
}

/**
 * Waits for an answer, and gives the connection up if it does not come in time.
 * @template Answer
 * @param {Connection} connection
 * @param {Promise<Answer>} answer
 * @param {number} patience in ms
 */
async function inTime(connection, answer, patience) {
  const late = setTimeout(() => connection.abandon(), patience);
  try {
    return await answer;
  } finally {
    clearTimeout(late);
  }
}

/**
 * Whether a token that does not suffice grants this right.
 * @param {Refusal} why
 * @param {Right} right
 */
function grants({ details }, right) {
  return Array.isArray(details) && details.includes(right);
}
