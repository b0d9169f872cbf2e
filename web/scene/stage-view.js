// A scene as a player sees it: a drawing whose places and things are buttons, as large as the window allows.

/** @import { SceneUpdate } from "../protocol/protocol.js" */
/** @import { Box, Piece } from "./stage.js" */
/** @import { Looks } from "./looks.js" */

import { shown } from "../page/element.js";
import { inNextFrame } from "../page/frame.js";
import { inkOn } from "./label.js";
import { css } from "./looks.js";
import { Stage } from "./stage.js";

const SPACE = "http://www.w3.org/2000/svg";

/** Sizes in pixels that eyes and fingers need. */
const THING_PX = 26;
const SMALLEST_THING_PX = 12;
const ENTITY_PX = 30;
const REACH_PX = 22;
const DOOR_PX = 6;
const LETTER_PX = 8;
const SMALLEST_TEXT_PX = 7;
/** The height of the name of a place, and of the strip below its things in which entities are shown. */
const NAME_PX = 17;
const STRIP = 0.28;

/** Limits for the time in which an entity glides to its next position. */
const SHORTEST_GLIDE_MS = 40;
const LONGEST_GLIDE_MS = 250;
/** A piece that moves further than this many times its size jumps. */
const FARTHEST_GLIDE = 3;

/** Maximum number of shapes that are drawn. */
const MOST_SHAPES = 4000;

/** @typedef {{ at: [x: number, y: number], name: string, element: Element | null }} Target */

export class StageView {
  stage = new Stage();
  /** Elements by kind and key, which are kept while their shapes change. @type {Map<string, SVGElement>} */
  kept = new Map();
  /**
   * The centres of what can be chosen, in pixels.
   * @type {{ piece: Piece, element: SVGElement, x: number, y: number }[]}
   */
  targets = [];
  updatedAt = 0;
  glideMs = LONGEST_GLIDE_MS;
  focusedKey = "";
  /** Whether the scene gets the focus when it is shown. */
  isAwaited = false;

  /**
   * @param {HTMLElement} root
   * @param {Looks} looks
   * @param {(target: Target) => void} choose called when the player chooses a place, a thing or a point
   */
  constructor(root, looks, choose) {
    this.root = root;
    this.looks = looks;
    this.choose = choose;
    this.svg = make("svg", { role: "group", "aria-label": "Scene", class: "drawing" });
    const names = ["ground", "places", "doors", "route", "past", "things", "entities"];
    this.layers = Object.fromEntries(names.map((name) => [name, make("g", { class: name })]));
    this.svg.append(pattern(), ...Object.values(this.layers));
    root.append(this.svg);
    this.render = this.render.bind(this);
    this.svg.addEventListener("click", (event) => this.clicked(event));
    this.svg.addEventListener("keydown", (event) => this.press(event));
    this.svg.addEventListener("focusin", ({ target }) => this.keepReachable(target));
    this.observer = new ResizeObserver(() => inNextFrame(this.render));
    this.observer.observe(root);
  }

  /** @param {SceneUpdate} update */
  show(update) {
    const now = performance.now();
    const pause = Math.min(now - this.updatedAt, LONGEST_GLIDE_MS);
    this.glideMs = Math.max(0.7 * this.glideMs + 0.3 * pause, SHORTEST_GLIDE_MS);
    this.updatedAt = now;
    this.stage.update(update);
    inNextFrame(this.render);
  }

  close() {
    this.observer.disconnect();
  }

  /** Moves the focus to the scene, as soon as it is there. */
  focusSoon() {
    this.isAwaited = true;
    inNextFrame(this.render);
  }

  /** Moves the focus to the place of the player, or the first one. */
  focus() {
    const { oneself } = this.stage;
    const here = oneself && this.stage.placeOf(oneself);
    const target = this.targets.find(({ piece }) => piece.key === here?.key) ?? this.targets[0];
    if (target) target.element.focus();
    else this.root.focus();
  }

  render() {
    const { stage } = this;
    const { clientWidth, clientHeight } = this.root;
    if (!stage.isKnown || clientWidth === 0) return;
    const hadFocus = this.svg.contains(document.activeElement);
    const { x, y, width, height } = stage.view;
    this.scale = Math.min(clientWidth / width, clientHeight / height);
    this.left = (clientWidth - width * this.scale) / 2 - x * this.scale;
    this.bottom = clientHeight - (clientHeight - height * this.scale) / 2 + y * this.scale;
    this.targets = [];
    this.used = new Set();
    const { ground, places, doors, route, past, things, entities } = this.layers;
    const rolesAreShown = stage.hasRoles;
    this.svg.classList.toggle("plain", !rolesAreShown);
    const allDoors = stage.of("door", "closedDoor").slice(0, MOST_SHAPES);
    const ways = stage.of("route").filter(({ shape }) => shape.outline.line);
    this.arrange(ground, stage.ground.slice(0, MOST_SHAPES).map((piece, index) => this.plain(piece, index)));
    this.arrange(places, stage.places.slice(0, MOST_SHAPES).map((piece, index) => this.place(piece, index)));
    this.arrange(doors, allDoors.map((piece, index) => this.door(piece, index)));
    this.arrange(route, ways.map((piece, index) => this.route(piece, index)));
    this.arrange(past, this.things([...stage.remembered.values()], "past"));
    this.arrange(things, this.things(stage.of("thing").slice(0, MOST_SHAPES), "thing"));
    this.arrange(entities, this.entities());
    for (const key of this.kept.keys()) if (!this.used.has(key)) this.kept.delete(key);
    this.keepReachable(document.activeElement);
    // What had the focus may be gone.
    if (this.isAwaited || hadFocus && !this.svg.contains(document.activeElement)) this.focus();
    this.isAwaited = false;
  }

  /** @param {Element} layer @param {Element[]} elements */
  arrange(layer, elements) {
    const isSame =
      elements.length === layer.children.length &&
      elements.every((element, place) => layer.children[place] === element);
    if (isSame) return;
    const focused = document.activeElement;
    layer.replaceChildren(...elements);
    if (focused instanceof SVGElement && layer.contains(focused) && document.activeElement !== focused) focused.focus();
  }

  /** Converts a box of the scene to pixels. @param {Box} box @returns {Box} */
  toPixels({ x, y, width, height }) {
    const { scale = 1, left = 0, bottom = 0 } = this;
    return { x: left + x * scale, y: bottom - (y + height) * scale, width: width * scale, height: height * scale };
  }

  /** @param {Piece} piece @param {number} index */
  plain({ shape, name, box }, index) {
    const element = this.keep(`plain ${index}`, "g", { class: "shape" });
    const color = css(shape.color);
    if (shape.outline.line) {
      fillWith(
        element,
        make("polyline", {
          points: this.points(shape.outline.line), style: `stroke: color-mix(in oklab, ${color} 45%, var(--surface))`,
          class: "wall",
        }),
      );
      return element;
    }
    const pixels = this.toPixels(box);
    const fill = this.stage.hasRoles ? `fill: color-mix(in oklab, ${color} 12%, var(--hall))` : `fill: ${color}`;
    const drawn = shape.outline.circle ? make("ellipse", ellipse(pixels)) : make("rect", { ...pixels });
    set(drawn, { style: fill });
    const label = this.stage.hasRoles ? "" : shape.label || "";
    fillWith(
      element, drawn, label && fits(label, pixels) && text(label, center(pixels), `fill: ${inkOn(shape.color)}`),
    );
    if (name) element.setAttribute("data-name", name);
    return element;
  }

  /** @param {Piece} piece @param {number} index */
  place(piece, index) {
    const { shape, name, box } = piece;
    const isUnseen = this.stage.isUnseen(piece);
    const element = this.keep(`place ${name || index}`, "g");
    const pixels = this.toPixels(box);
    const color = css(shape.color);
    const look = isUnseen ? "fill: url(#unseen-hatch)" : `fill: color-mix(in oklab, ${color} 16%, var(--room))`;
    const round = Math.min(8, pixels.width / 10);
    const size = Math.min(13, (pixels.width - 8) / (0.8 * name.length));
    const margin = Math.min(8, pixels.width / 12);
    const title =
      name &&
      size >= SMALLEST_TEXT_PX &&
      text(shown(name), { x: pixels.x + margin, y: pixels.y + size + 2 }, `font-size: ${size}px`, "name");
    fillWith(element, make("rect", { ...pixels, rx: round, style: look }), title);
    element.setAttribute("class", isUnseen ? "place hatched" : "place");
    if (name)
      this.offer(element, piece, `${name}${isUnseen ? ", not seen yet" : ""}${this.contents(piece)}`, center(pixels));
    return element;
  }

  /** What lies in a place, for those who do not see it. @param {Piece} place */
  contents(place) {
    const inside = (/** @type {Iterable<Piece>} */ pieces) =>
      [...pieces].filter((piece) => this.stage.placeOf(piece)?.key === place.key);
    const things = inside(this.stage.of("thing")).map(({ shape, name }) => shape.label || name);
    const past = inside(this.stage.remembered.values()).map(({ shape, name }) => shape.label || name);
    const { oneself } = this.stage;
    const isHere = oneself && this.stage.placeOf(oneself)?.key === place.key;
    const parts = [
      isHere && "you are here", things.length > 0 && `with ${things.join(", ")}`,
      past.length > 0 && `last seen with ${past.join(", ")}`,
    ];
    return parts.filter(Boolean).map((part) => `, ${part}`).join("");
  }

  /** @param {Piece} piece @param {number} index */
  door({ shape, box }, index) {
    const element = this.keep(`door ${index}`, "rect");
    const { x, y, width, height } = this.toPixels(box);
    const [wide, high] = [Math.max(width, DOOR_PX), Math.max(height, DOOR_PX)];
    set(element, { x: x + (width - wide) / 2, y: y + (height - high) / 2, width: wide, height: high, rx: DOOR_PX / 2 });
    element.setAttribute("class", shape.role === "closedDoor" ? "door closed" : "door");
    return element;
  }

  /** @param {Piece} piece @param {number} index */
  route({ shape }, index) {
    const element = this.keep(`route ${index}`, "polyline", { class: "way" });
    const { oneself } = this.stage;
    set(element, {
      points: this.points(shape.outline.line ?? []),
      style: `stroke: ${oneself ? this.looks.of(oneself.shape.standsFor ?? "").color : css(shape.color)}`,
    });
    return element;
  }

  /**
   * Things in a place are as large as fingers need, in rows, if their places allow.
   * @param {Piece[]} pieces
   * @param {"thing" | "past"} kind
   */
  things(pieces, kind) {
    /** @type {Map<Piece | undefined, Piece[]>} */
    const byPlace = new Map();
    for (const piece of pieces) {
      const place = this.stage.placeOf(piece);
      byPlace.set(place, [...(byPlace.get(place) ?? []), piece]);
    }
    return [...byPlace].flatMap(([place, inside]) => {
      const room = place && this.toPixels(place.box);
      const free = room && {
        x: room.x + 3, y: room.y + NAME_PX, width: room.width - 6, height: room.height * (1 - STRIP) - NAME_PX,
      };
      const edge = free ? edgeFor(inside.length, free) : THING_PX;
      return inside.map((piece, index) => {
        const own = this.toPixels(piece.box);
        const size = Math.max(Math.min(edge, Math.max(THING_PX, own.width)), SMALLEST_THING_PX);
        const columns = free ? Math.max(1, Math.floor(free.width / (size + 4))) : 1;
        const corner = free
          ? { x: free.x + 2 + (index % columns) * (size + 4), y: free.y + Math.floor(index / columns) * (size + 4) }
          : { x: own.x + (own.width - size) / 2, y: own.y + (own.height - size) / 2 };
        return this.thing(piece, kind, { ...corner, width: size, height: size });
      });
    });
  }

  /** @param {Piece} piece @param {"thing" | "past"} kind @param {Box} box */
  thing(piece, kind, box) {
    const { shape, name } = piece;
    const label = shown(shape.label || name);
    const element = this.keep(`${kind} ${piece.key}`, "g", { class: kind });
    const sign = fits(label, box) ? label : label.slice(0, 1);
    fillWith(
      element,
      make("rect", { ...box, rx: Math.min(6, box.width / 5), style: `fill: ${css(shape.color)}` }),
      text(sign, center(box), `fill: ${inkOn(shape.color)}; font-size: ${Math.min(13, box.height / 2)}px`),
    );
    if (kind === "thing") this.offer(element, piece, label, center(box));
    return element;
  }

  /** Each entity once: its first shape is itself, and further ones are what it holds. */
  entities() {
    /** @type {Map<string, Piece[]>} */
    const byKey = new Map();
    for (const piece of this.stage.of("entity", "oneself"))
      byKey.set(piece.key, [...(byKey.get(piece.key) ?? []), piece]);
    return [...byKey.values()].map(([body, ...held]) => this.entity(/** @type {Piece} */ (body), held));
  }

  /** @param {Piece} body @param {Piece[]} held */
  entity(body, held) {
    const { shape, key, box } = body;
    const pixels = this.toPixels(box);
    const { radius, x, y } = this.standing(body, pixels);
    const wide = 2 * radius;
    const look = this.looks.of(shape.standsFor ?? "");
    const isOneself = shape.role === "oneself";
    const known = this.kept.has(`entity ${key}`);
    const element = this.keep(`entity ${key}`, "g");
    element.setAttribute("class", isOneself ? "entity oneself" : "entity");
    const [wasX, wasY] = (element.dataset["at"] ?? `${x} ${y}`).split(" ").map(Number);
    const glides = known && Math.hypot(x - (wasX ?? x), y - (wasY ?? y)) < FARTHEST_GLIDE * wide;
    element.style.transition = glides ? `transform ${Math.round(this.glideMs)}ms linear` : "none";
    element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    element.dataset["at"] = `${x} ${y}`;
    element.dataset["name"] = look.name;
    const loads = held.map(({ shape }, index) =>
      make("rect", {
        class: "load", x: radius * 0.35 - index * 4, y: -radius * 1.25 - index * 4, width: radius * 0.9,
        height: radius * 0.9, rx: 3, style: `fill: ${css(shape.color)}`,
      }),
    );
    const signature = `${look.sign} ${radius} ${JSON.stringify(held.map(({ shape }) => shape.color))}`;
    if (element.dataset["look"] !== signature) {
      element.dataset["look"] = signature;
      const halo = isOneself && make("circle", { r: radius * 1.45, class: "halo", style: `fill: ${look.color}` });
      const size = Math.min(radius, (radius * 2.6) / Math.max(look.sign.length, 1));
      const title = make("title", {});
      title.textContent = isOneself ? `${shown(look.name)} (you)` : shown(look.name);
      fillWith(
        element, title, halo, make("circle", { r: radius, class: "body", style: `fill: ${look.color}` }),
        text(look.sign, { x: 0, y: 0 }, `fill: ${look.ink}; font-size: ${size}px`), ...loads,
      );
    }
    return element;
  }

  /**
   * Returns where an entity is shown: in a place with things below them, so that it hides none.
   * @param {Piece} body @param {Box} pixels
   */
  standing(body, pixels) {
    const { x, y } = center(pixels);
    const usual = Math.max(Math.min(pixels.width, pixels.height), ENTITY_PX) / 2;
    const place = this.stage.placeOf(body);
    const isAmongThings = place && this.stage.of("thing").some((thing) => this.stage.placeOf(thing)?.key === place.key);
    if (!isAmongThings) return { radius: usual, x, y };
    const room = this.toPixels(place.box);
    const radius = Math.min(usual, Math.max((room.height * STRIP) / 2, 8));
    return { radius, x, y: Math.max(y, room.y + room.height - radius - 2) };
  }

  /** @param {[number, number][]} line */
  points(line) {
    return line
      .map(([x, y]) => this.toPixels({ x, y, width: 0, height: 0 }))
      .map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`)
      .join(" ");
  }

  /**
   * Makes an element a button.
   * @param {SVGElement} element @param {Piece} piece @param {string} name @param {{ x: number, y: number }} center
   */
  offer(element, piece, name, { x, y }) {
    set(element, { role: "button", "aria-label": shown(name), "data-name": piece.name });
    if (!element.hasAttribute("tabindex")) element.setAttribute("tabindex", "-1");
    this.targets.push({ piece, element, x, y });
  }

  /** The tab key reaches one target, and the arrow keys the others from there. @param {EventTarget | null} focused */
  keepReachable(focused) {
    const one =
      this.targets.find(({ element }) => element === focused) ??
      this.targets.find(({ piece }) => piece.key === this.focusedKey) ??
      this.targets[0];
    this.focusedKey = one?.piece.key ?? "";
    for (const target of this.targets) target.element.setAttribute("tabindex", target === one ? "0" : "-1");
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const from = this.targets.find(({ element }) => element === document.activeElement);
    if (!from) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.choose(this.targetOf(from.piece, from.element));
    }
    const direction = DIRECTIONS[event.key];
    if (!direction) return;
    event.preventDefault();
    const [towardsX, towardsY] = direction;
    const ahead = this.targets
      .map((target) => ({ target, x: target.x - from.x, y: target.y - from.y }))
      .map(({ target, x, y }) => ({
        target, along: x * towardsX + y * towardsY, beside: Math.abs(x * towardsY) + Math.abs(y * towardsX),
      }))
      .filter(({ along, beside }) => along > 1 && along >= beside / 3);
    ahead.sort((one, other) => one.along + 2 * one.beside - other.along - 2 * other.beside)[0]?.target.element.focus();
  }

  /** @param {MouseEvent} event */
  clicked({ clientX, clientY, target }) {
    const { left, top } = this.svg.getBoundingClientRect();
    const [x, y] = [clientX - left, clientY - top];
    const things = this.targets.filter(({ piece }) => piece.shape.role === "thing");
    const distance = (/** @type {{ x: number, y: number }} */ one) => Math.hypot(one.x - x, one.y - y);
    const nearest = things.sort((one, other) => distance(one) - distance(other))[0];
    if (nearest && distance(nearest) <= REACH_PX) return this.choose(this.targetOf(nearest.piece, nearest.element));
    const hit = target instanceof Element ? target.closest("[role=button]") : null;
    const place = this.targets.find(({ element }) => element === hit);
    if (place) return this.choose(this.targetOf(place.piece, place.element));
    const { scale = 1, left: originX = 0, bottom = 0 } = this;
    this.choose({ at: [(x - originX) / scale, (bottom - y) / scale], name: "", element: null });
  }

  /**
   * A thing is meant in its middle, and a place in its corner, where there is nothing else.
   * @param {Piece} piece @param {Element} element @returns {Target}
   */
  targetOf({ shape, name, box }, element) {
    const share = shape.role === "thing" ? 0.5 : 0.04;
    return { at: [box.x + share * box.width, box.y + share * box.height], name, element };
  }

  /**
   * Returns the element that has been shown for the same before, or a new one.
   * @param {string} key @param {string} tag @param {{ [name: string]: string }} [attributes]
   */
  keep(key, tag, attributes = {}) {
    this.used?.add(key);
    const kept = this.kept.get(key) ?? make(tag, attributes);
    this.kept.set(key, kept);
    return kept;
  }
}

/** @type {{ [key: string]: [x: number, y: number] }} */
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The largest edge at which this many squares fit. @param {number} count @param {Box} free */
function edgeFor(count, { width, height }) {
  for (let edge = THING_PX; edge > SMALLEST_THING_PX; edge -= 1) {
    if (Math.floor(width / (edge + 4)) * Math.floor((height + 4) / (edge + 4)) >= count) return edge;
  }
  return SMALLEST_THING_PX;
}

/** @param {Box} box */
function center({ x, y, width, height }) {
  return { x: x + width / 2, y: y + height / 2 };
}

/** @param {Box} box */
function ellipse({ x, y, width, height }) {
  return { cx: x + width / 2, cy: y + height / 2, rx: width / 2, ry: height / 2 };
}

/** @param {string} label @param {Box} box */
function fits(label, { width, height }) {
  return label.length * LETTER_PX <= width && height >= 12;
}

/** @param {string} content @param {{ x: number, y: number }} at @param {string} style @param {string} [kind] */
function text(content, { x, y }, style, kind = "sign") {
  const made = make("text", { x, y, style, class: kind, "aria-hidden": "true" });
  made.textContent = content;
  return made;
}

/** The hatching of places that have not been seen. */
function pattern() {
  const hatch = make("pattern", {
    id: "unseen-hatch", width: 9, height: 9, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)",
  });
  hatch.append(
    make("rect", { width: 9, height: 9, class: "hatch-ground" }), make("line", { y2: 9, class: "hatch-line" }),
  );
  const definitions = make("defs", {});
  definitions.append(hatch);
  return definitions;
}

/** @param {string} tag @param {{ [name: string]: string | number }} attributes */
function make(tag, attributes) {
  const made = /** @type {SVGElement} */ (document.createElementNS(SPACE, tag));
  set(made, attributes);
  return made;
}

/**
 * The page's security policy forbids the attribute `style`.
 * @param {SVGElement} element @param {{ [name: string]: string | number }} attributes
 */
function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "style") {
      element.style.cssText = String(value);
      continue;
    }
    const text = typeof value === "number" ? String(Math.round(value * 10) / 10) : value;
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** @param {Element} element @param {...(Element | false | "" | undefined)} children */
function fillWith(element, ...children) {
  const there = children.filter((child) => child instanceof Element);
  element.replaceChildren(.../** @type {Element[]} */ (there));
}
