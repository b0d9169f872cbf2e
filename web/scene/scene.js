// The current scene: shapes that are updated, and glide from their old to their new positions.

/** @import { Outline, Parameter, SceneUpdate, Shape } from "../protocol/protocol.js" */

import { shown } from "../page/element.js";

/**
 * A rectangle in the units of the scene, from its lower left corner.
 * @typedef {{ x: number, y: number, width: number, height: number }} Box
 */

/**
 * A shape with derived data.
 * @typedef {object} Thing
 * @property {Shape} shape
 * @property {string} key the parameter that it represents, as comparable text; empty without one
 * @property {Box} box
 * @property {number} changedAt the time of its last change
 * @property {number} fromX the distance to its old position at the last change
 * @property {number} fromY
 */

/**
 * Limits for the duration of a glide, which is the time between updates: shorter ones are invisible, longer ones lag.
 */
const SHORTEST_GLIDE_MS = 16;
const LONGEST_GLIDE_MS = 160;

/** Maximum number of painted characters of a label. */
const LONGEST_LABEL = 200;

/** A shape that moves further than this multiple of its size jumps instead of gliding. */
const FARTHEST_GLIDE = 2;

export class Scene {
  width = 0;
  height = 0;
  /** In the order in which they are painted. @type {Thing[]} */
  things = [];
  /** Whether there was any update. */
  isKnown = false;
  glideMs = 0;
  updatedAt = 0;
  /** The time until which shapes move. */
  movesUntil = 0;
  glides = true;

  get isEmpty() {
    return this.things.length === 0 || this.width <= 0 || this.height <= 0;
  }

  /**
   * @param {SceneUpdate} update
   * @param {number} now
   */
  update({ width, height, count, shapes }, now) {
    const before = this.isKnown ? this.things.slice() : [];
    [this.width, this.height, this.isKnown] = [width, height, true];
    this.keepTime(now);
    this.things.length = Math.min(this.things.length, count);
    const former = new Former(before);
    for (const [place, shape] of shapes) {
      const thing = see(shape, now);
      const was = this.glides && thing.key !== "" ? former.of(thing, place) : undefined;
      if (was) this.beginGlide(thing, was, now);
      this.things[place] = thing;
    }
  }

  /**
   * Returns the distance of a shape to its new position.
   * @param {Thing} thing
   * @param {number} now
   * @returns {[x: number, y: number]}
   */
  offset({ fromX, fromY, changedAt }, now) {
    if ((fromX === 0 && fromY === 0) || now >= changedAt + this.glideMs) return [0, 0];
    const left = 1 - (now - changedAt) / this.glideMs;
    return [fromX * left, fromY * left];
  }

  /** @param {number} now */
  isMoving(now) {
    return now < this.movesUntil;
  }

  /** Returns the last painted shape that represents an entity. @param {string} entity */
  find(entity) {
    return this.things.findLast((thing) => thing.shape.standsFor === entity);
  }

  /** @param {number} now */
  keepTime(now) {
    const interval = Math.min(now - this.updatedAt, LONGEST_GLIDE_MS);
    this.updatedAt = now;
    const usual = this.glideMs === 0 ? interval : 0.8 * this.glideMs + 0.2 * interval;
    this.glideMs = Math.max(usual, SHORTEST_GLIDE_MS);
  }

  /**
   * @param {Thing} thing
   * @param {Thing} was
   * @param {number} now
   */
  beginGlide(thing, was, now) {
    const [offsetX, offsetY] = this.offset(was, now);
    const fromX = centerX(was.box) + offsetX - centerX(thing.box);
    const fromY = centerY(was.box) + offsetY - centerY(thing.box);
    const farthest = FARTHEST_GLIDE * Math.max(thing.box.width, thing.box.height);
    if (Math.hypot(fromX, fromY) > farthest) return;
    [thing.fromX, thing.fromY] = [fromX, fromY];
    this.movesUntil = now + this.glideMs;
  }
}

/** The shapes before an update, where the same shape may have another index. */
class Former {
  /** @param {Thing[]} things */
  constructor(things) {
    this.things = things;
    /** @type {Map<string, Thing> | null} */
    this.byKey = null;
  }

  /**
   * @param {Thing} thing
   * @param {number} place
   */
  of(thing, place) {
    const there = this.things[place];
    if (there && isSame(there, thing)) return there;
    this.byKey ??= new Map(this.things.filter(({ key }) => key !== "").map((one) => [one.key, one]));
    const elsewhere = this.byKey.get(thing.key);
    return elsewhere && isSame(elsewhere, thing) ? elsewhere : undefined;
  }
}

/**
 * Lines do not glide, since it is unknown which points have moved.
 * @param {Thing} one
 * @param {Thing} other
 */
function isSame(one, other) {
  const [form, otherForm] = [one, other].map(({ shape }) =>
    "line" in shape.outline ? "" : Object.keys(shape.outline)[0],
  );
  return one.key === other.key && form !== "" && form === otherForm;
}

/**
 * @param {Shape} update
 * @param {number} now
 * @returns {Thing}
 */
function see(update, now) {
  const shape = update.label ? { ...update, label: shown(update.label.slice(0, LONGEST_LABEL)) } : update;
  return { shape, key: keyOf(shape.standsFor), box: boxOf(shape.outline), changedAt: now, fromX: 0, fromY: 0 };
}

/** @param {Parameter | undefined} standsFor */
function keyOf(standsFor) {
  return standsFor === undefined ? "" : JSON.stringify(standsFor);
}

/**
 * @param {Outline} outline
 * @returns {Box}
 */
function boxOf({ rectangle, circle, line = [] }) {
  if (rectangle) return rectangle;
  if (circle) {
    const { x, y } = circle;
    const radius = Math.abs(circle.radius);
    return { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius };
  }
  let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of line) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [bottom, top] = [Math.min(bottom, y), Math.max(top, y)];
  }
  return { x: left, y: bottom, width: right - left, height: top - bottom };
}

/** @param {Box} box */
export function centerX({ x, width }) {
  return x + width / 2;
}

/** @param {Box} box */
export function centerY({ y, height }) {
  return y + height / 2;
}
