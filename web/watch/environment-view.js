// One environment on the page. It passes the server's messages to its views, which share the chosen entity.

/** @import { EnvironmentStatus, Happenings, Moment, SceneUpdate } from "../protocol/protocol.js" */
/** @import { Refusal } from "../protocol/connection.js" */
/** @import { Session } from "../protocol/session.js" */

import { EntitiesView } from "./entities-view.js";
import { EntityView } from "./entity-view.js";
import { fill, find, instantiate, say } from "../page/element.js";
import { verdictOfOutcome } from "../environment/ending.js";
import { inNextFrame } from "../page/frame.js";
import { Management } from "./management.js";
import { renderLine, renderMessage, summaryOf } from "../page/markdown.js";
import { announce } from "../page/notice.js";
import { Playing } from "../play/playing.js";
import { referenceOf } from "./reference.js";
import { ResultsView } from "../environment/results-view.js";
import { addressOf } from "../page/route.js";
import { SceneView } from "../scene/scene-view.js";
import { Clock, showState } from "./standing.js";
import { Timeline } from "./timeline.js";
import { EnvironmentState } from "../environment/environment-state.js";

/** Interval at which the page asks for the time, if nothing else reports it. */
const ASK_MS = 1000;

const FOR_OBSERVERS = "Only observers can see the whole scene. Play an entity to see what it sees.";

export class EnvironmentView {
  root = instantiate("environment");
  present = new EnvironmentState();
  selected = "";
  /** @type {EnvironmentStatus | null} */
  status = null;
  /** @type {(() => void)[]} */
  endings = [];
  endScene = () => {};
  isDescribed = false;
  /** Whether the environment does not exist. */
  isAbsent = false;
  shownWarning = "";

  /**
   * @param {Session} session
   * @param {string} environment
   * @param {string} entity the entity that is chosen first; empty for none
   */
  constructor(session, environment, entity) {
    this.session = session;
    this.environment = environment;
    this.title = environment;
    const of = { session, environment };
    const choose = (/** @type {string} */ name) => this.choose(name);
    this.state = this.part("state");
    this.crash = this.part("crash");
    say(this.part("name"), environment);
    this.clock = new Clock(this.part("clock"));
    const moved = (/** @type {Moment} */ moment) => this.reach(moment);
    this.management = new Management(this.part("management"), { ...of, moved });
    this.scene = new SceneView(find(this.root, ".scene-pane", HTMLElement), {
      environment,
      isEntity: (name) => this.present.entities.has(name),
      choose,
    });
    this.playing = new Playing(this.part("playing"), {
      ...of,
      scene: this.scene,
      changed: (entity) => {
        this.watchScene(entity);
        if (entity) this.choose(entity);
        this.showEntity();
      },
      perceived: (events, moment) => this.entity.receiveOwn(events, moment),
    });
    this.entities = new EntitiesView(this.part("entities"), choose);
    const played = (/** @type {string} */ name) => (this.playing.player?.entity === name ? this.playing.player : null);
    this.entity = new EntityView(this.part("entity"), { ...of, played, leave: () => this.choose("") });
    this.timeline = new Timeline(this.part("timeline"), { ...of, choose, moved });
    this.results = new ResultsView(this.part("results"));
    this.renderStatus = this.renderStatus.bind(this);
    this.subscribe();
    this.choose(entity);
    this.reflectSession();
  }

  close() {
    for (const end of this.endings) end();
    this.endScene();
    for (const part of [this.playing, this.scene, this.entity, this.timeline]) part.close();
  }

  /** The connection was opened or lost; rights may have changed. */
  reflectSession() {
    this.management.render();
    this.playing.render();
    if (this.session.standing.phase === "greeted" && !this.isDescribed) this.describe();
  }

  /** @param {EnvironmentStatus[]} environments */
  show(environments) {
    const status = environments.find(({ environment }) => environment === this.environment);
    if (status) this.showStatus(status);
    else if (this.status) this.miss("It has been removed from this server.");
  }

  subscribe() {
    const { session, environment } = this;
    const happenings = session.subscribe(
      { happenings: { environment } }, (params) => this.receive(params), (why) => this.refuse(why),
    );
    this.watchScene("");
    const timer = setInterval(() => this.askForTime(), ASK_MS);
    this.endings.push(happenings, () => clearInterval(timer));
  }

  /**
   * Shows the scene. The session of a player can see it as the played entity.
   * @param {string} viewer the entity whose view is shown; empty for the whole scene
   */
  watchScene(viewer) {
    this.endScene();
    this.scene.reset();
    const topic = { scene: { environment: this.environment, ...(viewer && { viewer }) } };
    const session = this.playing.player?.session ?? this.session;
    const refuse = (/** @type {Refusal} */ { kind, message }) =>
      this.scene.refuse(kind === "forbidden" ? FOR_OBSERVERS : message);
    this.endScene = session.subscribe(topic, (params) => this.see(params), refuse);
  }

  async describe() {
    try {
      const { status, ontology } = await this.session.call("describe", { environment: this.environment });
      this.isDescribed = true;
      this.showStatus(status);
      fill(this.part("summary"), ...renderLine(summaryOf(ontology.documentation).replaceAll("\n", " ")));
      fill(this.part("reference"), ...referenceOf(ontology));
      this.management.describe(ontology);
      this.entity.describe(ontology);
      this.playing.describe(ontology);
    } catch (why) {
      this.refuse(/** @type {Refusal} */ (why));
    }
  }

  /** @param {Happenings} notification */
  receive(notification) {
    this.present.update(notification.happenings, notification.resync);
    this.timeline.show(notification);
    this.entities.show(this.present.entities);
    this.playing.show(this.present.entities);
    this.showEntity();
    this.showPerceptsInstead();
    this.showResults();
    this.showStatus(notification.status);
  }

  /** How the episode stands, if that is decided. */
  get verdict() {
    const { verdict, outcome } = this.present;
    return verdict ?? (outcome && verdictOfOutcome(outcome));
  }

  showResults() {
    const { verdict } = this;
    if (verdict && verdict !== this.results.verdict) announce(`${verdict.title}. ${verdict.text}`);
    this.results.show(this.present.outcome, verdict);
    inNextFrame(this.renderStatus);
  }

  /** @param {SceneUpdate} update */
  see(update) {
    this.scene.show(update);
    this.root.classList.toggle("sceneless", this.scene.scene.isEmpty);
    this.showPerceptsInstead();
    this.reach(update.moment);
  }

  /** Without a scene, the percepts of an entity show what is going on. */
  showPerceptsInstead() {
    const [first] = this.present.entities.keys();
    if (first && !this.selected && this.scene.scene.isKnown && this.scene.scene.isEmpty) this.choose(first);
  }

  /** @param {EnvironmentStatus} status */
  showStatus(status) {
    if (this.status && this.status.state !== status.state) announce(`${this.environment} is ${status.state}`);
    this.status = status;
    this.management.show(status);
    this.playing.showState(status.state);
    this.reach(status.moment);
  }

  /** @param {Moment} moment the current moment of the environment */
  reach(moment) {
    this.clock.reach(moment);
    inNextFrame(this.renderStatus);
  }

  renderStatus() {
    this.clock.render(this.status);
    if (!this.status) return;
    showState(this.state, this.status.state, this.verdict);
    const { crash, recording, data, awaited = [] } = this.status;
    const warnings = [];
    if (crash) warnings.push(`It has crashed: ${crash}`);
    if (recording?.error) warnings.push(`Recording has failed: ${recording.error}`);
    if (data?.error) warnings.push(`Storing has failed, and changes are rejected: ${data.error}`);
    if (awaited.length > 0) warnings.push(`The step waits for ${awaited.join(", ")}.`);
    const warning = warnings.join(" ");
    if (warning !== this.shownWarning) this.warn(warning);
    this.shownWarning = warning;
  }

  /** @param {Refusal} why */
  refuse({ kind, message }) {
    // Without a connection, a banner says so.
    if (kind === "notConnected") return;
    if (kind === "noSuchEnvironment") this.miss(message);
    else this.warn(message);
  }

  /**
   * Shows a message instead of the environment.
   * @param {string} text
   */
  miss(text) {
    this.root.classList.add("absent");
    this.isAbsent = true;
    this.status = null;
    this.warn(text);
  }

  /** @param {string} text */
  warn(text) {
    fill(this.crash, ...renderMessage(text));
    this.crash.hidden = text === "";
  }

  /** @param {string} name the entity that all views show; empty for none */
  choose(name) {
    if (name === this.selected) return;
    this.selected = name;
    this.scene.select(name);
    this.entities.select(name);
    this.playing.select(name);
    this.entity.choose(name);
    this.showEntity();
    history.replaceState(null, "", addressOf(this.environment, name));
    if (name) announce(`${name} is chosen; what it perceives and does follows the table`);
  }

  showEntity() {
    const entity = this.present.entities.get(this.selected);
    this.entity.show(entity, this.selected !== "" && this.present.isKnown && !entity);
  }

  /** Asks for the time, which nothing else reports if there is no scene and no agent acts. */
  async askForTime() {
    if (document.hidden || this.status?.state !== "running") return;
    try {
      const { session, environment } = this;
      const [{ status }, { outcome }] = await Promise.all([
        session.call("status", { environment }), session.call("outcome", { environment }),
      ]);
      this.present.outcome = outcome ?? this.present.outcome;
      this.showResults();
      this.showStatus(status);
    } catch {
      // Errors are shown elsewhere.
    }
  }

  /** @param {string} name */
  part(name) {
    return find(this.root, `[data-part=${name}]`, HTMLElement);
  }
}
