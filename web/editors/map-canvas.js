// The drawing of a map in the map editor: parts can be selected, moved and resized by mouse, finger and keyboard.

/** @import { Part, Point, Rectangle, WorldMap, Zone } from "./map-model.js" */

import { doorRectangle, extent, holdsBlocks, isDropZone, rectangle, snap } from "./map-model.js";

const SPACE = "http://www.w3.org/2000/svg";

/** Distance in pixels from which a press is a movement. */
const SLACK_PX = 4;

/** The corners of a zone: which of its left, upper, right and lower sides a handle moves. */
const HANDLES = [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1]];

/** @type {{ [key: string]: [x: number, y: number] }} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * What the user does with the drawing.
 * @typedef {object} Reactions
 * @property {(part: Part | null) => void} selected
 * @property {(part: Part, to: Point, isDone: boolean) => void} moved
 * @property {(zone: number, area: Rectangle, isDone: boolean) => void} resized
 * @property {(part: Part) => void} removed
 */

export class MapCanvas {
  root = svg("svg", { class: "map-canvas", role: "group", "aria-label": "Map" });
  /** @type {Part | null} */
  selected = null;
  /** @type {WorldMap | null} */
  map = null;

  /** @param {Reactions} reactions */
  constructor(reactions) {
    this.reactions = reactions;
    this.root.addEventListener("pointerdown", (event) => this.press(event));
    // A finger moves what is selected, and scrolls the page elsewhere.
    this.root.addEventListener("touchstart", (event) => this.isHeld(event) && event.preventDefault(), {
      passive: false,
    });
    this.root.addEventListener("keydown", (event) => this.type(event));
    this.root.addEventListener("focusin", ({ target }) => {
      const part = target instanceof Element ? partAt(target) : null;
      if (part && keyOf(part) !== (this.selected && keyOf(this.selected))) this.reactions.selected(part);
    });
  }

  /**
   * @param {WorldMap} map
   * @param {Part | null} selected
   * @param {Set<string>} faulty the parts with problems
   * @param {boolean} [keepsFrame] whether the view stays, because something is being moved
   */
  show(map, selected, faulty, keepsFrame = false) {
    this.map = map;
    const focused =
      document.activeElement instanceof SVGElement && this.root.contains(document.activeElement)
        ? document.activeElement.dataset["part"]
        : undefined;
    if (!keepsFrame) {
      const { x, y, width, height } = extent(map);
      this.root.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
      this.root.style.setProperty("--aspect", String(width / height));
    }
    const zones = map.zones.map((zone, index) => this.zone(zone, index));
    const ways = svg("g", { class: "ways", "aria-hidden": "true" }, ...this.ways(map));
    const doors = map.zones.flatMap((zone, index) => zone.doors.map((_, door) => this.door(zone, index, door)));
    const spawns = map.spawns.map((_, spawn) => this.spawn(map, spawn));
    const area = svg("rect", {
      class: "area", x: 0, y: 0, width: Math.max(map.area.x, 0), height: Math.max(map.area.y, 0),
    });
    this.root.replaceChildren(area, ...zones, ways, ...doors, ...spawns);
    this.reflect(selected, faulty);
    if (focused) this.focus(focused);
  }

  /**
   * Shows which part is selected, and which parts have problems.
   * @param {Part | null} selected
   * @param {Set<string>} faulty
   */
  reflect(selected, faulty) {
    this.selected = selected;
    for (const part of this.root.querySelectorAll(".part")) {
      const key = part instanceof SVGElement ? (part.dataset["part"] ?? "") : "";
      const isSelected = selected !== null && keyOf(selected) === key;
      part.classList.toggle("selected", isSelected);
      part.setAttribute("aria-pressed", String(isSelected));
      part.classList.toggle("faulty", faulty.has(key));
    }
    for (const handle of this.root.querySelectorAll(".handle")) handle.remove();
    this.root.append(...this.handles());
  }

  /** Focuses a part. @param {string} key */
  focus(key) {
    const part = this.root.querySelector(`[data-part="${key}"]`);
    if (part instanceof SVGElement) part.focus({ preventScroll: true });
  }

  /** The centre of the view. @returns {Point} */
  get middle() {
    const { x, y, width, height } = this.root.viewBox.baseVal;
    return { x: snap(x + width / 2), y: snap(y + height / 2) };
  }

  /** @param {Zone} zone @param {number} index */
  zone(zone, index) {
    const { x, y, width, height } = rectangle(zone.bounds);
    const kind = isDropZone(zone) ? "DropZone" : zone.kind;
    const label = svg("text", {
      x: zone.bounds.center.x, y: y + height - 1,
      "font-size": Math.min(1.7, (1.4 * width) / Math.max(zone.name.length, 1)),
    });
    label.textContent = zone.name;
    const details = [
      WORDS[kind], `${width} by ${height}`, zone.blocks.length > 0 && `blocks ${zone.blocks.join(", ")}`,
    ];
    const part = this.part(
      { zone: index }, `${zone.name}, ${details.filter(Boolean).join(", ")}`,
      svg("rect", { x, y, width: Math.max(width, 0), height: Math.max(height, 0) }), ...blocks(zone), label,
    );
    part.dataset["kind"] = kind;
    return part;
  }

  /** @param {Zone} zone @param {number} index @param {number} door */
  door(zone, index, door) {
    const { x, y, width, height } = doorRectangle(/** @type {Zone["doors"][0]} */ (zone.doors[door]));
    const reach = svg("rect", { class: "reach", x: x - 0.6, y: y - 0.6, width: width + 1.2, height: height + 1.2 });
    const part = this.part(
      { zone: index, door }, `Door of ${zone.name}`, reach, svg("rect", { x, y, width, height, rx: 0.3 }),
    );
    part.dataset["kind"] = "door";
    return part;
  }

  /** @param {WorldMap} map @param {number} spawn */
  spawn(map, spawn) {
    const { x, y } = map.spawns[spawn]?.position ?? { x: 0, y: 0 };
    const number = svg("text", { x, y: y + 0.55, "font-size": 1.6 });
    number.textContent = String(spawn + 1);
    const part = this.part({ spawn }, `Starting point ${spawn + 1}`, svg("circle", { cx: x, cy: y, r: 1.3 }), number);
    part.dataset["kind"] = "spawn";
    return part;
  }

  /** @param {Part} part @param {string} label @param {...SVGElement} content */
  part(part, label, ...content) {
    const made = svg("g", { class: "part", tabindex: 0, role: "button", "aria-label": label }, ...content);
    made.dataset["part"] = keyOf(part);
    return made;
  }

  /** The ways between zones, each once. @param {WorldMap} map */
  ways(map) {
    const centers = new Map(map.zones.map(({ name, bounds }) => [name, bounds.center]));
    const drawn = new Set();
    return map.zones.flatMap(({ name, bounds: { center: from }, neighbours }) =>
      neighbours.flatMap((other) => {
        const to = centers.get(other);
        const way = [name, other].sort().join("\n");
        if (!to || drawn.has(way)) return [];
        drawn.add(way);
        return [svg("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y })];
      }),
    );
  }

  /** The handles with which the selected zone is resized. */
  handles() {
    const { selected, map } = this;
    const zone = selected && "zone" in selected && selected.door === undefined && map?.zones[selected.zone];
    if (!zone) return [];
    const { x, y, width, height } = rectangle(zone.bounds);
    return HANDLES.map(([left = 0, top = 0, right = 0, bottom = 0], index) => {
      const at = { x: x + (width * (1 + right - left)) / 2, y: y + (height * (1 + bottom - top)) / 2 };
      const handle = svg(
        "g", { class: "handle" }, svg("circle", { class: "reach", cx: at.x, cy: at.y, r: 1.6 }),
        svg("rect", { x: at.x - 0.6, y: at.y - 0.6, width: 1.2, height: 1.2, rx: 0.2 }),
      );
      handle.dataset["handle"] = String(index);
      return handle;
    });
  }

  /** @param {PointerEvent} event */
  press(event) {
    const { target } = event;
    if (!(target instanceof Element) || event.button > 0) return;
    const handle = target.closest("[data-handle]");
    const part = handle ? this.selected : partAt(target);
    if (!part) return this.reactions.selected(null);
    event.preventDefault();
    const wasSelected = this.selected !== null && keyOf(this.selected) === keyOf(part);
    this.reactions.selected(part);
    this.focus(keyOf(part));
    // A finger scrolls the page over a part that it has not selected before.
    if (event.pointerType === "touch" && !wasSelected) return;
    this.drag(event, part, handle instanceof SVGElement ? HANDLES[Number(handle.dataset["handle"])] : undefined);
  }

  /** Whether a finger is on the selected part or one of its handles. @param {TouchEvent} event */
  isHeld({ target }) {
    return target instanceof Element && target.closest(".part.selected, .handle") !== null;
  }

  /** @param {PointerEvent} start @param {Part} part @param {number[]} [handle] */
  drag(start, part, handle) {
    const begin = this.toMap(start);
    const center = centerOf(/** @type {WorldMap} */ (this.map), part);
    const zone = "zone" in part ? this.map?.zones[part.zone] : undefined;
    const area = zone && rectangle(zone.bounds);
    let isMoving = false;
    const react = (/** @type {PointerEvent} */ event, /** @type {boolean} */ isDone) => {
      if (Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > SLACK_PX) isMoving = true;
      if (!isMoving) return;
      const at = this.toMap(event);
      const [dx, dy] = [snap(at.x - begin.x), snap(at.y - begin.y)];
      if (handle && area && "zone" in part) this.reactions.resized(part.zone, stretched(area, handle, dx, dy), isDone);
      else this.reactions.moved(part, { x: center.x + dx, y: center.y + dy }, isDone);
    };
    const follow = new AbortController();
    const { signal } = follow;
    const ofThis = (/** @type {(event: PointerEvent) => void} */ act) => (/** @type {PointerEvent} */ event) =>
      event.pointerId === start.pointerId && act(event);
    addEventListener(
      "pointermove", ofThis((event) => react(event, false)), { signal },
    );
    let last = start;
    addEventListener(
      "pointermove", ofThis((event) => (last = event)), { signal },
    );
    const end = () => {
      follow.abort();
      react(last, true);
    };
    addEventListener("pointerup", ofThis(end), { signal });
    addEventListener("pointercancel", ofThis(end), { signal });
  }

  /** @param {KeyboardEvent} event */
  type(event) {
    const { selected, map } = this;
    if (!selected || !map || event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[event.key];
    if (arrow) {
      event.preventDefault();
      const [dx, dy] = arrow;
      const zone = "zone" in selected && selected.door === undefined ? map.zones[selected.zone] : undefined;
      if (event.shiftKey && zone && "zone" in selected) {
        return this.reactions.resized(selected.zone, stretched(rectangle(zone.bounds), [0, 0, 1, 1], dx, dy), true);
      }
      const { x, y } = centerOf(map, selected);
      this.reactions.moved(selected, { x: x + dx, y: y + dy }, true);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      this.reactions.removed(selected);
    } else if (event.key === "Escape") this.reactions.selected(null);
  }

  /** The point of the map under a pointer. @param {PointerEvent} event @returns {Point} */
  toMap({ clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.root.getScreenCTM()?.inverse());
    return { x, y };
  }
}

/** @type {{ [kind: string]: string }} */
export const WORDS = {
  Room: "room", Corridor: "corridor", ChargingZone: "charging zone", Blockade: "blockade", DropZone: "drop zone",
};

/** @param {Part} part */
export function keyOf(part) {
  if ("spawn" in part) return `spawns/${part.spawn}`;
  return `zones/${part.zone}${part.door === undefined ? "" : `/doors/${part.door}`}`;
}

/** @param {string} key @returns {Part | null} */
export function partOf(key) {
  const [list, index, , door] = key.split("/");
  if (index === undefined) return null;
  if (list === "spawns") return { spawn: Number(index) };
  return { zone: Number(index), ...(door !== undefined && { door: Number(door) }) };
}

/** @param {Element} target */
function partAt(target) {
  const part = target.closest("[data-part]");
  return part instanceof SVGElement ? partOf(part.dataset["part"] ?? "") : null;
}

/** @param {WorldMap} map @param {Part} part @returns {Point} */
export function centerOf(map, part) {
  if ("spawn" in part) return map.spawns[part.spawn]?.position ?? { x: 0, y: 0 };
  const zone = map.zones[part.zone];
  const door = part.door === undefined ? undefined : zone?.doors[part.door];
  return door?.position ?? zone?.bounds.center ?? { x: 0, y: 0 };
}

/** @param {Rectangle} area @param {number[]} sides @param {number} dx @param {number} dy @returns {Rectangle} */
function stretched({ x, y, width, height }, [left = 0, top = 0, right = 0, bottom = 0], dx, dy) {
  const [less, lower] = [Math.min(left * dx, width - 2), Math.min(top * dy, height - 2)];
  return {
    x: x + less, y: y + lower, width: Math.max(width - less + right * dx, 2),
    height: Math.max(height - lower + bottom * dy, 2),
  };
}

/** The blocks of a room, in rows. @param {Zone} zone */
function blocks(zone) {
  if (!holdsBlocks(zone)) return [];
  const { x, y, width } = rectangle(zone.bounds);
  const inRow = Math.max(Math.floor((width - 1) / 1.6), 1);
  return zone.blocks.map((color, index) => {
    const [column, row] = [index % inRow, Math.floor(index / inRow)];
    return svg("rect", {
      class: "block", "data-color": color, x: x + 0.8 + column * 1.6, y: y + 1.4 + row * 1.6, width: 1.2, height: 1.2,
      rx: 0.2,
    });
  });
}

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag @param {{ [name: string]: string | number }} attributes @param {...SVGElement} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}
