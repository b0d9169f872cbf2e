// One connection to a server: JSON-RPC 2.0 over a WebSocket, calls with answers, and notifications.

/** @import { Error as WireError, Methods } from "./protocol.js" */

/** The error of a call that the server rejected, or that could not be made. */
export class Refusal extends Error {
  /** @param {WireError} error */
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    const { kind = "", details } = /** @type {{ kind?: string, details?: unknown }} */ (data ?? {});
    this.kind = kind;
    /** Data about the error for programs; its form depends on the kind. */
    this.details = details;
  }
}

/** The error of a call without a connection. */
export function notConnected() {
  return new Refusal({ code: 0, message: "there is no connection to the server", data: { kind: "notConnected" } });
}

/** @typedef {{ resolve: (answer: any) => void, reject: (why: Refusal) => void }} Waiting */

export class Connection {
  /**
   * @param {string} url
   * @param {object} listeners
   * @param {() => void} listeners.opened
   * @param {(method: string, params: any) => void} listeners.notified
   * @param {() => void} listeners.closed called once, also if the connection could not be opened
   */
  constructor(url, { opened, notified, closed }) {
    /** @type {Map<number, Waiting>} */
    this.waiting = new Map();
    this.lastId = 0;
    this.notified = notified;
    this.closed = closed;
    this.isOver = false;
    this.socket = new WebSocket(url);
    this.socket.addEventListener("open", opened);
    this.socket.addEventListener("message", (message) => this.receive(JSON.parse(message.data)));
    this.socket.addEventListener("close", () => this.end());
  }

  /** Rejects the calls that wait, once. */
  end() {
    if (this.isOver) return;
    this.isOver = true;
    for (const call of this.waiting.values()) call.reject(notConnected());
    this.waiting.clear();
    this.closed();
  }

  /**
   * @template {keyof Methods} Method
   * @param {Method} method
   * @param {Methods[Method]["parameters"]} params
   * @returns {Promise<Methods[Method]["answer"]>} rejects with a {@link Refusal}
   */
  call(method, params) {
    return new Promise((resolve, reject) => {
      if (this.socket.readyState !== WebSocket.OPEN) return reject(notConnected());
      const id = (this.lastId += 1);
      this.waiting.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  close() {
    this.socket.close();
  }

  /** Ends a connection whose other side does not answer. The browser would wait for it. */
  abandon() {
    this.close();
    this.end();
  }

  /** @param {{ id?: number | null, method?: string, params?: any, result?: any, error?: WireError }} message */
  receive({ id, method, params, result, error }) {
    if (method !== undefined) return this.notified(method, params);
    const call = typeof id === "number" ? this.waiting.get(id) : undefined;
    if (!call) return;
    this.waiting.delete(/** @type {number} */ (id));
    if (error) call.reject(new Refusal(error));
    else call.resolve(result);
  }
}
