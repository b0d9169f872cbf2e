// A map of Blocks World for Teams as the map editor changes it. All changes keep names and ways between zones
// consistent.

/** @typedef {{ x: number, y: number }} Point */
/** @typedef {{ center: Point, width: number, height: number }} Bounds */
/** @typedef {{ position: Point, orientation: "Horizontal" | "Vertical" }} Door */
/** @typedef {"Room" | "Corridor" | "ChargingZone" | "Blockade"} ZoneKind */

/**
 * @typedef {object} Zone
 * @property {string} name
 * @property {ZoneKind} kind
 * @property {Bounds} bounds
 * @property {string[]} blocks
 * @property {Door[]} doors
 * @property {string[]} neighbours
 * @property {boolean} label_visible
 */

/**
 * A map, as the server writes it in JSON; but the seed is a text, because it can be larger than a number of JavaScript.
 * @typedef {object} WorldMap
 * @property {Point} area
 * @property {{ name: string, position: Point, kind: string }[]} spawns
 * @property {boolean} one_bot_per_corridor_zone
 * @property {number} random_blocks
 * @property {number} random_sequence
 * @property {string} seed empty for no seed
 * @property {string[]} sequence
 * @property {Zone[]} zones
 */

/**
 * A part of a map that can be selected: a zone, a door of a zone, or a starting point.
 * @typedef {{ zone: number, door?: number } | { spawn: number }} Part
 */

/**
 * @typedef {{ x: number, y: number, width: number, height: number }} Rectangle the corner at the left top, and the size
 */

export const DROP_ZONE = "DropZone";
export const COLORS = ["Red", "Orange", "Yellow", "Green", "Blue", "Pink", "White", "Cyan", "Magenta"];

/** The least size of a zone, which a robot can still enter. */
const LEAST = 2;
/** Zones whose sides are at most this far apart touch. */
const TOUCH = 0.01;
/** The shortest shared side through which robots go. */
const PASSAGE = 1;

/** The names of new zones. */
const NAMES = { Room: "Room", Corridor: "Corridor", ChargingZone: "ChargeZone", Blockade: "Blockade" };

/**
 * Reads a map from the forms of a document; null if they are of none.
 * @param {{ format: string, text: string }[]} forms
 * @returns {WorldMap | null}
 */
export function readMap(forms) {
  if (forms.length === 0) return null;
  const form = (/** @type {string} */ format) => forms.find((form) => form.format === format)?.text ?? "";
  const map = JSON.parse(form("json"));
  return { ...map, seed: /^ *<seed>(.*)<\/seed>$/m.exec(form("xml"))?.[1] ?? "" };
}

/** @param {Bounds} bounds @returns {Rectangle} */
export function rectangle({ center, width, height }) {
  return { x: center.x - width / 2, y: center.y - height / 2, width, height };
}

/** @param {Rectangle} of @returns {Bounds} */
function bounds({ x, y, width, height }) {
  return { center: { x: x + width / 2, y: y + height / 2 }, width, height };
}

/** @param {Door} door */
export function doorRectangle({ position: center, orientation }) {
  const [width, height] = orientation === "Horizontal" ? [4, 1] : [1, 4];
  return rectangle({ center, width, height });
}

/** @param {Zone} zone */
export function isDropZone({ kind, name }) {
  return kind === "Room" && name === DROP_ZONE;
}

/** @param {Zone} zone */
export function holdsBlocks({ kind, name }) {
  return kind === "Room" && name !== DROP_ZONE;
}

/** Rounds to half a unit. @param {number} value */
export function snap(value) {
  return Math.round(value * 2) / 2;
}

/**
 * @param {WorldMap} map
 * @param {ZoneKind | "DropZone"} what
 * @param {Point} center
 * @returns {Part}
 */
export function addZone(map, what, center) {
  const kind = what === "DropZone" ? "Room" : what;
  const name = what === "DropZone" ? DROP_ZONE : unusedName(map, NAMES[kind]);
  const zone = {
    name, kind, bounds: { center, width: 10, height: 10 }, blocks: [], doors: [], neighbours: [], label_visible: true,
  };
  map.zones.push(zone);
  if (kind === "Room") addDoor(map, map.zones.length - 1);
  link(map, zone, () => false);
  return { zone: map.zones.length - 1 };
}

/** @param {WorldMap} map @param {string} stem */
function unusedName(map, stem) {
  const names = new Set(map.zones.map(({ name }) => name));
  let number = 1;
  while (names.has(`${stem}${number}`)) number += 1;
  return `${stem}${number}`;
}

/** @param {WorldMap} map @param {Point} position @returns {Part} */
export function addSpawn(map, position) {
  map.spawns.push({ name: "-", position, kind: "NORMAL" });
  return { spawn: map.spawns.length - 1 };
}

/**
 * Adds a door in the middle of the side that leads to a hall, or else of the upper side.
 * @param {WorldMap} map @param {number} index
 * @returns {Part}
 */
export function addDoor(map, index) {
  const zone = /** @type {Zone} */ (map.zones[index]);
  const { x, y, width, height } = rectangle(zone.bounds);
  const { center } = zone.bounds;
  /** @type {Door[]} */
  const sides = [
    { position: { x: center.x, y }, orientation: "Horizontal" },
    { position: { x: center.x, y: y + height }, orientation: "Horizontal" },
    { position: { x, y: center.y }, orientation: "Vertical" },
    { position: { x: x + width, y: center.y }, orientation: "Vertical" },
  ];
  const free = sides.filter(
    (side) => !zone.doors.some(({ position }) => position.x === side.position.x && position.y === side.position.y),
  );
  const halls = map.zones.filter(({ kind }) => kind === "Corridor" || kind === "ChargingZone");
  const leads = (/** @type {Door} */ door) =>
    halls.some((hall) => overlap(doorRectangle(door), rectangle(hall.bounds)));
  return relinking(map, zone, () => {
    zone.doors.push(free.find(leads) ?? free[0] ?? /** @type {Door} */ (sides[0]));
    return { zone: index, door: zone.doors.length - 1 };
  });
}

/** @param {WorldMap} map @param {Part} part */
export function remove(map, part) {
  if ("spawn" in part) return void map.spawns.splice(part.spawn, 1);
  const zone = /** @type {Zone} */ (map.zones[part.zone]);
  const { door } = part;
  if (door !== undefined) return void relinking(map, zone, () => zone.doors.splice(door, 1));
  map.zones.splice(part.zone, 1);
  for (const other of map.zones) other.neighbours = other.neighbours.filter((name) => name !== zone.name);
}

/**
 * Moves a part to another centre; a zone with its doors.
 * @param {WorldMap} map @param {Part} part @param {Point} to
 */
export function move(map, part, to) {
  if ("spawn" in part) {
    const spawn = map.spawns[part.spawn];
    if (spawn) spawn.position = to;
    return;
  }
  const zone = /** @type {Zone} */ (map.zones[part.zone]);
  const door = part.door === undefined ? undefined : zone.doors[part.door];
  relinking(map, zone, () => {
    if (door) return void Object.assign(door, onBorder(zone, to));
    const { center } = zone.bounds;
    for (const { position } of zone.doors) {
      position.x += to.x - center.x;
      position.y += to.y - center.y;
    }
    zone.bounds.center = to;
    return undefined;
  });
}

/**
 * Gives a zone another area. Its doors stay on its border.
 * @param {WorldMap} map @param {number} index @param {Rectangle} area
 */
export function resize(map, index, area) {
  const zone = /** @type {Zone} */ (map.zones[index]);
  const before = rectangle(zone.bounds);
  const after = { ...area, width: Math.max(area.width, LEAST), height: Math.max(area.height, LEAST) };
  relinking(map, zone, () => {
    zone.bounds = bounds(after);
    for (const door of zone.doors) {
      const share = (/** @type {number} */ at, /** @type {number} */ from, /** @type {number} */ size) =>
        (at - from) / size;
      const x = after.x + share(door.position.x, before.x, before.width) * after.width;
      const y = after.y + share(door.position.y, before.y, before.height) * after.height;
      Object.assign(door, onBorder(zone, { x, y }));
    }
  });
}

/** Returns the door of a zone nearest to a point. @param {Zone} zone @param {Point} to @returns {Door} */
function onBorder(zone, to) {
  const { x, y, width, height } = rectangle(zone.bounds);
  const within = (/** @type {number} */ value, /** @type {number} */ from, /** @type {number} */ size) =>
    Math.min(Math.max(value, from + Math.min(2, size / 2)), from + size - Math.min(2, size / 2));
  const across = { x: within(to.x, x, width), y: within(to.y, y, height) };
  /** @type {[number, Door][]} */
  const sides = [
    [Math.abs(to.y - y), { position: { x: across.x, y }, orientation: "Horizontal" }],
    [Math.abs(to.y - y - height), { position: { x: across.x, y: y + height }, orientation: "Horizontal" }],
    [Math.abs(to.x - x), { position: { x, y: across.y }, orientation: "Vertical" }],
    [Math.abs(to.x - x - width), { position: { x: x + width, y: across.y }, orientation: "Vertical" }],
  ];
  return sides.reduce((nearest, side) => (side[0] < nearest[0] ? side : nearest))[1];
}

/** Renames a zone, also where it is a neighbour. @param {WorldMap} map @param {number} index @param {string} name */
export function rename(map, index, name) {
  const zone = /** @type {Zone} */ (map.zones[index]);
  const before = zone.name;
  for (const { neighbours } of map.zones)
    neighbours.forEach((other, place) => other === before && (neighbours[place] = name));
  zone.name = name;
  if (isDropZone(zone)) zone.blocks = [];
}

/**
 * Changes the kind of a zone. Only rooms keep doors and blocks.
 * @param {WorldMap} map @param {number} index @param {ZoneKind} kind
 */
export function setKind(map, index, kind) {
  const zone = /** @type {Zone} */ (map.zones[index]);
  relinking(map, zone, () => {
    zone.kind = kind;
    if (kind !== "Room") [zone.doors, zone.blocks] = [[], []];
  });
  if (kind === "Room" && zone.doors.length === 0) addDoor(map, index);
}

/** @param {Zone} one @param {Zone} other */
export function areLinked(one, other) {
  return one.neighbours.includes(other.name) || other.neighbours.includes(one.name);
}

/** Adds or removes the way between two zones. @param {Zone} one @param {Zone} other @param {boolean} isLinked */
export function setLinked(one, other, isLinked) {
  for (const [from, to] of [[one, other], [other, one]]) {
    if (!from || !to) continue;
    if (!isLinked) from.neighbours = from.neighbours.filter((name) => name !== to.name);
    else if (!from.neighbours.includes(to.name)) from.neighbours.push(to.name);
  }
}

/**
 * Changes a zone, and with it the ways to zones that it touched before or touches then. Other ways stay.
 * @template T
 * @param {WorldMap} map @param {Zone} zone @param {() => T} change
 */
function relinking(map, zone, change) {
  const touched = new Set(map.zones.filter((other) => other !== zone && touch(zone, other)));
  const result = change();
  link(map, zone, (other) => touched.has(other));
  return result;
}

/** @param {WorldMap} map @param {Zone} zone @param {(other: Zone) => boolean} touched */
function link(map, zone, touched) {
  for (const other of map.zones) {
    if (other === zone) continue;
    const touches = touch(zone, other);
    if (touches !== touched(other)) setLinked(zone, other, touches);
  }
}

/** Whether robots can go from one zone to the other. @param {Zone} one @param {Zone} other */
function touch(one, other) {
  if (one.kind === "Blockade" || other.kind === "Blockade") return false;
  if (one.kind === "Room" && other.kind === "Room") return false;
  if (one.kind === "Room") return one.doors.some((door) => overlap(doorRectangle(door), rectangle(other.bounds)));
  if (other.kind === "Room") return touch(other, one);
  const [a, b] = [rectangle(one.bounds), rectangle(other.bounds)];
  const alongX = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const alongY = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return Math.min(alongX, alongY) >= -TOUCH && Math.max(alongX, alongY) >= PASSAGE;
}

/** @param {Rectangle} a @param {Rectangle} b */
function overlap(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** Returns the area that shows everything. @param {WorldMap} map @returns {Rectangle} */
export function extent(map) {
  const points = map.spawns.map(({ position: { x, y } }) => ({ x: x - 2, y: y - 2, width: 4, height: 4 }));
  const all = [
    { x: 0, y: 0, width: map.area.x, height: map.area.y }, ...map.zones.map(({ bounds }) => rectangle(bounds)),
    ...points,
  ];
  const x = Math.min(...all.map(({ x }) => x)) - 3;
  const y = Math.min(...all.map(({ y }) => y)) - 3;
  const right = Math.max(...all.map(({ x, width }) => x + width)) + 3;
  return { x, y, width: right - x, height: Math.max(...all.map(({ y, height }) => y + height)) + 3 - y };
}
