// The page of a person who plays an entity. It shows what the entity perceives, and nothing else, whatever the rights of the session.

/** @import { Description, EnvironmentStatus, Happenings, Menu, MenuItem, Outcome, Percepts, SceneUpdate, Signature } from "../protocol/protocol.js" */
/** @import { Term } from "../protocol/terms.js" */
/** @import { Refusal } from "../protocol/connection.js" */
/** @import { Target } from "../scene/stage-view.js" */

import { openDialog } from "../page/dialog.js";
import { button, element, fill, find, instantiate, say } from "../page/element.js";
import { verdictOfOutcome } from "../environment/ending.js";
import { EnvironmentState } from "../environment/environment-state.js";
import { GoalView, ThingsView } from "./goal-view.js";
import { Looks } from "../scene/looks.js";
import { renderLine, renderMessage } from "../page/markdown.js";
import { announce } from "../page/notice.js";
import { inOrder, ParametersForm } from "../page/parameters-form.js";
import { PerceptsView } from "../environment/percepts-view.js";
import { Player } from "./player.js";
import { resultsTable } from "../environment/results-view.js";
import { addressOf } from "../page/route.js";
import { Session } from "../protocol/session.js";
import { StageView } from "../scene/stage-view.js";
import { TalkView } from "./talk-view.js";
import { printTerm } from "../protocol/terms.js";

const ASK_MS = 2000;
/** Pauses before the choices are asked for again: after changes of names, and of numbers only. */
const SOON_MS = 120;
const LATER_MS = 1500;
const TROUBLE_MS = 6000;
const RETRY_MS = 1000;

const FIRST_TIP = "Click in the picture to act";

export class ParticipantView {
  root = instantiate("participant");
  present = new EnvironmentState();
  looks = new Looks();
  /** @type {Player | null} */
  player = null;
  /** Whether the server has confirmed that the player has the entity. After that, it can be lost. */
  hasEntity = false;
  /** @type {Description | null} */
  description = null;
  /** Whether the environment offers menus. */
  hasMenus = false;
  /** Whether the environment understands words. */
  canWrite = false;
  /** Whether the environment has no scene. */
  isSceneless = false;
  /** @type {Outcome | null} */
  outcome = null;
  /** Whether the page is at its end: the player has left, or has lost the entity. */
  isOver = false;
  refreshTimer = 0;
  refreshAt = Infinity;
  troubleTimer = 0;
  ended = new AbortController();

  /**
   * @param {Session} session the page's own session, of which only the server and the token are used
   * @param {string} environment
   * @param {string} entity
   */
  constructor(session, environment, entity) {
    this.pageSession = session;
    this.environment = environment;
    this.entity = entity;
    this.title = `${entity} in ${environment}`;
    say(this.part("name"), environment);
    this.stage = new StageView(this.part("drawing"), this.looks, (target) => this.point(target));
    this.goal = new GoalView(this.part("goal"), this.part("progress"), (target) => this.point(target));
    this.percepts = new PerceptsView(this.part("percepts"));
    this.things = new ThingsView(this.part("here"), (target) => this.point(target), () => this.stage.focus());
    this.talk = new TalkView(this.part("talk"), { looks: this.looks, player: () => this.player, send: (item) => this.send(item) });
    this.letWrite(false);
    this.showTalk();
    this.showMe();
    this.tip(FIRST_TIP);
    this.part("leave").addEventListener("click", () => this.leave());
    addEventListener("pagehide", () => this.player?.leave(), { signal: this.ended.signal });
    addEventListener("keydown", (event) => this.press(event), { signal: this.ended.signal });
    // Nothing was asked while the page was hidden.
    document.addEventListener("visibilitychange", () => document.hidden || this.refreshIn(0), { signal: this.ended.signal });
    this.timer = setInterval(() => this.askForOutcome(), ASK_MS);
    this.join();
  }

  close() {
    this.ended.abort();
    clearInterval(this.timer);
    clearTimeout(this.refreshTimer);
    this.stage.close();
    this.player?.leave();
    this.player = null;
  }

  /** The page's own connection says nothing about the player's. */
  reflectSession() {
    if (this.isOver || this.player) return;
    if (this.pageSession.standing.phase === "greeted") this.join();
  }

  /** @param {EnvironmentStatus[]} environments */
  show(environments) {
    const isThere = environments.some(({ environment }) => environment === this.environment);
    if (!isThere && this.hasEntity) this.finish("The environment was removed from the server.", "Ask the person who runs it for a new link.");
    else if (isThere && this.isOver && this.isWaiting) this.join();
  }

  /** Takes the entity, and follows it. */
  async join() {
    const player = new Player(this.pageSession, this.environment, this.entity);
    this.player = player;
    this.isOver = this.isWaiting = this.hasEntity = false;
    this.description = null;
    this.root.classList.remove("over");
    try {
      await player.begin((events, perceived) => this.perceive(events, perceived));
      if (player !== this.player) return player.leave();
      this.follow(player);
    } catch (why) {
      if (player !== this.player) return;
      const refusal = /** @type {Refusal} */ (why);
      const isAway = refusal.kind === "notConnected" || player.session.standing.phase === "waiting";
      this.player = null;
      player.leave();
      if (isAway) this.joinLater();
      else this.refuse(refusal);
    }
  }

  /** The server does not answer now. */
  joinLater() {
    this.complain("The connection to the server is lost. This page tries again by itself.", true);
    setTimeout(() => this.ended.signal.aborted || this.player || this.isOver || this.join(), RETRY_MS);
  }

  /** @param {Player} player */
  follow(player) {
    const { session } = player;
    const { environment, entity } = this;
    this.complain("");
    // The session of a former player may still send what it has subscribed to.
    const isCurrent = () => player === this.player;
    const refused = (/** @type {Refusal} */ { message }) => isCurrent() && this.complain(message);
    session.subscribe({ happenings: { environment } }, (params) => isCurrent() && this.receive(params), refused);
    session.subscribe({ scene: { environment, viewer: entity } }, (params) => isCurrent() && this.see(params), refused);
    session.addEventListener("standing", () => isCurrent() && this.reflect(player));
    this.prepare(player);
  }

  /** Asks what the player can do. @param {Player} player */
  async prepare(player) {
    const { environment, entity } = this;
    try {
      const description = await player.session.call("describe", { environment });
      const [menu, words] = [await player.menu(), await player.menu({ text: "?" })];
      if (player !== this.player) return;
      this.description = description;
      this.hasMenus = menu.items.length > 0 || menu.subject !== "";
      this.letWrite(words.items.length > 0 || words.subject !== "");
      if (!this.hasMenus) this.tip("Use the buttons below");
      this.showMenu(menu);
      this.stage.focusSoon();
      announce(`You play ${entity}. ${this.hasMenus ? "Arrow keys move between places, and Enter goes there." : ""}`);
    } catch (why) {
      // Without a connection, it asks again when there is one.
      const refusal = /** @type {Refusal} */ (why);
      if (player === this.player && refusal.kind !== "notConnected") this.refuse(refusal);
    }
  }

  /** @param {Refusal} why */
  refuse({ kind, message }) {
    this.finish(`You cannot play ${this.entity} now: ${message}.`, "Try again, or ask for another link.");
    this.isWaiting = kind === "noSuchEnvironment";
  }

  /** The player's connection was lost, or is there again. @param {Player} player */
  reflect(player) {
    const { phase, reason } = player.session.standing;
    if (phase === "waiting") this.complain(`The connection to the server is lost${reason && `: ${reason}`}. This page tries again by itself.`, true);
    if (phase === "refused") this.finish(`The server ended your session: ${reason}.`, "Play again if you have not opened this page twice.");
    if (phase !== "greeted") return;
    this.complain("");
    // The server has restarted, or was away for too long: the session is new, and has no entity.
    if (!player.session.greeting?.resumed) this.rejoin("The server was restarted; you play again.");
    else if (!this.description) this.prepare(player);
  }

  /** @param {string} why */
  rejoin(why) {
    this.player?.leave();
    this.tip(why);
    this.join();
  }

  /** @param {Happenings} notification */
  receive({ status, happenings, resync }) {
    const episode = this.present.episode?.number;
    this.present.update(happenings, resync);
    for (const { name } of this.present.entities.values()) this.looks.of(name);
    if (this.present.episode?.number !== episode) this.stage.stage.forget();
    this.showMe();
    this.showVerdict();
    const { player } = this;
    if (!player || this.isOver) return;
    const has = this.present.entities.get(this.entity)?.agents.has(player.agent) ?? false;
    if (has) this.hasEntity = true;
    else if (this.hasEntity && this.present.episode?.number !== episode) this.rejoin("A new episode has begun.");
    else if (status.state === "killed") this.tip("The environment has ended.");
    else if (this.hasEntity) this.finish(`You no longer have ${this.entity}: it was taken from you.`, "Play again, or ask the person who runs this.");
  }

  /** @param {SceneUpdate} update */
  see(update) {
    this.isSceneless = update.count === 0 || update.width <= 0 || update.height <= 0;
    this.part("instead").hidden = !this.isSceneless;
    this.part("drawing").hidden = this.isSceneless;
    this.showPercepts();
    this.stage.show(update);
    this.goal.show(this.stage.stage.goals, this.hasMenus);
    this.things.show(this.hasMenus ? this.stage.stage.of("thing") : []);
  }

  /** Without a scene, the percepts show what is going on. */
  showPercepts() {
    if (this.isSceneless && this.player) this.percepts.show(this.player.beliefs, "", undefined);
  }

  /**
   * @param {Term[]} events
   * @param {Percepts} perceived
   */
  perceive(events, { perceptions }) {
    this.showPercepts();
    for (const event of events) this.hear(event);
    const changed = perceptions.flatMap(({ add = [], delete: gone = [] }) => [...add, ...gone]);
    const tells = events.length > 0 || changed.some(({ args = [] }) => args.length === 0 || args.some((argument) => typeof argument !== "number"));
    this.refreshIn(tells ? SOON_MS : LATER_MS);
  }

  /** Shows an event in words, with replies. @param {Term} event */
  async hear(event) {
    const [from] = event.args ?? [];
    const sender = typeof from === "string" && this.present.entities.has(from) ? from : this.entity;
    try {
      const menu = await this.player?.menu({ about: event });
      this.talk.add(sender, menu?.subject || printTerm(event));
      if (menu && menu.items.length > 0) this.talk.offer(menu.subject, menu.items);
    } catch {
      this.talk.add(sender, printTerm(event));
    }
    this.showTalk();
  }

  /** @param {boolean} canWrite whether the environment understands words */
  letWrite(canWrite) {
    this.canWrite = canWrite;
    this.talk.letWrite(canWrite);
  }

  /** Leaves the room to the scene while nobody can talk and there is nothing to choose. */
  showTalk() {
    this.root.classList.toggle("silent", !this.canWrite && this.talk.isEmpty);
  }

  /** Asks for the choices again, once for many changes. @param {number} pause */
  refreshIn(pause) {
    const at = performance.now() + pause;
    if (at >= this.refreshAt) return;
    clearTimeout(this.refreshTimer);
    this.refreshAt = at;
    this.refreshTimer = setTimeout(() => this.refresh(), pause);
  }

  async refresh() {
    this.refreshAt = Infinity;
    if (!this.hasMenus || !this.player || document.hidden) return;
    try {
      this.showMenu(await this.player.menu());
    } catch {
      // The page says elsewhere that the connection or the entity is lost.
    }
  }

  /** Shows the state of the entity, and what it can do now. @param {Menu} menu */
  showMenu({ subject, items }) {
    say(this.part("state"), subject);
    const direct = items.filter(({ direct }) => direct);
    const buttons = this.hasMenus ? direct.map((item) => button(item.label, () => this.act(item.action), { class: "main" })) : this.actions();
    const place = this.part("commands");
    const labels = buttons.map((button) => button.textContent).join("\n");
    if (place.dataset["labels"] !== labels) {
      place.dataset["labels"] = labels;
      const hadFocus = place.contains(document.activeElement);
      fill(place, ...buttons);
      if (hadFocus) (place.querySelector("button") ?? this.part("drawing")).focus();
    }
    if (this.hasMenus && this.talk.offered.length === 0) this.talk.offer(this.entity, items.filter(({ direct }) => !direct));
    this.showTalk();
  }

  /** Whether a button below the scene does this. @param {string} label */
  isCommand(label) {
    return (this.part("commands").dataset["labels"] ?? "").split("\n").includes(label);
  }

  /** The declared actions as buttons, for an environment without menus. */
  actions() {
    const type = this.present.entities.get(this.entity)?.entityType;
    const { ontology } = this.description ?? {};
    const declared = ontology?.entityTypes.find(({ name }) => name === type) ?? ontology?.entityTypes[0];
    const act = (/** @type {Signature} */ action) => (action.parameters.length === 0 ? this.act({ name: action.name }) : this.fillIn(action));
    return (declared?.actions ?? []).map((action) => button(action.name, () => act(action), { class: "main" }));
  }

  /** Asks for the parameters of an action. @param {Signature} action */
  fillIn(action) {
    const form = new ParametersForm({ parameters: action.parameters, types: this.description?.ontology.types ?? {} }, {}, action.name);
    openDialog({
      title: action.name,
      content: [element("p", { class: "hint" }, ...renderLine(action.documentation.replaceAll("\n", " "))), form.element],
      confirm: "Act",
      act: async () => void (await this.player?.act({ name: action.name, args: inOrder(action, form.read()) })),
    });
  }

  /** Arrow keys do the actions with their names, where there are no menus. @param {KeyboardEvent} event */
  press(event) {
    if (this.hasMenus || !event.key.startsWith("Arrow") || event.target instanceof HTMLInputElement) return;
    const name = event.key.slice("Arrow".length).toLowerCase();
    const button = [...this.part("commands").querySelectorAll("button")].find(({ textContent }) => textContent === name);
    if (!button) return;
    event.preventDefault();
    button.click();
  }

  /** The player points at something: the environment's first direct choice is done, and its messages are offered. @param {Target} target */
  async point({ at, name }) {
    const { player } = this;
    if (!player || !this.hasMenus || this.isOver) return;
    this.complain("");
    try {
      const { subject, items } = await player.menu({ at });
      const messages = items.filter(({ direct, label }) => !direct && !this.isCommand(label));
      if (messages.length > 0) this.talk.offer(subject || name, messages);
      this.showTalk();
      const first = items.find(({ direct }) => direct);
      if (first) {
        await this.act(first.action);
        announce(first.label);
      } else if (messages.length === 0) this.complain("There is nothing to do here.");
      this.tip("");
    } catch (why) {
      this.complain(/** @type {Error} */ (why).message);
    }
  }

  /** @param {Term} action */
  async act(action) {
    this.complain("");
    try {
      await this.player?.act(action);
      this.refreshIn(SOON_MS);
    } catch (why) {
      this.complain(/** @type {Error} */ (why).message);
      return false;
    }
    return true;
  }

  /** @param {MenuItem} item */
  async send(item) {
    const isSent = await this.act(item.action);
    if (isSent) this.talk.add("", item.label);
    return isSent;
  }

  showMe() {
    const { name, sign, color, ink } = this.looks.of(this.entity);
    const dot = element("span", { class: "dot", style: `background: ${color}; color: ${ink}`, "aria-hidden": "true" }, sign);
    fill(this.part("me"), dot, `You are ${name}`);
  }

  async askForOutcome() {
    const { player } = this;
    if (!player || !this.hasEntity || document.hidden) return;
    try {
      const { outcome } = await player.session.call("outcome", { environment: this.environment });
      if (player !== this.player) return;
      this.outcome = outcome;
      this.showVerdict();
    } catch {
      // The page says elsewhere that the connection is lost.
    }
  }

  /** Shows how the episode has ended, with the score and what is next. */
  showVerdict() {
    const verdict = this.present.verdict ?? (this.outcome && verdictOfOutcome(this.outcome));
    const place = this.part("verdict");
    const results = (this.outcome?.results ?? []).filter(({ of }) => of === this.entity || !this.present.entities.has(of));
    const signature = verdict ? JSON.stringify([verdict, results.length > 0]) : "";
    if (place.dataset["shown"] === signature) return;
    place.dataset["shown"] = signature;
    place.hidden = verdict === null;
    this.root.classList.toggle("decided", verdict !== null);
    if (!verdict) return;
    place.dataset["kind"] = verdict.kind;
    if (results.length === 0) void this.askForOutcome();
    const next = "You can stop playing now, or wait: when the next episode begins, this page goes on by itself.";
    fill(
      place,
      element("h2", {}, verdict.title),
      element("p", {}, verdict.text),
      results.length > 0 && element("details", {}, element("summary", {}, "Score"), element("div", { class: "scrolling", tabindex: 0, role: "region", "aria-label": "Score" }, resultsTable(results))),
      element("p", { class: "hint" }, next),
    );
  }

  leave() {
    this.player?.leave();
    this.finish(`You gave ${this.entity} back.`, "You can close this page, or play again.");
  }

  /**
   * Ends the play, and says what happened and what to do. Nothing of the environment remains visible.
   * @param {string} what
   * @param {string} next
   */
  finish(what, next) {
    const { player } = this;
    this.isOver = true;
    this.player = null;
    this.hasEntity = false;
    player?.leave();
    this.root.classList.add("over");
    const again = button("Play again", () => this.restart(), { class: "main" });
    const place = this.part("verdict");
    place.hidden = false;
    place.dataset["kind"] = "over";
    place.dataset["shown"] = what;
    fill(place, element("h2", {}, ...renderMessage(what)), element("p", {}, next), element("p", { class: "buttons" }, again, element("a", { class: "button", href: addressOf("") }, "Leave")));
    again.focus();
  }

  restart() {
    const place = this.part("verdict");
    [place.hidden, place.dataset["shown"]] = [true, ""];
    this.present = new EnvironmentState();
    this.outcome = null;
    this.join();
  }

  /** @param {string} text */
  tip(text) {
    say(this.part("tip"), text);
    this.part("tip").hidden = text === "";
  }

  /**
   * Shows what went wrong, near the scene.
   * @param {string} text
   * @param {boolean} [stays] whether it stays until it is over
   */
  complain(text, stays = false) {
    clearTimeout(this.troubleTimer);
    fill(this.part("trouble"), ...renderMessage(text));
    if (text && !stays) this.troubleTimer = setTimeout(() => fill(this.part("trouble")), TROUBLE_MS);
  }

  /** @param {string} name */
  part(name) {
    return find(this.root, `[data-part=${name}]`, HTMLElement);
  }
}
