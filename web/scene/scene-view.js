// The scene on the page: a canvas for viewing, zooming and choosing, and the same as text.

/** @import { SceneUpdate } from "../protocol/protocol.js" */
/** @import { Thing } from "./scene.js" */

import { element, fill, find, say } from "../page/element.js";
import { inNextFrame, unhurried } from "../page/frame.js";
import { listenToGestures } from "./gestures.js";
import { Painter } from "./painter.js";
import { Scene, centerX, centerY } from "./scene.js";
import { printParameter } from "../protocol/terms.js";
import { Viewport } from "./viewport.js";

/** Distance beside a shape at which it is still hit, since fingers are thick and shapes small. */
const REACH_PX = 14;
const ZOOM = 1.5;
const TEXT_PAUSE_MS = 1000;
const LINES_OF_TEXT = 300;

/**
 * A point of the window, below which a menu opens, or above another one if there is no space.
 * @typedef {{ x: number, y: number, above?: number }} Anchor
 */

/**
 * With a place of the scene, and where that is in the window.
 * @typedef {(at: [x: number, y: number], anchor: Anchor) => void} Ask
 */

export class SceneView {
  scene = new Scene();
  viewport = new Viewport();
  /** @type {Thing | undefined} */
  pointed = undefined;
  selected = "";
  /** Asks for a menu when the user points; null while the user only watches. @type {Ask | null} */
  ask = null;
  /** The reason the reason why nothing can be shown, if so. */
  refused = "";
  /** The shapes in the text, in this order. @type {Thing[]} */
  named = [];

  /**
   * @param {HTMLElement} root the pane of the environment @param {object} of @param {string} of.environment @param
   * {(entity: string) => boolean} of.isEntity @param {(entity: string) => void} of.choose
   */
  constructor(root, { environment, isEntity, choose }) {
    this.root = root;
    this.environment = environment;
    this.isEntity = isEntity;
    this.stage = find(root, "[data-part=stage]", HTMLElement);
    this.canvas = find(root, "canvas", HTMLCanvasElement);
    this.nothing = find(root, "[data-part=stage] .nothing", HTMLElement);
    this.caption = find(root, "[data-part=pointed]", HTMLElement);
    this.asText = find(root, "[data-part=as-text]", HTMLDetailsElement);
    this.rest = find(this.asText, "[data-part=rest]", HTMLElement);
    this.painter = new Painter(this.canvas);
    this.paint = this.paint.bind(this);
    this.tell = unhurried(TEXT_PAUSE_MS, () => this.writeText());
    this.asText.addEventListener("toggle", () => this.writeText());
    this.asText.addEventListener("click", (event) => this.chooseLine(event));
    this.listen(choose);
  }

  /** @param {SceneUpdate} update */
  show(update) {
    const { scene } = this;
    scene.glides = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    scene.update(update, performance.now());
    this.refused = "";
    if (scene.width !== this.viewport.sceneWidth || scene.height !== this.viewport.sceneHeight) this.takeShape();
    this.pointed = this.pointed && this.scene.things.find(({ key }) => key !== "" && key === this.pointed?.key);
    inNextFrame(this.paint);
    this.tell();
  }

  /** Another view of the scene begins. */
  reset() {
    this.scene = new Scene();
    this.refused = "";
    this.pointed = undefined;
  }

  /** @param {Ask | null} ask the function to call when the user points */
  letAsk(ask) {
    this.ask = ask;
    this.stage.classList.toggle("played", ask !== null);
    fill(find(this.asText, "ul", HTMLUListElement));
    this.writeText();
  }

  /** @param {string} entity */
  select(entity) {
    this.selected = entity;
    inNextFrame(this.paint);
  }

  /** @param {string} reason the reason why nothing can be shown */
  refuse(reason) {
    this.refused = reason;
    inNextFrame(this.paint);
  }

  close() {
    this.observer?.disconnect();
  }

  /** Sets the aspect ratio of the stage. */
  takeShape() {
    const { width, height, isEmpty } = this.scene;
    this.viewport.show(this.scene);
    this.stage.style.setProperty("--aspect", isEmpty ? "2.2" : String(width / height));
    this.reflectZoom();
  }

  paint() {
    const now = performance.now();
    const isEmpty = this.scene.isKnown && this.scene.isEmpty;
    this.say(
      this.refused || (isEmpty ? "This environment has no scene. The percepts of an entity are shown instead." : ""),
    );
    const selected = this.selected ? this.scene.find(this.selected) : undefined;
    this.painter.paint(this.scene, this.viewport, { selected, pointed: this.pointed }, now);
    if (this.scene.isMoving(now)) inNextFrame(this.paint);
  }

  /** @param {string} text */
  say(text) {
    say(this.nothing, text);
    this.nothing.hidden = text === "";
  }

  /** @param {(entity: string) => void} choose */
  listen(choose) {
    listenToGestures(this.canvas, this.viewport, {
      moved: () => this.moved(),
      pointed: (point) => this.point(point && this.hit(point.x, point.y, () => true)),
      chosen: ({ x, y }) => {
        const { left, top } = this.canvas.getBoundingClientRect();
        if (this.ask) return this.ask(this.viewport.toScene(x, y), { x: left + x, y: top + y });
        const hit = this.hit(
          x, y, ({ shape }) => typeof shape.standsFor === "string" && this.isEntity(shape.standsFor),
        );
        if (hit) choose(/** @type {string} */ (hit.shape.standsFor));
      },
    });
    this.observer = new ResizeObserver(() => {
      this.viewport.resize(this.canvas.clientWidth, this.canvas.clientHeight);
      this.painter.adapt();
      inNextFrame(this.paint);
    });
    this.observer.observe(this.canvas);
    for (const [view, act] of Object.entries(this.views())) {
      find(this.root, `[data-view=${view}]`, HTMLButtonElement).addEventListener("click", () => {
        act();
        this.moved();
      });
    }
    if (!document.fullscreenEnabled) find(this.root, "[data-view=large]", HTMLButtonElement).hidden = true;
  }

  /** @returns {{ [view: string]: () => void }} */
  views() {
    return {
      closer: () => this.viewport.zoomBy(ZOOM),
      away: () => this.viewport.zoomBy(1 / ZOOM),
      whole: () => this.viewport.showAll(),
      large: () => void (document.fullscreenElement ? document.exitFullscreen() : this.root.requestFullscreen()),
    };
  }

  moved() {
    this.reflectZoom();
    inNextFrame(this.paint);
  }

  /** A finger scrolls the page over a completely visible scene, and moves one that is zoomed in. */
  reflectZoom() {
    this.stage.classList.toggle("near", !this.viewport.isWhole);
  }

  /** @param {Thing | null | undefined} thing */
  point(thing) {
    if (thing === this.pointed) return;
    this.pointed = thing ?? undefined;
    const { label = "", standsFor } = thing?.shape ?? {};
    const parts = [label, standsFor === undefined ? "" : printParameter(standsFor)].filter((part) => part !== "");
    say(this.caption, [...new Set(parts)].join(" · "));
    this.caption.hidden = parts.length === 0;
    this.canvas.classList.toggle("choosable", typeof standsFor === "string" && this.isEntity(standsFor));
    inNextFrame(this.paint);
  }

  /**
   * Returns the shape at a point of the view: the last painted one, or else one nearby.
   * @param {number} x
   * @param {number} y
   * @param {(thing: Thing) => boolean} counts
   */
  hit(x, y, counts) {
    const [sceneX, sceneY] = this.viewport.toScene(x, y);
    const things = this.scene.things.filter((thing) => (thing.key !== "" || thing.shape.label) && counts(thing));
    const distances = things.map(({ box }) => {
      const beside = Math.max(box.x - sceneX, sceneX - box.x - box.width, 0);
      const above = Math.max(box.y - sceneY, sceneY - box.y - box.height, 0);
      return Math.hypot(beside, above) * this.viewport.scale;
    });
    const nearest = distances.reduce((least, distance) => Math.min(least, distance), Infinity);
    return nearest <= REACH_PX ? things[distances.lastIndexOf(nearest)] : undefined;
  }

  /** Describes the scene for screen readers. */
  writeText() {
    const { width, height, things } = this.scene;
    const named = things.filter(({ shape }) => shape.label || shape.standsFor !== undefined);
    const size = `${round(width)} by ${round(height)} units, ${named.length} named shapes`;
    this.canvas.setAttribute("aria-label", `Scene of ${this.environment}: ${this.scene.isEmpty ? "empty" : size}`);
    if (!this.asText.open) return;
    this.named = named.slice(0, LINES_OF_TEXT);
    const list = find(this.asText, "ul", HTMLUListElement);
    const lines = list.getElementsByClassName("line");
    this.named.forEach((thing, place) => say(lines[place] ?? this.addLine(list), describe(thing)));
    while (lines.length > this.named.length) lines[lines.length - 1]?.closest("li")?.remove();
    const more = named.length - this.named.length;
    say(this.rest, more > 0 ? `and ${more} more` : named.length === 0 ? "There are no named shapes." : "");
  }

  /** While the user plays, each line is a button that opens a menu. @param {HTMLUListElement} list */
  addLine(list) {
    const line = this.ask
      ? element("button", { type: "button", class: "link line", "aria-haspopup": "menu" })
      : element("span", { class: "line" });
    list.append(element("li", {}, line));
    return line;
  }

  /** @param {MouseEvent} event */
  chooseLine({ target }) {
    if (!this.ask || !(target instanceof HTMLButtonElement)) return;
    const lines = [...this.asText.getElementsByClassName("line")];
    const thing = this.named[lines.indexOf(target)];
    const { left, top, bottom } = target.getBoundingClientRect();
    if (thing) this.ask([centerX(thing.box), centerY(thing.box)], { x: left, y: bottom, above: top });
  }
}

/** @param {Thing} thing */
function describe({ shape, box }) {
  const { label, standsFor } = shape;
  const meaning = standsFor === undefined ? "" : printParameter(standsFor);
  const name = label && meaning && label !== meaning ? `${label}, which is ${meaning}` : label || meaning;
  return `${name}, at ${round(centerX(box))}, ${round(centerY(box))}`;
}

/** @param {number} value */
function round(value) {
  return String(Math.round(value * 10) / 10);
}
