// The visible part of a scene: everything, or a part that is zoomed in.

/** @import { Scene } from "./scene.js" */

const CLOSEST = 24;

export class Viewport {
  /** The zoom factor; 1 shows the whole scene. */
  zoom = 1;
  /** The middle of the view, in units of the scene. */
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

  /** Pixels of the page per unit of the scene. */
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
   * Zooms by a factor; the point at this place of the view keeps its place.
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
   * Moves the scene in the view by this number of pixels.
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
   * Converts a point. In the scene, y grows upwards; in the view, downwards.
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

  /** Limits the view, so that it shows as little as possible outside of the scene. */
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
