// Writing maps of Blocks World for Teams in the original's format.

/** @import { Point, WorldMap, Zone } from "./map-model.js" */

/** @param {WorldMap} map */
export function writeMap(map) {
  const spawns = map.spawns.map(({ name, position, kind }) =>
    tag("entities", tag("name", text(name)), tag("position", point(position)), tag("type", text(kind))),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    tag(
      "newMap",
      tag("area", point(map.area)),
      ...spawns,
      tag("oneBotPerCorridorZone", String(map.one_bot_per_corridor_zone)),
      tag("randomBlocks", String(map.random_blocks)),
      tag("randomSequence", String(map.random_sequence)),
      map.seed === "" ? "" : tag("seed", text(map.seed)),
      ...map.sequence.map((color) => tag("sequence", color.toUpperCase())),
      ...map.zones.map(zone),
    ),
  ].join("");
}

/** @type {{ [kind: string]: string }} */
const KINDS = { Room: "ROOM", Corridor: "CORRIDOR", ChargingZone: "CHARGINGZONE", Blockade: "BLOCKADE" };

/** @param {Zone} zone */
function zone({ name, kind, bounds, blocks, doors, neighbours, label_visible }) {
  const door = (/** @type {Zone["doors"][0]} */ { position, orientation }) =>
    tag("doors", tag("position", point(position)), tag("orientation", orientation.toUpperCase()));
  return tag(
    "zones",
    tag("name", text(name)),
    tag("type", KINDS[kind] ?? ""),
    tag("boundingbox", point(bounds.center), tag("width", String(bounds.width)), tag("height", String(bounds.height))),
    ...blocks.map((color) => tag("blocks", color.toUpperCase())),
    ...doors.map(door),
    ...neighbours.map((neighbour) => tag("neighbours", text(neighbour))),
    label_visible ? "" : tag("renderOptions", tag("labelVisible", "false")),
  );
}

/** @param {Point} of */
function point({ x, y }) {
  return tag("x", String(x)) + tag("y", String(y));
}

/** @param {string} name @param {...string} content */
function tag(name, ...content) {
  return `<${name}>${content.join("")}</${name}>\n`;
}

/** @param {string} of */
function text(of) {
  return of.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
