// Which part of a scene is seen, and how large: all of it, or a part that somebody has come closer to.

/** @import { Scene } from "./scene.js" */

const CLOSEST = 24;

export class Viewport {
  /** How much larger than when all of the scene is seen. */
  zoom = 1;
  /** What is in the middle of the view, in units of the scene. */
  middleX = 0;
  middleY = 0;
  /** The size of the view in pixels of the page. */
  width = 0;
  height = 0;
  /** The size of the scene in its own units. */
  sceneWidth = 0;
  sceneHeight = 0;

  get isWhole() {
    return this.zoom === 1;
  }

  /** Pixels of the page for a unit of the scene. */
  get scale() {
    if (this.sceneWidth <= 0 || this.sceneHeight <= 0) return 0;
    return this.zoom * Math.min(this.width / this.sceneWidth, this.height / this.sceneHeight);
  }

  /**
   * @param {number} width
   * @param {number} height
   */
  resize(width, height) {
    [this.width, this.height] = [width, height];
    this.stayInside();
  }

  /** @param {Scene} scene */
  show({ width, height }) {
    if (width === this.sceneWidth && height === this.sceneHeight) return;
    [this.sceneWidth, this.sceneHeight] = [width, height];
    this.showAll();
  }

  showAll() {
    this.zoom = 1;
    this.stayInside();
  }

  /**
   * Comes closer or goes away; what is at this place of the view stays there.
   * @param {number} factor
   * @param {number} [x]
   * @param {number} [y]
   */
  zoomBy(factor, x = this.width / 2, y = this.height / 2) {
    const [sceneX, sceneY] = this.toScene(x, y);
    this.zoom = Math.min(Math.max(this.zoom * factor, 1), CLOSEST);
    const [nowX, nowY] = this.toView(sceneX, sceneY);
    this.moveBy(x - nowX, y - nowY);
  }

  /**
   * Moves the scene in the view by so many pixels.
   * @param {number} x
   * @param {number} y
   */
  moveBy(x, y) {
    if (this.scale === 0) return;
    this.middleX -= x / this.scale;
    this.middleY += y / this.scale;
    this.stayInside();
  }

  /**
   * The scene's y grows upwards, that of the view downwards.
   * @param {number} x
   * @param {number} y
   * @returns {[x: number, y: number]}
   */
  toView(x, y) {
    return [this.width / 2 + (x - this.middleX) * this.scale, this.height / 2 - (y - this.middleY) * this.scale];
  }

  /**
   * @param {number} x
   * @param {number} y
   * @returns {[x: number, y: number]}
   */
  toScene(x, y) {
    if (this.scale === 0) return [0, 0];
    return [this.middleX + (x - this.width / 2) / this.scale, this.middleY - (y - this.height / 2) / this.scale];
  }

  /** No more of what lies outside of the scene is seen than there must be. */
  stayInside() {
    this.middleX = inside(this.middleX, this.sceneWidth, this.scale && this.width / this.scale);
    this.middleY = inside(this.middleY, this.sceneHeight, this.scale && this.height / this.scale);
  }
}

/**
 * @param {number} middle
 * @param {number} whole
 * @param {number} seen
 */
function inside(middle, whole, seen) {
  if (seen >= whole) return whole / 2;
  return Math.min(Math.max(middle, seen / 2), whole - seen / 2);
}
