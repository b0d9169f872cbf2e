// What a stage shows: the shapes of a scene by their roles, placed in pixels of the page.

/** @import { Outline, SceneUpdate, Shape } from "../protocol/protocol.js" */

import { nameOf } from "./looks.js";

/** A rectangle, from its upper left corner. @typedef {{ x: number, y: number, width: number, height: number }} Box */

/**
 * A shape with derived data. Its box is in units of the scene, where y grows upwards, from the lower left corner.
 * @typedef {{ shape: Shape, key: string, name: string, box: Box }} Piece
 */

/** Space around the outermost shapes, as a part of the size of the scene. */
const MARGIN = 0.015;

export class Stage {
  /** @type {Piece[]} */
  pieces = [];
  /** The scene's own size. */
  width = 0;
  height = 0;
  /** Things that were seen in a place which is out of sight now. @type {Map<string, Piece>} */
  remembered = new Map();
  /** The keys of places that have been in sight. @type {Set<string>} */
  seen = new Set();
  isKnown = false;

  /** @param {SceneUpdate} update */
  update({ width, height, count, shapes }) {
    const before = this.of("thing");
    [this.width, this.height, this.isKnown] = [width, height, true];
    this.pieces.length = Math.min(this.pieces.length, count);
    for (const [place, shape] of shapes) this.pieces[place] = pieceOf(shape);
    for (const { key } of this.of("place")) this.seen.add(key);
    this.remember(before);
  }

  /** Forgets what was seen. */
  forget() {
    this.seen.clear();
    this.remembered.clear();
  }

  /** Whether a place has never been in sight. @param {Piece} place */
  isUnseen({ shape, key }) {
    return shape.role === "unseenPlace" && !this.seen.has(key);
  }

  /** @param {...NonNullable<Shape["role"]>} roles */
  of(...roles) {
    return this.pieces.filter(({ shape }) => shape.role && roles.includes(shape.role));
  }

  get places() {
    return this.of("place", "unseenPlace");
  }

  get oneself() {
    return this.of("oneself")[0];
  }

  /** Whether the shapes have roles. Other scenes are shown as they are. */
  get hasRoles() {
    return this.pieces.some(({ shape }) => shape.role);
  }

  /** The shapes without a role that are visible beside those with one: the ground, and walls. */
  get ground() {
    const keys = new Set(this.pieces.filter(({ shape, key }) => shape.role && key !== "").map(({ key }) => key));
    const isHidden = (/** @type {Piece} */ { shape, key }) =>
      shape.role || keys.has(key) || (shape.outline.line && shape.label);
    return this.hasRoles ? this.pieces.filter((piece) => !isHidden(piece)) : this.pieces;
  }

  /** The parts of the goal, in order. The mark on a reached one is no part. */
  get goals() {
    return this.of("goal", "reachedGoal").filter(({ shape }) => shape.role === "goal" || !shape.label);
  }

  /** The part of the scene that is shown, without the goal, which is shown elsewhere. @returns {Box} */
  get view() {
    const shown = this.pieces.filter(({ shape, key }) => (shape.role ? !GOALS.has(shape.role) : key !== ""));
    if (!this.hasRoles || this.goals.length === 0 || shown.length === 0)
      return { x: 0, y: 0, width: this.width, height: this.height };
    const left = Math.min(...shown.map(({ box }) => box.x));
    const bottom = Math.min(...shown.map(({ box }) => box.y));
    const right = Math.max(...shown.map(({ box }) => box.x + box.width));
    const top = Math.max(...shown.map(({ box }) => box.y + box.height));
    const margin = MARGIN * Math.max(right - left, top - bottom);
    return {
      x: left - margin, y: bottom - margin, width: right - left + 2 * margin, height: top - bottom + 2 * margin,
    };
  }

  /** Returns the smallest place that contains the centre of a piece. @param {Piece} piece */
  placeOf({ box }) {
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const around = this.places.filter(
      ({ box }) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height,
    );
    return around.sort((one, other) => one.box.width * one.box.height - other.box.width * other.box.height)[0];
  }

  /**
   * Things that vanish with the sight of their place are still there, as far as the viewer knows.
   * @param {Piece[]} before the things before an update
   */
  remember(before) {
    const there = new Set(this.of("thing").map(({ key }) => key));
    for (const piece of before) if (!there.has(piece.key)) this.remembered.set(piece.key, piece);
    for (const [key, piece] of this.remembered) {
      const place = this.placeOf(piece);
      if (there.has(key) || place?.shape.role !== "unseenPlace") this.remembered.delete(key);
    }
  }
}

/** @type {Set<NonNullable<Shape["role"]>>} */
const GOALS = new Set(["goal", "reachedGoal"]);

/** @param {Shape} shape @returns {Piece} */
function pieceOf(shape) {
  const key = shape.standsFor === undefined ? "" : JSON.stringify(shape.standsFor);
  return { shape, key, name: nameOf(shape.standsFor), box: boxOf(shape.outline) };
}

/** @param {Outline} outline @returns {Box} */
function boxOf({ rectangle, circle, line = [] }) {
  if (rectangle) return rectangle;
  if (circle)
    return {
      x: circle.x - circle.radius, y: circle.y - circle.radius, width: 2 * circle.radius, height: 2 * circle.radius,
    };
  const [xs, ys] = [line.map(([x]) => x), line.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}
