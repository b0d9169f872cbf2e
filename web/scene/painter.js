// Paints a scene on a canvas. Static shapes are painted once, and moving ones repeatedly on top of them.

/** @import { Color, Shape } from "../protocol/protocol.js" */
/** @import { Face } from "./label.js" */
/** @import { Box, Scene, Thing } from "./scene.js" */
/** @import { Viewport } from "./viewport.js" */

import { fittingSize, inkOn } from "./label.js";

/** @typedef {{ selected: Thing | undefined, pointed: Thing | undefined }} Marked */

/** The background of scenes. Scenes choose their colours for it. */
const PAPER = "#ffffff";
/** Time without a change after which a shape counts as static. */
const STILL_MS = 1000;
/** Maximum number of painted points of a line, and of all lines together. Further points are omitted. */
const LONGEST_LINE = 1000;
const LONGEST_LINES = 10_000;
/** Number of newly static shapes from which repainting the background pays off. */
const WORTH_PAINTING = 16;

export class Painter {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = contextOf(canvas);
    this.ground = contextOf(document.createElement("canvas"));
    /** The number of shapes in the background, and its view. */
    this.grounded = 0;
    this.groundOf = "";
    this.groundAt = 0;
    this.ratio = 1;
    /** The font, and the size of the page's text in pixels of the canvas. @type {Face} */
    this.face = { family: "sans-serif", usual: 16 };
    this.accent = "black";
    this.pointsOfLine = LONGEST_LINE;
  }

  /** Reads the style sheet and the resolution of the screen. */
  adapt() {
    const { fontFamily, fontSize, color } = getComputedStyle(this.canvas);
    this.ratio = Math.min(devicePixelRatio || 1, 3);
    this.face = { family: fontFamily, usual: parseFloat(fontSize) * this.ratio };
    this.accent = color;
    this.groundOf = "";
  }

  /**
   * @param {Scene} scene
   * @param {Viewport} viewport
   * @param {Marked} marked
   * @param {number} now
   */
  paint(scene, viewport, marked, now) {
    this.fitTo(viewport);
    const lines = scene.things.reduce((count, { shape }) => count + ("line" in shape.outline ? 1 : 0), 0);
    this.pointsOfLine = Math.min(LONGEST_LINE, Math.ceil(LONGEST_LINES / lines) + 1);
    if (this.canvas.width === 0 || this.canvas.height === 0) return;
    this.prepareGround(scene, viewport, now);
    const { context, canvas } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(this.ground.canvas, 0, 0);
    for (let place = this.grounded; place < scene.things.length; place += 1) {
      this.paintThing(context, scene, viewport, /** @type {Thing} */ (scene.things[place]), now);
    }
    const { selected, pointed } = marked;
    if (pointed && pointed !== selected) this.mark(scene, viewport, pointed, now, false);
    if (selected) this.mark(scene, viewport, selected, now, true);
  }

  /** @param {Viewport} viewport */
  fitTo({ width, height }) {
    const [pixelWidth, pixelHeight] = [Math.round(width * this.ratio), Math.round(height * this.ratio)];
    for (const { canvas } of [this.context, this.ground]) {
      if (canvas.width === pixelWidth && canvas.height === pixelHeight) continue;
      [canvas.width, canvas.height] = [pixelWidth, pixelHeight];
      this.groundOf = "";
    }
  }

  /**
   * @param {Scene} scene
   * @param {Viewport} viewport
   * @param {number} now
   */
  prepareGround(scene, viewport, now) {
    const { things } = scene;
    const moving = things.findIndex(({ changedAt }) => changedAt > now - STILL_MS);
    const still = moving < 0 ? things.length : moving;
    const view = `${viewport.middleX} ${viewport.middleY} ${viewport.scale} ${this.canvas.width} ${this.canvas.height}`;
    const isWhole = things.slice(0, this.grounded).every(({ changedAt }) => changedAt <= this.groundAt);
    if (view === this.groundOf && isWhole && still >= this.grounded && still < this.grounded + WORTH_PAINTING) return;
    [this.groundOf, this.grounded, this.groundAt] = [view, still, now];
    this.ground.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.paintPaper(viewport);
    for (const thing of things.slice(0, still)) this.paintThing(this.ground, scene, viewport, thing, now);
  }

  /** @param {Viewport} viewport */
  paintPaper(viewport) {
    const [left, top] = viewport.toView(0, viewport.sceneHeight);
    const [right, bottom] = viewport.toView(viewport.sceneWidth, 0);
    const [x, y, endX, endY] = [left, top, right, bottom].map((place) => Math.round(place * this.ratio));
    this.ground.fillStyle = PAPER;
    this.ground.fillRect(x ?? 0, y ?? 0, (endX ?? 0) - (x ?? 0), (endY ?? 0) - (y ?? 0));
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Scene} scene
   * @param {Viewport} viewport
   * @param {Thing} thing
   * @param {number} now
   */
  paintThing(context, scene, viewport, thing, now) {
    const { outline, color } = thing.shape;
    const box = this.boxOf(scene, viewport, thing, now);
    if (!this.isSeen(box)) return;
    context.fillStyle = css(color);
    if (outline.line) {
      this.traceLine(context, viewport, outline.line);
      context.lineWidth = this.ratio * Math.min(Math.max(viewport.scale * 0.06, 1.25), 4);
      context.lineJoin = context.lineCap = "round";
      context.strokeStyle = css(color);
      context.stroke();
    } else {
      trace(context, thing, box, 0);
      context.fill();
    }
    this.paintLabel(context, thing, box);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Thing} thing
   * @param {Box} box
   */
  paintLabel(context, { shape }, { x, y, width, height }) {
    const { label = "", outline, color } = shape;
    const size = this.sizeOfLabel(shape, width, height);
    if (size === null) return;
    context.font = `500 ${size}px ${this.face.family}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    // The middle of letters is slightly above the middle of their line.
    const [middleX, middleY] = [x + width / 2, y + height / 2 + 0.06 * size];
    if (outline.line) {
      context.strokeStyle = "rgb(255 255 255 / 0.85)";
      context.lineWidth = 3 * this.ratio;
      context.strokeText(label, middleX, middleY);
    }
    context.fillStyle = outline.line ? "#14161a" : inkOn(color);
    context.fillText(label, middleX, middleY);
  }

  /**
   * Returns the size of a shape's label; null if it has no space. In a circle, the label must fit into a rectangle
   * inside it. The label of a line is written across it.
   * @param {Shape} shape
   * @param {number} width
   * @param {number} height
   */
  sizeOfLabel({ label, outline }, width, height) {
    if (!label) return null;
    const { usual } = this.face;
    const room = outline.line ? [10 * usual, 0.8 * usual] : [(outline.circle ? 0.86 : 0.76) * width, 0.5 * height];
    return fittingSize(this.ground, this.face, label, room[0] ?? 0, room[1] ?? 0);
  }

  /**
   * Highlights a shape, on any colour.
   * @param {Scene} scene
   * @param {Viewport} viewport
   * @param {Thing} thing
   * @param {number} now
   * @param {boolean} isSelected
   */
  mark(scene, viewport, thing, now, isSelected) {
    const { context } = this;
    const unit = this.face.usual / 16;
    const box = this.boxOf(scene, viewport, thing, now);
    const gap = (isSelected ? 3 : 2) * unit;
    /** @type {[string, number][]} */
    const strokes = [
      ["rgb(255 255 255 / 0.95)", (isSelected ? 6 : 4) * unit],
      [this.accent, (isSelected ? 3 : 2) * unit],
    ];
    for (const [color, width] of strokes) {
      if (thing.shape.outline.line) this.traceLine(context, viewport, thing.shape.outline.line);
      else trace(context, thing, box, gap);
      [context.strokeStyle, context.lineWidth] = [color, width];
      context.stroke();
    }
    const text = thing.shape.label || (typeof thing.shape.standsFor === "string" ? thing.shape.standsFor : "");
    const size = this.sizeOfLabel(thing.shape, box.width, box.height) ?? 0;
    if (text && size < 0.7 * this.face.usual) this.paintTag(box, text);
  }

  /**
   * Writes a name above a shape that is too small to contain it.
   * @param {Box} box
   * @param {string} text
   */
  paintTag(box, text) {
    const { context, canvas } = this;
    const { family, usual } = this.face;
    const [size, padding, distance] = [0.75 * usual, 0.4 * usual, 0.5 * usual];
    context.font = `600 ${size}px ${family}`;
    const width = Math.min(context.measureText(text).width, canvas.width - 4 * padding) + 2 * padding;
    const height = size + padding;
    const above = box.y - distance - height;
    const x = Math.min(Math.max(box.x + box.width / 2 - width / 2, padding), canvas.width - width - padding);
    const y = above >= 0 ? above : box.y + box.height + distance;
    context.beginPath();
    context.roundRect(x, y, width, height, height / 3);
    context.fillStyle = "#14161a";
    context.fill();
    context.fillStyle = "#ffffff";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(text, x + width / 2, y + height / 2 + 0.06 * size, width - 2 * padding);
  }

  /**
   * Returns the position of a shape in pixels of the canvas, from the upper left corner. Static shapes end between
   * pixels, so that there is no gap between neighbours.
   * @param {Scene} scene
   * @param {Viewport} viewport
   * @param {Thing} thing
   * @param {number} now
   * @returns {Box}
   */
  boxOf(scene, viewport, thing, now) {
    const [offsetX, offsetY] = scene.offset(thing, now);
    const isStill = offsetX === 0 && offsetY === 0 && !thing.shape.outline.circle;
    const end = (/** @type {number} */ place) => (isStill ? Math.round(place * this.ratio) : place * this.ratio);
    const { x, y, width, height } = thing.box;
    const [left, top] = viewport.toView(x + offsetX, y + height + offsetY).map(end);
    const [right, bottom] = viewport.toView(x + width + offsetX, y + offsetY).map(end);
    return { x: left ?? 0, y: top ?? 0, width: (right ?? 0) - (left ?? 0), height: (bottom ?? 0) - (top ?? 0) };
  }

  /** @param {Box} box */
  isSeen({ x, y, width, height }) {
    return x + width >= 0 && y + height >= 0 && x <= this.canvas.width && y <= this.canvas.height;
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Viewport} viewport
   * @param {[x: number, y: number][]} points
   */
  traceLine(context, viewport, points) {
    const step = Math.max(1, Math.ceil(points.length / this.pointsOfLine));
    context.beginPath();
    for (let place = 0; place < points.length; place += step) {
      const [x, y] = points[place] ?? [0, 0];
      const [viewX, viewY] = viewport.toView(x, y);
      context.lineTo(viewX * this.ratio, viewY * this.ratio);
    }
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Thing} thing
 * @param {Box} box
 * @param {number} gap how far outside
 */
function trace(context, { shape }, { x, y, width, height }, gap) {
  context.beginPath();
  if (shape.outline.circle) context.arc(x + width / 2, y + height / 2, Math.abs(width) / 2 + gap, 0, 2 * Math.PI);
  else if (gap > 0) context.roundRect(x - gap, y - gap, width + 2 * gap, height + 2 * gap, 1.5 * gap);
  else context.rect(x, y, width, height);
}

/** @param {HTMLCanvasElement} canvas */
function contextOf(canvas) {
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser does not support canvas");
  return context;
}

/** @param {Color} color */
function css([red, green, blue]) {
  return `rgb(${red} ${green} ${blue})`;
}
