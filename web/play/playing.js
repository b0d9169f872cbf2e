// Playing an entity on this page: taking and freeing one, asking the environment for menus, and
// acting.

/** @import { MenuItem, Moment, Ontology, Signature, State } from "../protocol/protocol.js" */
/** @import { Term } from "../protocol/terms.js" */
/** @import { Entity } from "../environment/environment-state.js" */
/** @import { Anchor, SceneView } from "../scene/scene-view.js" */
/** @import { Session } from "../protocol/session.js" */

import { actionsOf, choicesOf } from "./choices.js";
import { DeedsView } from "./deeds-view.js";
import { openDialog } from "../page/dialog.js";
import { element, fill, find, say } from "../page/element.js";
import { inNextFrame } from "../page/frame.js";
import { renderLine, renderMessage } from "../page/markdown.js";
import { MenuView } from "./menu-view.js";
import { announce, orComplain } from "../page/notice.js";
import { inOrder, ParametersForm } from "../page/parameters-form.js";
import { Player } from "./player.js";
import { playAddress } from "../page/route.js";
import { saySignature } from "../protocol/types.js";

const REPLY_MS = 6000;

export class Playing {
  /** The player, if the user plays. @type {Player | null} */
  player = null;
  /** Whether the server has confirmed that the player has the entity. After that, losing it ends the play. */
  hasBody = false;
  /** Whether the environment offers menus. */
  hasMenus = false;
  /** @type {ReadonlyMap<string, Entity>} */
  entities = new Map();
  /** @type {Ontology | null} */
  ontology = null;
  /** @type {State | null} */
  state = null;
  selected = "";
  replyTimer = 0;
  ended = new AbortController();

  /**
   * @param {HTMLElement} root
   * @param {object} of
   * @param {Session} of.session
   * @param {string} of.environment
   * @param {SceneView} of.scene
   * @param {(entity: string) => void} of.changed called when another entity is played, or none
   * @param {(events: Term[], moment: Moment) => void} of.perceived called when the played entity perceives
   */
  constructor(root, { session, environment, scene, changed, perceived }) {
    this.root = root;
    this.session = session;
    this.environment = environment;
    this.scene = scene;
    this.changed = changed;
    this.perceived = perceived;
    this.who = find(root, "[data-part=who]", HTMLElement);
    this.take = find(root, "[data-part=take]", HTMLButtonElement);
    this.playPage = find(root, "[data-part=play]", HTMLAnchorElement);
    this.menuButton = find(root, "[data-part=menu]", HTMLButtonElement);
    this.reply = find(scene.root, "[data-part=reply]", HTMLElement);
    this.deeds = new DeedsView(find(root, "[data-part=deeds]", HTMLElement));
    this.menu = new MenuView(root);
    this.render = this.render.bind(this);
    addEventListener("pagehide", () => this.player && this.leave(""), { signal: this.ended.signal });
    this.take.addEventListener("click", () => this.takeOrLeave());
    this.menuButton.addEventListener("click", () => {
      const { left, top, bottom } = this.menuButton.getBoundingClientRect();
      this.ask(null, { x: left, y: bottom, above: top });
    });
  }

  /** @param {Ontology} ontology */
  describe(ontology) {
    this.ontology = ontology;
    inNextFrame(this.render);
  }

  /** @param {ReadonlyMap<string, Entity>} entities */
  show(entities) {
    this.entities = entities;
    const { player } = this;
    if (player) {
      const has = entities.get(player.entity)?.agents.has(player.agent) ?? false;
      if (this.hasBody && !has) this.leave(`You no longer have ${player.entity}.`);
      else this.hasBody = has;
    }
    inNextFrame(this.render);
  }

  /** @param {State} state */
  showState(state) {
    this.state = state;
    inNextFrame(this.render);
  }

  /** @param {string} entity the chosen entity */
  select(entity) {
    this.selected = entity;
    inNextFrame(this.render);
  }

  close() {
    this.ended.abort();
    this.giveBack();
  }

  render() {
    const entity = this.player?.entity ?? this.offered()?.name;
    this.root.hidden = entity === undefined || this.session.standing.phase !== "greeted";
    if (this.root.hidden) this.menu.close();
    this.menuButton.hidden = !this.player;
    if (entity === undefined) return;
    const others = [...(this.entities.get(entity)?.agents ?? [])].filter((agent) => agent !== this.player?.agent);
    const obstacle = this.player ? "" : this.obstacle(others);
    say(this.who, this.player ? `You play ${entity}${others.length > 0 ? `, with ${others.join(", ")}` : ""}.` : obstacle);
    say(this.take, this.player ? "Stop playing" : `${others.length > 0 ? "Join" : "Control"} ${entity} here`);
    this.playPage.hidden = this.player !== null || obstacle !== "";
    say(this.playPage, `Play ${entity}`);
    this.playPage.href = playAddress(this.environment, entity);
    this.take.setAttribute("aria-disabled", String(obstacle !== ""));
  }

  /** Returns the entity that can be taken: the chosen one, or else the first free one. */
  offered() {
    return this.entities.get(this.selected) ?? [...this.entities.values()].find(({ agents }) => agents.size === 0);
  }

  /** Returns the reason why the entity cannot be taken, if so. @param {string[]} others its agents */
  obstacle(others) {
    if (this.state !== "running" && this.state !== "paused") return "There is no entity to play now.";
    const isFull = others.length > 0 && this.ontology?.relation.oneAgentPerEntity;
    return isFull ? `${others.join(", ")} controls it, and it can have only one agent.` : "";
  }

  async takeOrLeave() {
    if (this.take.ariaDisabled === "true" || this.take.ariaBusy === "true") return;
    if (this.player) return this.leave("");
    const entity = this.offered();
    if (!entity) return;
    this.take.ariaBusy = "true";
    await orComplain(this.begin(new Player(this.session, this.environment, entity.name)));
    this.take.ariaBusy = "false";
  }

  /** @param {Player} player */
  async begin(player) {
    try {
      await player.begin((events, { moment }) => {
        events.forEach((event) => this.deeds.add("event", event));
        this.perceived(events, moment);
      });
      this.hasMenus = (await player.menu()).items.length > 0;
    } catch (why) {
      player.leave();
      throw why;
    }
    // The user may have left this view meanwhile.
    if (this.ended.signal.aborted) return player.leave();
    this.player = player;
    this.hasBody = this.entities.get(player.entity)?.agents.has(player.agent) ?? false;
    this.deeds.clear();
    this.changed(player.entity);
    this.scene.letAsk((at, anchor) => this.ask(at, anchor));
    this.render();
    announce(`You play ${player.entity}. Point in the scene, or use the button Menu.`);
  }

  giveBack() {
    this.menu.close();
    this.player?.leave();
    this.player = null;
    this.hasBody = false;
  }

  /** @param {string} why the message for the user */
  leave(why) {
    this.giveBack();
    if (document.activeElement === this.menuButton) this.take.focus();
    this.say(why, null);
    this.scene.letAsk(null);
    this.changed("");
    this.render();
  }

  /**
   * Shows the menu.
   * @param {[x: number, y: number] | null} at the point in the scene; null without pointing
   * @param {Anchor} anchor
   */
  async ask(at, anchor) {
    const { player } = this;
    if (!player) return;
    this.say("", null);
    try {
      const { subject, items } = await player.menu(at ? { at } : {});
      if (player !== this.player) return;
      const groups = choicesOf(items, (item) => this.choose(item, anchor));
      const all = this.allActions(anchor);
      if (all && !this.hasMenus) groups.push(all);
      else if (all && !at) groups.push({ title: "", entries: [all] });
      if (groups.length > 0) this.menu.open((at && subject) || player.entity, groups, anchor);
      else this.say("There is nothing to choose here.", anchor);
    } catch (why) {
      this.say(/** @type {Error} */ (why).message, anchor);
    }
  }

  /** @param {Anchor} anchor */
  allActions(anchor) {
    const of = this.entities.get(this.player?.entity ?? "")?.entityType;
    const type = this.ontology?.entityTypes.find(({ name }) => name === of);
    return type && type.actions.length > 0 ? actionsOf(type, (action) => this.fillIn(action, anchor)) : undefined;
  }

  /**
   * @param {MenuItem} item
   * @param {Anchor} anchor
   */
  async choose({ action }, anchor) {
    try {
      await this.act(action);
    } catch (why) {
      this.say(/** @type {Error} */ (why).message, anchor);
    }
  }

  /**
   * Asks for the parameters of an action.
   * @param {Signature} action
   * @param {Anchor} anchor
   */
  fillIn(action, anchor) {
    const { name, parameters, documentation } = action;
    if (parameters.length === 0) return void this.choose({ sections: [], label: name, action: { name } }, anchor);
    const form = new ParametersForm({ parameters, types: this.ontology?.types ?? {} }, {}, saySignature(action));
    openDialog({
      title: name,
      content: [element("p", { class: "hint" }, ...renderLine(documentation.replaceAll("\n", " "))), form.element],
      confirm: "Act",
      act: () => this.act({ name, args: inOrder(action, form.read()) }),
    });
  }

  /** @param {Term} action */
  async act(action) {
    // A dialog may still be open after the entity was lost.
    if (!this.player) throw new Error("You no longer play.");
    try {
      const found = await this.player.act(action);
      this.deeds.add("action", action);
      for (const percept of found) this.deeds.add("event", percept);
    } catch (why) {
      this.deeds.addFailure(/** @type {Error} */ (why).message);
      throw why;
    }
  }

  /**
   * Shows an error at the place where the user has pointed.
   * @param {string} text
   * @param {Anchor | null} anchor
   */
  say(text, anchor) {
    clearTimeout(this.replyTimer);
    fill(this.reply, ...renderMessage(text));
    const stage = this.scene.stage.getBoundingClientRect();
    const share = (/** @type {number} */ from, /** @type {number} */ size) => Math.min(Math.max(from / size, 0), 1);
    const [x, y] = anchor ? [share(anchor.x - stage.left, stage.width), share(anchor.y - stage.top, stage.height)] : [0.5, 0];
    this.reply.style.setProperty("--x", String(x));
    this.reply.style.setProperty("--y", String(y));
    this.replyTimer = setTimeout(() => fill(this.reply), REPLY_MS);
  }
}
