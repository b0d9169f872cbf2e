// The map editor: makes and changes maps of Blocks World for Teams.

/** @import { Examination } from "../protocol/protocol.js" */
/** @import { Part, WorldMap } from "./map-model.js" */
/** @import { Session } from "../protocol/session.js" */

import { examine } from "./document-check.js";
import { DocumentEditor } from "./document-editor.js";
import { openButton, saveFile } from "../page/download.js";
import { button, element } from "../page/element.js";
import { offerKnownValues } from "./known-values.js";
import { MapCanvas, keyOf, partOf } from "./map-canvas.js";
import { addDoor, addSpawn, addZone, move, readMap, remove, resize } from "./map-model.js";
import { MapPanel } from "./map-panel.js";
import { writeMap } from "./map-xml.js";
import { announce, orComplain } from "../page/notice.js";

/** @returns {WorldMap} */
function smallMap() {
  /** @type {WorldMap} */
  const map = {
    area: { x: 30, y: 30 }, spawns: [], one_bot_per_corridor_zone: false, random_blocks: 0, random_sequence: 0,
    seed: "", sequence: ["Red", "Blue"], zones: [],
  };
  addZone(map, "Corridor", { x: 5, y: 15 });
  addZone(map, "Corridor", { x: 15, y: 15 });
  addZone(map, "Corridor", { x: 25, y: 15 });
  for (const [x, color] of /** @type {const} */ ([
    [5, "Red"], [15, "Blue"], [25, "Green"],
  ])) {
    addZone(map, "Room", { x, y: 5 });
    map.zones.at(-1)?.blocks.push(color);
  }
  addZone(map, "DropZone", { x: 15, y: 25 });
  addSpawn(map, { x: 15, y: 15 });
  addSpawn(map, { x: 5, y: 15 });
  return map;
}

/** @extends {DocumentEditor<WorldMap>} */
export class MapEditor extends DocumentEditor {
  title = "Make a map";
  /** @type {Part | null} */
  selected = null;
  /** @type {Set<string>} */
  faulty = new Set();
  fileName = "my.map";

  /** @param {Session} session @param {string} kind the kind of environments */
  constructor(session, kind) {
    super(session, kind, "map", { first: smallMap(), write: writeMap, read: readMap, start: "Play it" });
    this.canvas = new MapCanvas({
      selected: (part) => this.select(part),
      moved: (part, to, isDone) => this.change((map) => move(map, part, to), isDone),
      resized: (zone, area, isDone) => this.change((map) => resize(map, zone, area), isDone),
      removed: (part) => this.remove(part),
    });
    this.panel = new MapPanel({
      map: () => this.edited,
      selected: () => this.selected,
      change: (change) => this.change(change, true),
      add: (what) => this.add(what),
      remove: () => this.selected && this.remove(this.selected),
      fill: (seed) => orComplain(this.fillAtRandom(seed)),
    });
    this.root = this.build();
    this.begin(this.fileName);
  }

  build() {
    const begin = element(
      "select", { "aria-label": "Begin with a map" }, element("option", { value: "" }, "New from…"),
      element("option", { value: "-" }, "A small map"),
    );
    this.offer = () => orComplain(offerKnownValues(begin, this.session, this.kind, "map"));
    this.offer();
    begin.addEventListener("change", () => {
      const name = begin.value;
      begin.value = "";
      if (name === "-") this.take(smallMap(), "my.map");
      else if (name) this.open(name, `${name.toLowerCase().replace(" ", "-")}.map`);
    });
    const tools = element(
      "div",
      { class: "editor-tools", role: "toolbar", "aria-label": "Map" },
      begin,
      openButton("Open…", ".map,.xml,*", (text, name) => this.open(text, name)),
      button("Save", () => orComplain(this.save())),
      this.undo,
      this.redo,
      this.start,
    );
    const help = element(
      "p", { class: "hint" },
      "Drag a part to move it, and its handles to resize it. ",
      "With the keyboard: Tab chooses, arrows move, Shift with arrows resizes, Delete removes.",
    );
    const checks = element(
      "section", { class: "pane", "aria-labelledby": "checks-title" }, element("h2", { id: "checks-title" }, "Checks"),
      this.check.list,
    );
    return element(
      "article", { class: "editor map-editor" },
      element(
        "header", { class: "title" },
        element("nav", { "aria-label": "Where you are" }, element("a", { href: "#/" }, "Environments")),
        element("h1", { tabindex: -1 }, this.title),
        element(
          "p", { class: "summary" }, "Zones, doors, blocks and starting points; the sequence of colours to deliver. ",
          element("a", { href: `#make/${encodeURIComponent(this.kind)}/team` }, "Make a team"),
        ),
      ),
      tools,
      element(
        "div", { class: "editor-panes" },
        element("section", { class: "pane", "aria-label": "Drawing" }, this.canvas.root, help),
        element("div", { class: "editor-side" }, checks, this.panel.root),
      ),
    );
  }

  reflectSession() {
    this.offer?.();
    this.check.soon();
  }

  /** @param {boolean} [keepsFrame] */
  render(keepsFrame = false) {
    this.canvas.show(this.edited, this.selected, this.faulty, keepsFrame);
    this.panel.show();
    super.render();
  }

  /** @param {Part | null} part */
  select(part) {
    if ((part && keyOf(part)) === (this.selected && keyOf(this.selected))) return;
    this.selected = part;
    this.canvas.reflect(part, this.faulty);
    this.panel.show();
  }

  /** Shows the part with a finding. @param {string} path */
  choose(path) {
    this.select(partOf(path));
    this.canvas.focus(path);
  }

  /**
   * Changes the map. A change that goes on, such as a movement, becomes a version when it is done.
   * @param {(map: WorldMap) => void} change
   * @param {boolean} isDone
   */
  change(change, isDone) {
    change(this.edited);
    if (isDone) this.keep();
    this.render(!isDone);
  }

  /** @param {Parameters<typeof addZone>[1] | "door" | "spawn"} what */
  add(what) {
    const { selected, edited: map, canvas } = this;
    if (what === "door" && !(selected && "zone" in selected)) return;
    const place = canvas.middle;
    const part =
      what === "spawn"
        ? addSpawn(map, place)
        : what === "door"
          ? addDoor(map, /** @type {{ zone: number }} */ (selected).zone)
          : addZone(map, what, place);
    this.selected = part;
    this.keep();
    this.render();
    canvas.focus(keyOf(part));
    announce(`Added ${canvas.root.querySelector(".part.selected")?.getAttribute("aria-label") ?? what}`);
  }

  /** @param {Part} part */
  remove(part) {
    this.selected = null;
    this.change((map) => remove(map, part), true);
    this.canvas.root.querySelector(".part") instanceof SVGElement && this.canvas.focus("zones/0");
    announce("Removed");
  }

  /** @param {WorldMap} map @param {string} [name] */
  take(map, name = this.fileName) {
    this.fileName = name;
    this.selected = null;
    super.take(map);
  }

  /** Saves the map as the server writes it, or as it is. */
  async save() {
    const xml = writeMap(this.edited);
    const examined = await examine(this.session, this.kind, "map", { map: xml }).catch(() => null);
    saveFile(this.fileName, examined?.forms.find(({ format }) => format === "xml")?.text ?? xml, "application/xml");
  }

  /** @param {number} seed */
  async fillAtRandom(seed) {
    const { forms, findings } = await examine(this.session, this.kind, "map", { map: writeMap(this.edited) }, seed);
    const [first] = findings;
    const map = readMap(forms);
    if (!map || first?.severity === "error") throw new Error(`Mend the map first: ${first?.text ?? ""}`);
    this.take(map);
    announce("Filled at random");
  }

  /** @param {Examination} examination */
  mark(examination) {
    super.mark(examination);
    this.faulty = new Set(examination.findings.filter(({ severity }) => severity !== "note").map(({ path }) => path));
    this.canvas.reflect(this.selected, this.faulty);
  }
}
