// A mailbox of the user of this page: an agent without an environment, in the session of the page.

/** @import { AclMessage, MessageReceived } from "../protocol/protocol.js" */
/** @import { Session } from "../protocol/session.js" */

/** The number of messages that are kept. */
const MOST_LETTERS = 200;

/**
 * A message that was received, or sent.
 * @typedef {{ number: number, message: AclMessage, time: number, isMine: boolean }} Letter
 */

export class Mailbox {
  /** @type {Letter[]} */
  letters = [];
  /** The number of the last message that has arrived. */
  last = 0;
  isOpen = false;
  endSubscription = () => {};

  /**
   * @param {Session} session
   * @param {string} agent the name
   * @param {() => void} changed called when a message has arrived, or the mailbox was closed
   */
  constructor(session, agent, changed) {
    this.session = session;
    this.agent = agent;
    this.changed = changed;
  }

  /** Opens the mailbox. It can be repeated: after a lost connection, the session may be a new one. */
  async open() {
    // The page can be used before the server has greeted it.
    await this.session.whenGreeted();
    await this.session.call("openMailbox", { agent: this.agent });
    // In a new session, numbers may begin again.
    if (!this.session.greeting?.resumed) this.last = 0;
    if (this.isOpen) return;
    this.isOpen = true;
    this.endSubscription = this.session.subscribe(
      { mail: { agent: this.agent } },
      ({ messages }) => this.receive(messages),
      () => {
        this.isOpen = false;
        this.changed();
      },
    );
  }

  /** @param {MessageReceived[]} messages */
  receive(messages) {
    for (const { number, message, time } of messages) {
      // After a lost connection, the server sends messages again.
      if (number <= this.last) continue;
      this.last = number;
      this.keep({ number, message, time, isMine: false });
    }
    this.session.call("acknowledgeMail", { agent: this.agent, number: this.last }).catch(() => {});
    this.changed();
  }

  /** Sends a message. @param {AclMessage} message */
  async send(message) {
    const { time } = await this.session.call("send", { agent: this.agent, message });
    this.keep({ number: 0, message: { ...message, sender: this.agent }, time, isMine: true });
    this.changed();
  }

  close() {
    this.endSubscription();
    this.isOpen = false;
    this.session.call("closeMailbox", { agent: this.agent }).catch(() => {});
  }

  /** @param {Letter} letter */
  keep(letter) {
    this.letters.push(letter);
    if (this.letters.length > MOST_LETTERS) this.letters.shift();
  }
}
