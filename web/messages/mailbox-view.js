// Reading and sending messages in the name of a mailbox. It stays open while the page shows something else.

/** @import { AclMessage } from "../protocol/protocol.js" */
/** @import { Letter } from "./mailbox.js" */
/** @import { Session } from "../protocol/session.js" */

import { contentOf, nameOf, textOf } from "./conversations.js";
import { button, element, fill, find, instantiate, say } from "../page/element.js";
import { inNextFrame } from "../page/frame.js";
import { renderMessage } from "../page/markdown.js";
import { Mailbox } from "./mailbox.js";
import { announce } from "../page/notice.js";

const ACTS = [
  "inform",
  "request",
  "query-if",
  "query-ref",
  "cfp",
  "propose",
  "accept-proposal",
  "reject-proposal",
  "agree",
  "refuse",
  "failure",
  "not-understood",
  "subscribe",
  "cancel",
  "confirm",
  "disconfirm",
];

const CANNOT = "Sending messages needs a token with the right to act.";

export class MailboxView {
  root = instantiate("mailbox");
  /** @type {Mailbox | null} */
  mailbox = null;
  /** The message to which the user answers. @type {AclMessage | null} */
  answered = null;
  /** Whether a form was submitted, and has no answer yet. */
  isBusy = false;

  /** @param {Session} session */
  constructor(session) {
    const { root } = this;
    this.session = session;
    this.render = this.render.bind(this);
    this.remark = find(root, "[data-part=mail-remark]", HTMLElement);
    this.opening = find(root, "[data-part=opening]", HTMLFormElement);
    this.name = find(root, "[data-part=own-name]", HTMLInputElement);
    this.opened = find(root, "[data-part=opened]", HTMLElement);
    this.who = find(root, "[data-part=who]", HTMLElement);
    this.letters = find(root, "[data-part=letters]", HTMLElement);
    this.writing = find(root, "[data-part=writing]", HTMLFormElement);
    this.trouble = find(root, "[data-part=mail-trouble]", HTMLElement);
    this.act = this.field("act", HTMLSelectElement);
    this.to = this.field("to", HTMLInputElement);
    this.content = this.field("content", HTMLTextAreaElement);
    this.protocol = this.field("protocol", HTMLInputElement);
    this.conversation = this.field("conversation", HTMLInputElement);
    fill(this.act, ...ACTS.map((act) => element("option", {}, act)));
    this.whenSubmitted(this.opening, () => this.open(this.name.value.trim()));
    this.whenSubmitted(this.writing, () => this.send());
    find(root, "[data-part=close]", HTMLButtonElement).addEventListener("click", () => this.closeMailbox());
    this.render();
  }

  /** @template {HTMLElement} Kind @param {string} name @param {new () => Kind} kind @returns {Kind} */
  field(name, kind) {
    return find(this.writing, `[name=${name}]`, kind);
  }

  /** Scrolls to the last message; an element that is not in the page forgets where it was. */
  showLatest() {
    this.letters.scrollTop = this.letters.scrollHeight;
  }

  /** The connection was opened or lost; rights may have changed. */
  reflectSession() {
    // A new session has no mailbox yet.
    if (this.session.standing.phase === "greeted" && this.mailbox) this.attempt(() => this.mailbox?.open());
    this.render();
  }

  render() {
    const { mailbox, session } = this;
    const cannot = session.standing.phase === "greeted" && !session.may("act");
    say(this.remark, cannot ? CANNOT : "");
    this.remark.hidden = !cannot;
    this.opening.hidden = cannot || mailbox !== null;
    this.opened.hidden = cannot || mailbox === null;
    if (!mailbox) return;
    say(this.who, mailbox.agent);
    const shown = new Set(this.letters.querySelectorAll("li"));
    const rows = mailbox.letters.map((letter) => this.row(letter));
    for (const row of shown) if (!rows.includes(row)) row.remove();
    const isAtEnd = this.letters.scrollTop + this.letters.clientHeight >= this.letters.scrollHeight - 40;
    for (const row of rows) if (row.parentNode !== this.letters) this.letters.append(row);
    if (isAtEnd) this.showLatest();
  }

  /** The rows of messages that are shown. @type {WeakMap<Letter, HTMLLIElement>} */
  drawn = new WeakMap();

  /** @param {Letter} letter */
  row(letter) {
    const known = this.drawn.get(letter);
    if (known) return known;
    const { message, isMine } = letter;
    const others = isMine
      ? (message.receivers ?? []).map(nameOf).join(", ")
      : message.sender === undefined
        ? ""
        : nameOf(message.sender);
    const conversation = textOf(message.conversationId);
    const facts = [message.protocol, conversation].filter((fact) => fact).join(" · ");
    const answer = button("Answer", () => this.answer(message), { class: "quiet", "aria-label": `Answer ${others}` });
    const head = element(
      "p", { class: "letter-head" }, element("b", {}, isMine ? `You to ${others}` : others), " ",
      element("span", { class: "act" }, message.performative),
    );
    const content = contentOf(message);
    const row = element(
      "li",
      { class: isMine ? "mine" : "" },
      head,
      content && element("p", { class: "letter-content" }, content),
      facts && element("p", { class: "letter-facts" }, facts),
      !isMine && answer,
    );
    this.drawn.set(letter, row);
    if (!isMine) announce(`${message.performative} from ${others}`);
    return row;
  }

  /** @param {string} agent */
  async open(agent) {
    if (!agent) throw new Error("enter a name first");
    const mailbox = new Mailbox(this.session, agent, () => inNextFrame(this.render));
    await mailbox.open();
    this.mailbox = mailbox;
    this.render();
    this.to.focus();
  }

  closeMailbox() {
    this.mailbox?.close();
    this.mailbox = null;
    this.answered = null;
    fill(this.letters);
    this.render();
    this.name.focus();
  }

  /** Prepares an answer. @param {AclMessage} message */
  answer(message) {
    this.answered = message;
    const receivers = message.replyTo ?? (message.sender === undefined ? [] : [message.sender]);
    this.to.value = receivers.map(nameOf).join(", ");
    this.protocol.value = message.protocol ?? "";
    this.conversation.value = textOf(message.conversationId);
    this.content.focus();
  }

  async send() {
    const { mailbox, answered } = this;
    const receivers = this.to.value
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    if (!mailbox) return;
    const [content, protocol, conversationId] = [
      this.content.value, this.protocol.value.trim(), this.conversation.value.trim(),
    ];
    const isAnswer = answered !== null && textOf(answered.conversationId) === conversationId;
    await mailbox.send({
      performative: this.act.value,
      receivers,
      ...(content && { content }),
      ...(protocol && { protocol }),
      ...(conversationId && {
        conversationId: isAnswer && answered.conversationId !== undefined ? answered.conversationId : conversationId,
      }),
      ...(isAnswer && answered.replyWith !== undefined && { inReplyTo: answered.replyWith }),
      ...(isAnswer && answered.language !== undefined && { language: answered.language }),
      ...(isAnswer && answered.ontology !== undefined && { ontology: answered.ontology }),
    });
    this.content.value = "";
    this.answered = null;
  }

  /** @param {HTMLFormElement} form @param {() => Promise<void>} act done once for a double click */
  whenSubmitted(form, act) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (this.isBusy) return;
      this.isBusy = true;
      await this.attempt(act);
      this.isBusy = false;
    });
  }

  /** @param {() => Promise<void> | undefined} act */
  async attempt(act) {
    fill(this.trouble);
    try {
      await act();
    } catch (why) {
      fill(this.trouble, ...renderMessage(why instanceof Error ? why.message : String(why)));
    }
  }
}
