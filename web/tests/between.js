// Visits to the page with a proxy between it and its server, for tests.

import { visit } from "./visit.js";

/** A proxy between the page and its server, which records messages and can change them. */
class Between {
  /** The messages of the page and of the server. @type {any[]} */
  sent = [];
  received = [];
  greeting = {};
  /** Whether the server rejects connections. */
  isClosed = false;
  /** The error with which the server answers `hello`, if any. */
  refuse = null;
  changeSent = () => {};
  changeReceived = () => {};

  async stand(page) {
    await page.routeWebSocket(/\/ws$/, (socket) => {
      if (this.isClosed) return socket.close();
      this.socket = socket;
      const server = socket.connectToServer();
      socket.onMessage((text) => {
        const message = JSON.parse(text);
        this.changeSent(message, socket);
        this.sent.push(message);
        if (!this.refuse) return server.send(JSON.stringify(message));
        socket.send(JSON.stringify({ jsonrpc: "2.0", id: message.id, error: this.refuse }));
        return socket.close();
      });
      server.onMessage((text) => {
        const message = JSON.parse(text);
        this.changeReceived(message);
        this.received.push(message);
        if (message.result?.resume) this.greeting = message.result;
        socket.send(JSON.stringify(message));
      });
    });
  }

  tell(method, params) {
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  /** Ends all subscriptions except those to the list of environments. */
  endSubscriptions(reason) {
    const received = this.received.filter(({ method }) => ["scene", "happenings", "activity"].includes(method));
    for (const subscription of new Set(received.map(({ params }) => params.subscription))) {
      this.tell("ended", { subscription, reason, time: 0 });
    }
  }

  last(method) {
    return this.received.findLast((message) => message.method === method).params;
  }

  cut() {
    return this.socket.close({ code: 1001 });
  }
}

/**
 * Opens the page behind a proxy.
 * @param {string} address
 * @param {object} settings of the proxy
 * @param {(page: import("playwright-core").Page, between: Between) => Promise<void>} act
 */
export async function visitBetween(address, settings, act) {
  const between = Object.assign(new Between(), settings);
  await visit(address, { prepare: (page) => between.stand(page) }, (page) => act(page, between));
}
