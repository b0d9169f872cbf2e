// The table of entities, with their types and agents.

/** @import { Entity } from "../environment/environment-state.js" */

import { element, find, say } from "../page/element.js";
import { inNextFrame } from "../page/frame.js";
import { counted } from "../environment/happenings.js";

/** Number of entities from which the filter is shown. */
const WORTH_FILTERING = 6;

/** @typedef {{ row: HTMLTableRowElement, button: HTMLButtonElement, type: HTMLElement, agents: HTMLElement }} Line */

export class EntitiesView {
  /** @type {Map<string, Line>} */
  lines = new Map();
  /** @type {ReadonlyMap<string, Entity>} */
  entities = new Map();
  selected = "";

  /**
   * @param {HTMLElement} root
   * @param {(entity: string) => void} choose
   */
  constructor(root, choose) {
    this.root = root;
    this.choose = choose;
    this.body = find(root, "tbody", HTMLTableSectionElement);
    this.table = find(root, "table", HTMLTableElement);
    this.scroller = find(root, ".scrolling", HTMLElement);
    this.filter = find(root, "[data-part=filter]", HTMLInputElement);
    this.count = find(root, "[data-part=count]", HTMLElement);
    this.nothing = find(root, "[data-part=nothing]", HTMLElement);
    this.render = this.render.bind(this);
    this.filter.addEventListener("input", this.render);
    this.body.addEventListener("keydown", (event) => this.walk(event));
    this.body.addEventListener("click", (event) => this.clicked(event));
  }

  /** @param {ReadonlyMap<string, Entity>} entities */
  show(entities) {
    this.entities = entities;
    inNextFrame(this.render);
  }

  /** @param {string} entity */
  select(entity) {
    this.mark(this.selected, false);
    this.selected = entity;
    this.mark(entity, true);
    this.reveal();
    this.keepOneReachable();
  }

  render() {
    const words = this.filter.value.toLowerCase();
    const shown = [...this.entities.values()].filter((entity) => fits(entity, words));
    const rows = shown.map((entity) => this.line(entity).row);
    if (rows.length !== this.body.rows.length || rows.some((row, place) => this.body.rows[place] !== row)) {
      this.arrange(rows);
    }
    for (const name of this.lines.keys()) if (!this.entities.has(name)) this.lines.delete(name);
    this.summarize(shown.length);
    this.keepOneReachable();
  }

  /** @param {number} shown */
  summarize(shown) {
    const { size } = this.entities;
    say(this.count, shown === size ? String(size) : `${shown} of ${size}`);
    this.filter.hidden = size < WORTH_FILTERING && this.filter.value === "";
    this.table.hidden = shown === 0;
    this.nothing.hidden = shown > 0;
    say(this.nothing, size === 0 ? "There are no entities." : "No entity matches the filter.");
  }

  /**
   * Keeps the keyboard focus on its row.
   * @param {HTMLTableRowElement[]} rows
   */
  arrange(rows) {
    const focused = document.activeElement;
    this.body.replaceChildren(...rows);
    if (focused instanceof HTMLElement && this.body.contains(focused)) focused.focus({ preventScroll: true });
    else this.reveal();
  }

  /** @param {Entity} entity */
  line({ name, entityType, agents }) {
    const line = this.lines.get(name) ?? this.makeLine(name);
    const controllers = [...agents].join(", ");
    say(line.type, entityType);
    say(line.agents, controllers || "free");
    line.agents.classList.toggle("free", controllers === "");
    line.agents.title = agents.size > 1 ? counted(agents.size, "agent", "agents") : "";
    return line;
  }

  /** @param {string} name */
  makeLine(name) {
    const button = element(
      "button", { type: "button", class: "choice", tabindex: -1, "aria-pressed": name === this.selected }, name,
    );
    const [type, agents] = [element("td"), element("td")];
    const row = element("tr", {}, element("th", { scope: "row" }, button), type, agents);
    row.dataset["entity"] = name;
    row.classList.toggle("selected", name === this.selected);
    const line = { row, button, type, agents };
    this.lines.set(name, line);
    return line;
  }

  /**
   * @param {string} entity
   * @param {boolean} isSelected
   */
  mark(entity, isSelected) {
    const line = this.lines.get(entity);
    line?.button.setAttribute("aria-pressed", String(isSelected));
    line?.row.classList.toggle("selected", isSelected);
  }

  /** Scrolls the table to the chosen entity, but not the page, since it may have been chosen elsewhere. */
  reveal() {
    const row = this.lines.get(this.selected)?.row;
    if (!row?.isConnected) return;
    const { scroller } = this;
    const head = this.table.tHead?.offsetHeight ?? 0;
    const [above, below] = [row.offsetTop - head, row.offsetTop + row.offsetHeight - scroller.clientHeight];
    if (scroller.scrollTop > above) scroller.scrollTop = above;
    else if (scroller.scrollTop < below) scroller.scrollTop = below;
  }

  /** The tab key reaches one row, and the arrow keys the others from there. */
  keepOneReachable() {
    const buttons = [...this.body.querySelectorAll("button")];
    const focused = buttons.find((button) => button === document.activeElement);
    const reachable = focused ?? buttons.find((button) => button.ariaPressed === "true") ?? buttons[0];
    for (const button of buttons) button.tabIndex = button === reachable ? 0 : -1;
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    const buttons = [...this.body.querySelectorAll("button")];
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    const next = to === undefined ? undefined : buttons[to];
    if (at < 0 || !next) return;
    event.preventDefault();
    next.focus();
    this.keepOneReachable();
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const row = event.target instanceof Element ? event.target.closest("tr") : null;
    const entity = row?.dataset["entity"];
    if (entity !== undefined) this.choose(entity);
  }
}

/**
 * @param {Entity} entity
 * @param {string} words in lower case
 */
function fits({ name, entityType, agents }, words) {
  const text = `${name} ${entityType} ${[...agents].join(" ")}`.toLowerCase();
  return words.split(/\s+/).every((word) => text.includes(word));
}
