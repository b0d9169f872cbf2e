// The panel of the map editor: adding parts, the selected part, the sequence, and settings of the whole map.

/** @import { Part, WorldMap, Zone, ZoneKind } from "./map-model.js" */

import { button, element, fill, labelled } from "../page/element.js";
import { WORDS, centerOf } from "./map-canvas.js";
import { COLORS, areLinked, holdsBlocks, isDropZone, rectangle } from "./map-model.js";
import { move, rename, resize, setKind, setLinked } from "./map-model.js";

/** @typedef {ZoneKind | "DropZone" | "door" | "spawn"} Addition */

/**
 * @typedef {object} Editing
 * @property {() => WorldMap} map
 * @property {() => Part | null} selected
 * @property {(change: (map: WorldMap) => void) => void} change
 * @property {(what: Addition) => void} add
 * @property {() => void} remove
 * @property {(seed: number) => void} fill fills the map at random
 */

/** @type {[Addition, string][]} */
const ADDITIONS = [
  ["Room", "Room"], ["Corridor", "Corridor"], ["ChargingZone", "Charging zone"], ["Blockade", "Blockade"],
  ["DropZone", "Drop zone"], ["spawn", "Starting point"],
];

export class MapPanel {
  root = element("div", { class: "map-panel" });
  /** The field with the focus, by its name, so that showing the panel again keeps it. */
  seed = 1;

  /** @param {Editing} editing */
  constructor(editing) {
    this.editing = editing;
    this.additions = element("section", { class: "pane", "aria-labelledby": "add-title" });
    this.part = element("section", { class: "pane", "aria-label": "Selected part" });
    this.sequence = element("section", { class: "pane", "aria-labelledby": "sequence-title" });
    this.whole = element("section", { class: "pane", "aria-labelledby": "whole-title" });
    const buttons = ADDITIONS.map(([what, label]) =>
      button(label, () => editing.add(what), { "aria-label": `Add ${label.toLowerCase()}` }),
    );
    fill(this.additions, element("h2", { id: "add-title" }, "Add"), element("div", { class: "additions" }, ...buttons));
    this.root.append(this.additions, this.part, this.sequence, this.whole);
  }

  show() {
    const focused =
      document.activeElement instanceof HTMLElement && this.root.contains(document.activeElement)
        ? document.activeElement.dataset["field"]
        : undefined;
    const { map, selected } = this.editing;
    this.showPart(map(), selected());
    this.showSequence(map());
    this.showWhole(map());
    const again = focused && this.root.querySelector(`[data-field="${focused}"]`);
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
  }

  /** @param {WorldMap} map @param {Part | null} part */
  showPart(map, part) {
    const zone = part && "zone" in part ? map.zones[part.zone] : undefined;
    if (!part || ("zone" in part && !zone))
      return fill(this.part, element("p", { class: "nothing" }, "Choose a part of the map to change it."));
    const remove = button("Remove", () => this.editing.remove(), { class: "quiet", "data-field": "remove" });
    const center = centerOf(map, part);
    const at = [
      this.number("x", center.x, (x) => move(map, part, { ...centerOf(map, part), x })),
      this.number("y", center.y, (y) => move(map, part, { ...centerOf(map, part), y })),
    ];
    const title = (/** @type {string} */ text) =>
      element("div", { class: "pane-head" }, element("h2", {}, text), remove);
    if (!("zone" in part))
      return fill(this.part, title(`Starting point ${part.spawn + 1}`), element("div", { class: "numbers" }, ...at));
    if (!zone) return;
    if (part.door !== undefined)
      return fill(this.part, title(`Door of ${zone.name}`), element("div", { class: "numbers" }, ...at));
    const { width, height } = zone.bounds;
    const index = part.zone;
    const size = [
      this.number("width", width, (value) => resize(map, index, { ...rectangle(zone.bounds), width: value }), 2),
      this.number("height", height, (value) => resize(map, index, { ...rectangle(zone.bounds), height: value }), 2),
    ];
    fill(
      this.part,
      title(zone.name),
      this.text("name", "Name", zone.name, (name) => rename(map, index, name)),
      this.kind(zone, index),
      element("div", { class: "numbers" }, ...at, ...size),
      zone.kind === "Room" && button("Add a door", () => this.editing.add("door"), { "data-field": "add-door" }),
      holdsBlocks(zone) && this.colors("Blocks", "block", zone.blocks),
      this.check("label", "Show its name", zone.label_visible, (isShown) => (zone.label_visible = isShown)),
      this.ways(map, zone),
    );
  }

  /** @param {Zone} zone @param {number} index */
  kind(zone, index) {
    if (isDropZone(zone)) return null;
    const kinds = /** @type {ZoneKind[]} */ (["Room", "Corridor", "ChargingZone", "Blockade"]);
    const choice = element(
      "select", { id: "map-kind", "data-field": "kind" },
      ...kinds.map((kind) => element("option", { value: kind, selected: kind === zone.kind }, WORDS[kind] ?? kind)),
    );
    choice.addEventListener("change", () =>
      this.editing.change((map) => setKind(map, index, /** @type {ZoneKind} */ (choice.value))),
    );
    return labelled("Kind", choice);
  }

  /** The zones to which robots go from this one. @param {WorldMap} map @param {Zone} zone */
  ways(map, zone) {
    const linked = map.zones.filter((other) => other !== zone && areLinked(zone, other));
    const others = map.zones.filter((other) => other !== zone && !linked.includes(other));
    const ways = linked.map((other, place) =>
      button(`${other.name} ×`, () => this.editing.change(() => setLinked(zone, other, false)), {
        class: "chip", "aria-label": `Remove the way to ${other.name}`, "data-field": `way-${place}`,
      }),
    );
    const add = element(
      "select", { "aria-label": "Add a way to", "data-field": "add-way" },
      element("option", { value: "" }, "Add a way to…"), ...others.map(({ name }) => element("option", {}, name)),
    );
    add.addEventListener("change", () => {
      const other = others.find(({ name }) => name === add.value);
      if (other) this.editing.change(() => setLinked(zone, other, true));
    });
    return element(
      "div", { class: "field" }, element("span", { class: "label" }, "Ways to"),
      element("div", { class: "chips" }, ...ways), add,
    );
  }

  /** @param {WorldMap} map */
  showSequence(map) {
    fill(
      this.sequence, element("h2", { id: "sequence-title" }, "Sequence to deliver"),
      this.colors("Sequence", "goal", map.sequence),
    );
  }

  /** @param {WorldMap} map */
  showWhole(map) {
    const count = (
      /** @type {string} */ field, /** @type {string} */ label, /** @type {"random_blocks" | "random_sequence"} */ of,
    ) => this.number(field, map[of], (value) => (map[of] = Math.round(value)), 0, label);
    const seed = this.number("fill-seed", this.seed, (value) => (this.seed = Math.round(value)), 0, "Seed");
    fill(
      this.whole,
      element("h2", { id: "whole-title" }, "Whole map"),
      element(
        "div", { class: "numbers" }, this.number("area-x", map.area.x, (x) => (map.area.x = x), 1, "Width"),
        this.number("area-y", map.area.y, (y) => (map.area.y = y), 1, "Height"),
      ),
      this.check(
        "one-robot", "A corridor holds one robot", map.one_bot_per_corridor_zone,
        (isSo) => (map.one_bot_per_corridor_zone = isSo),
      ),
      element("h3", {}, "Random filling"),
      element("p", { class: "hint" }, "Random blocks and colours are chosen when an episode begins, or now."),
      element(
        "div", { class: "numbers" }, count("random-blocks", "Random blocks", "random_blocks"),
        count("random-sequence", "Random colours in the sequence", "random_sequence"), seed,
      ),
      button("Fill now", () => this.editing.fill(this.seed), {
        "data-field": "fill", "aria-disabled": String(map.random_blocks + map.random_sequence === 0),
      }),
      this.text(
        "map-seed", "Seed of the map (optional: always the same filling)", map.seed,
        (value) => (map.seed = /^-?\d{1,18}$/.test(value) ? value : ""),
      ),
    );
  }

  /**
   * A list of colours that can be extended, and shortened by a click.
   * @param {string} label @param {string} noun @param {string[]} colors
   */
  colors(label, noun, colors) {
    const change = (/** @type {() => void} */ act) => this.editing.change(act);
    const there = colors.map((color, place) =>
      button("", () => change(() => colors.splice(place, 1)), {
        class: "swatch", "data-color": color, "aria-label": `Remove ${noun} ${place + 1}, ${color}`,
        title: `Remove ${color}`, "data-field": `${noun}-${place}`,
      }),
    );
    const palette = COLORS.map((color) =>
      button(color.charAt(0), () => change(() => colors.push(color)), {
        class: "swatch add", "data-color": color, "aria-label": `Add ${noun} ${color}`, title: `Add ${color}`,
        "data-field": `${noun}-add-${color}`,
      }),
    );
    return element(
      "div",
      { class: "colors", role: "group", "aria-label": label },
      element("div", { class: "chosen" }, ...(there.length ? there : [element("span", { class: "nothing" }, "none")])),
      element("div", { class: "palette" }, ...palette),
    );
  }

  /**
   * @param {string} field @param {number} value @param {(value: number) => void} set @param {number} [least]
   * @param {string} [label]
   */
  number(field, value, set, least, label = field) {
    const input = element("input", {
      id: `map-${field}`, type: "number", step: "any", value, ...(least !== undefined && { min: least }),
      required: true, "data-field": field,
    });
    input.addEventListener("change", () => {
      const given = input.valueAsNumber;
      if (Number.isFinite(given) && given >= (least ?? -Infinity)) this.editing.change(() => set(given));
      else input.value = String(value);
    });
    return labelled(label, input);
  }

  /** @param {string} field @param {string} label @param {string} value @param {(value: string) => void} set */
  text(field, label, value, set) {
    const input = element("input", {
      id: `map-${field}`, value, maxlength: 255, autocomplete: "off", spellcheck: "false", "data-field": field,
    });
    input.addEventListener("change", () => this.editing.change(() => set(input.value.trim())));
    return labelled(label, input);
  }

  /** @param {string} field @param {string} label @param {boolean} value @param {(value: boolean) => void} set */
  check(field, label, value, set) {
    const input = element("input", { id: `map-${field}`, type: "checkbox", checked: value, "data-field": field });
    input.addEventListener("change", () => this.editing.change(() => set(input.checked)));
    return labelled(label, input);
  }
}
