// The messages between all agents, as sequence diagrams, a mailbox of the user, and the calls of language models:
// `#messages`.

/** @import { AclMessage } from "../protocol/protocol.js" */
/** @import { Conversation, Shown } from "./conversations.js" */
/** @import { MailboxView } from "./mailbox-view.js" */
/** @import { Session } from "../protocol/session.js" */

import { Conversations, contentOf, nameOf, textOf } from "./conversations.js";
import { arrange, button, element, fill, find, instantiate, say } from "../page/element.js";
import { inNextFrame } from "../page/frame.js";
import { counted } from "../environment/happenings.js";
import { SequenceDiagram } from "./sequence-diagram.js";
import { TranscriptView } from "../watch/transcript-view.js";

const PAUSE_MS = 300;
const MOST_CHIPS = 24;

export class MessagesView {
  root = instantiate("messages");
  title = "Messages";
  conversations = new Conversations();
  endSubscription = () => {};
  timer = 0;
  /** The filter of the subscription. */
  filter = "";
  /** The conversations with a button. @type {Conversation[]} */
  latest = [];
  /** @type {Map<number, Element>} */
  buttons = new Map();
  isPointedAt = false;

  /** @param {Session} session @param {MailboxView} mail the mailbox of the page */
  constructor(session, mail) {
    this.session = session;
    this.render = this.render.bind(this);
    this.watching = find(this.root, "[data-part=watching]", HTMLElement);
    this.remark = find(this.root, "[data-part=watch-remark]", HTMLElement);
    this.nothing = find(this.root, "[data-part=nothing]", HTMLElement);
    this.count = find(this.root, "[data-part=count]", HTMLElement);
    this.chips = find(this.root, "[data-part=chips]", HTMLElement);
    this.chips.addEventListener("pointerenter", () => (this.isPointedAt = true));
    this.chips.addEventListener("pointerleave", () => {
      this.isPointedAt = false;
      inNextFrame(this.render);
    });
    this.chips.addEventListener("focusout", () => inNextFrame(this.render));
    this.details = find(this.root, "[data-part=details]", HTMLElement);
    this.agent = find(this.root, "#filter-agent", HTMLInputElement);
    this.protocol = find(this.root, "#filter-protocol", HTMLInputElement);
    this.conversation = find(this.root, "#filter-conversation", HTMLInputElement);
    this.scroller = find(this.root, "[data-part=diagram]", HTMLElement);
    this.diagram = new SequenceDiagram(this.scroller, this.conversations, (message) => this.showMessage(message));
    for (const field of [this.agent, this.protocol, this.conversation])
      field.addEventListener("input", () => this.filterSoon());
    find(this.root, "[data-part=clear]", HTMLButtonElement).addEventListener("click", () => {
      for (const field of [this.agent, this.protocol, this.conversation]) field.value = "";
      this.subscribe();
    });
    find(this.root, ".conversations", HTMLElement).after(mail.root);
    inNextFrame(() => mail.showLatest());
    this.transcript = new TranscriptView(find(this.root, "[data-part=transcript]", HTMLElement), true);
    this.transcript.watch(session, {});
    this.subscribe();
    this.reflectSession();
  }

  close() {
    clearTimeout(this.timer);
    this.endSubscription();
    this.diagram.close();
    this.transcript.close();
  }

  show() {}

  /** The connection was opened or lost; rights may have changed. */
  reflectSession() {
    const cannot = this.session.standing.phase === "greeted" && !this.session.may("observe");
    this.remark.hidden = !cannot;
    this.watching.hidden = cannot;
    inNextFrame(this.render);
  }

  filterSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.subscribe(), PAUSE_MS);
  }

  /** Subscribes with the filter in the fields. */
  subscribe() {
    clearTimeout(this.timer);
    const [agent, protocol, conversation] = [this.agent, this.protocol, this.conversation].map((field) =>
      field.value.trim(),
    );
    const topic = { ...(agent && { agent }), ...(protocol && { protocol }), ...(conversation && { conversation }) };
    const filter = JSON.stringify(topic);
    if (filter === this.filter) return;
    this.filter = filter;
    this.endSubscription();
    this.conversations.clear();
    fill(this.details);
    this.endSubscription = this.session.subscribe({ conversations: topic }, ({ messages, lost }) => {
      this.conversations.add(messages, lost);
      inNextFrame(this.render);
    });
    this.render();
  }

  render() {
    const { messages, dropped, known, names, protocols } = this.conversations;
    this.nothing.hidden = messages.length > 0;
    this.scroller.hidden = messages.length === 0;
    const broken = messages.filter(({ violations = [] }) => violations.length > 0).length;
    const words = [
      counted(messages.length, "message", "messages"),
      broken > 0 ? `${broken} ${broken === 1 ? "breaks" : "break"} a rule` : "",
      dropped > 0 ? `${dropped} earlier ones are not shown` : "",
    ];
    say(this.count, words.filter((part) => part !== "").join(" · "));
    offer(this.root, "known-agents", names);
    offer(this.root, "known-protocols", protocols);
    offer(this.root, "known-conversations", known.keys());
    this.renderChips();
    this.diagram.render();
  }

  /**
   * Shows a button for each of the latest conversations, those that began last first. While the user points at them,
   * none moves.
   */
  renderChips() {
    const isAimedAt = this.isPointedAt || this.chips.querySelector(":focus-visible") !== null;
    if (!isAimedAt)
      this.latest = [...this.conversations.known.values()]
        .slice(-MOST_CHIPS)
        .sort((one, other) => other.number - one.number);
    arrange(this.chips, this.buttons, this.latest, ({ id }) => {
      const choose = () => {
        this.conversation.value = id === this.conversation.value.trim() ? "" : id;
        this.subscribe();
      };
      return button([element("b", {}, id), " ", element("span")], choose);
    });
    const chosen = this.conversation.value.trim();
    for (const { number, id, protocol, messages, violations } of this.latest) {
      const chip = /** @type {Element} */ (this.buttons.get(number));
      const about = [
        protocol, counted(messages, "message", "messages"),
        violations > 0 ? `⚠ ${counted(violations, "violation", "violations")}` : "",
      ];
      say(find(chip, "span", HTMLElement), about.filter((part) => part !== "").join(" · "));
      chip.classList.toggle("breaks", violations > 0);
      chip.setAttribute("aria-pressed", String(id === chosen));
    }
  }

  /** Shows everything in a message. @param {Shown} shown */
  showMessage({ message, violations = [], time }) {
    const names = (/** @type {AclMessage["receivers"]} */ agents) => (agents ?? []).map(nameOf).join(", ");
    const facts = [
      ["from", message.sender === undefined ? "" : nameOf(message.sender)],
      ["to", names(message.receivers)],
      ["reply to", names(message.replyTo)],
      ["protocol", message.protocol ?? ""],
      ["conversation", textOf(message.conversationId)],
      ["reply with", textOf(message.replyWith)],
      ["in reply to", textOf(message.inReplyTo)],
      ["reply by", message.replyBy ?? ""],
      ["language", textOf(message.language)],
      ["ontology", textOf(message.ontology)],
      ["encoding", textOf(message.encoding)],
      ["accepted", new Date(time).toLocaleString()],
    ];
    const rows = facts
      .filter(([, value]) => value !== "")
      .flatMap(([name = "", value = ""]) => [element("dt", {}, name), element("dd", {}, value)]);
    const content = contentOf(message);
    fill(
      this.details,
      element("h3", {}, message.performative),
      ...violations.map((violation) => element("p", { class: "violation" }, `⚠ ${violation}`)),
      element("dl", {}, ...rows),
      content && element("pre", { tabindex: 0, "aria-label": "Content" }, content),
    );
  }
}

/** Sets the choices of a field. @param {HTMLElement} root @param {string} id @param {Iterable<string>} names */
function offer(root, id, names) {
  const list = find(root, `#${id}`, HTMLDataListElement);
  const all = [...names];
  const signature = JSON.stringify(all);
  if (list.dataset["names"] === signature) return;
  list.dataset["names"] = signature;
  fill(list, ...all.map((name) => element("option", { value: name })));
}
