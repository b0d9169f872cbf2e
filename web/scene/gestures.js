// Gestures with fingers, mouse and keys on a view of a scene: zooming, moving, pointing and choosing.

/** @import { Viewport } from "./viewport.js" */

/** Maximum movement of a pointer that does not count as dragging. */
const SLIP_PX = 6;
const KEY_STEP_PX = 48;
const KEY_ZOOM = 1.3;

/** @typedef {{ x: number, y: number }} Point */

/**
 * @param {HTMLElement} surface
 * @param {Viewport} viewport
 * @param {object} reactions
 * @param {() => void} reactions.moved
 * @param {(point: Point | null) => void} reactions.pointed
 * @param {(point: Point) => void} reactions.chosen
 */
export function listenToGestures(surface, viewport, { moved, pointed, chosen }) {
  /** The pointers that are down. @type {Map<number, Point>} */
  const down = new Map();
  let slipped = 0;

  surface.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    if (down.size === 0) slipped = 0;
    down.set(event.pointerId, place(event));
    surface.setPointerCapture(event.pointerId);
  });

  surface.addEventListener("pointermove", (event) => {
    const now = place(event);
    const before = down.get(event.pointerId);
    if (!before) return event.pointerType === "mouse" ? pointed(now) : undefined;
    slipped += Math.hypot(now.x - before.x, now.y - before.y);
    if (down.size === 2) pinch(event.pointerId, now);
    else if (slipped > SLIP_PX && !viewport.isWhole) viewport.moveBy(now.x - before.x, now.y - before.y);
    down.set(event.pointerId, now);
    moved();
  });

  surface.addEventListener("pointerup", (event) => {
    if (down.delete(event.pointerId) && down.size === 0 && slipped <= SLIP_PX) chosen(place(event));
  });
  surface.addEventListener("pointercancel", (event) => down.delete(event.pointerId));
  surface.addEventListener("pointerleave", () => pointed(null));

  surface.addEventListener(
    "wheel",
    (event) => {
      // Without these keys the wheel scrolls the page. Browsers report a pinch on a touchpad as a wheel with Ctrl.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { x, y } = place(event);
      viewport.zoomBy(Math.exp(-event.deltaY / (event.deltaMode === 0 ? 150 : 6)), x, y);
      moved();
    },
    { passive: false },
  );

  surface.addEventListener("keydown", (event) => {
    const act = KEYS[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith("Arrow") && viewport.isWhole) return;
    event.preventDefault();
    act(viewport);
    moved();
  });

  /**
   * @param {number} finger
   * @param {Point} now
   */
  function pinch(finger, now) {
    const before = /** @type {Point} */ (down.get(finger));
    const [, other] = /** @type {[number, Point]} */ ([...down].find(([one]) => one !== finger));
    const factor = distance(now, other) / Math.max(distance(before, other), 1);
    viewport.moveBy((now.x - before.x) / 2, (now.y - before.y) / 2);
    viewport.zoomBy(factor, (now.x + other.x) / 2, (now.y + other.y) / 2);
  }

  /** @param {MouseEvent} event @returns {Point} */
  function place(event) {
    const { left, top } = surface.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }
}

/** @type {{ [key: string]: (viewport: Viewport) => void }} */
const KEYS = {
  "+": (viewport) => viewport.zoomBy(KEY_ZOOM),
  "=": (viewport) => viewport.zoomBy(KEY_ZOOM),
  "-": (viewport) => viewport.zoomBy(1 / KEY_ZOOM),
  "0": (viewport) => viewport.showAll(),
  ArrowLeft: (viewport) => viewport.moveBy(KEY_STEP_PX, 0),
  ArrowRight: (viewport) => viewport.moveBy(-KEY_STEP_PX, 0),
  ArrowUp: (viewport) => viewport.moveBy(0, KEY_STEP_PX),
  ArrowDown: (viewport) => viewport.moveBy(0, -KEY_STEP_PX),
};

/**
 * @param {Point} one
 * @param {Point} other
 */
function distance(one, other) {
  return Math.hypot(one.x - other.x, one.y - other.y);
}
