// The team editor: makes and changes teams for Blocks World for Teams.

/** @import { Examination, Parameters } from "./protocol.js" */
/** @import { AgentFile, Bots, Partners, Setting, Team } from "./team-model.js" */
/** @import { Session } from "./session.js" */

import { DocumentCheck, examine } from "./document-check.js";
import { openButton, saveFile } from "./download.js";
import { rememberDraft, rememberedDraft } from "./draft.js";
import { EditHistory } from "./edit-history.js";
import { element, fill } from "./element.js";
import { offerKnownValues } from "./known-values.js";
import { announce, complain, orComplain } from "./notice.js";
import { addressOf } from "./route.js";
import { PRESETS, bots, partners, readTeam, writeTeam } from "./team-model.js";

/** The value of the choice that stands for the map of the map editor. */
const MY_MAP = "-";

export class TeamEditor {
  title = "Make a team";
  listening = new AbortController();
  bots = element("div", { class: "kind-list" });
  partners = element("div", { class: "kind-list" });
  /** Number of the next field. */
  fields = 0;

  /** @param {Session} session @param {string} kind the kind of environments */
  constructor(session, kind) {
    this.session = session;
    this.kind = kind;
    /** @type {Team} */
    this.team = { bots: [bots({ name: "Human", type: "human" }), bots({ name: "Bot", amount: 2 })], partners: [], original: {} };
    this.history = new EditHistory(this.team);
    this.check = new DocumentCheck(session, kind, "team", {
      parameters: () => this.parameters(),
      choose: (path) => this.choose(path),
      examined: (examination) => this.mark(examination),
    });
    this.root = this.build();
    addEventListener("keydown", (event) => this.shortcut(event), { signal: this.listening.signal });
    this.show();
    const draft = rememberedDraft(kind, "team");
    if (draft) this.open(draft, "your draft");
    else this.check.soon();
  }

  build() {
    const mine = rememberedDraft(this.kind, "map") !== "";
    this.map = element("select", { id: "team-map" }, mine && element("option", { value: MY_MAP }, "My map, from the map editor"));
    this.offer();
    this.map.addEventListener("change", () => this.check.soon());
    this.undo = this.button("Undo", () => this.travel(-1), { title: "Undo (Ctrl+Z)" });
    this.redo = this.button("Redo", () => this.travel(1), { title: "Redo (Ctrl+Y)" });
    this.start = this.button("Start", () => orComplain(this.begin()), { class: "main" });
    const save = (/** @type {string} */ format) => () => orComplain(this.save(format));
    const tools = element(
      "div",
      { class: "editor-tools", role: "toolbar", "aria-label": "Team" },
      openButton("Open…", ".toml,.xml,*", (text, name) => this.open(text, name)),
      this.button("Save as TOML", save("toml")),
      this.button("Save as XML", save("xml")),
      this.button("Export for GOAL", () => orComplain(this.export()), { title: "Saves team.mas2g and team.xml" }),
      this.undo,
      this.redo,
      this.start,
    );
    const presets = PRESETS.map(([label, make]) => this.button(label, () => this.change((team) => team.bots.push(make()), `Added ${label}`), { "aria-label": `Add robot: ${label}` }));
    const add = this.button("Add an e-partner", () => this.change((team) => team.partners.push(partners()), "Added an e-partner"));
    const pane = (/** @type {string} */ title, /** @type {Node[]} */ ...content) => element("section", { class: "pane", "aria-label": title }, element("h2", {}, title), ...content);
    return element(
      "article",
      { class: "editor team-editor" },
      element("header", { class: "title" }, element("nav", { "aria-label": "Where you are" }, element("a", { href: "#/" }, "Environments")), element("h1", { tabindex: -1 }, this.title), element("p", { class: "summary" }, "Robots, their handicaps, their e-partners, and who drives them. ", element("a", { href: `#make/${encodeURIComponent(this.kind)}/map` }, "Make a map"))),
      tools,
      element(
        "div",
        { class: "editor-panes" },
        element("div", { class: "editor-side" }, pane("Robots", this.bots, element("div", { class: "additions" }, ...presets)), pane("E-partners", this.partners, element("div", {}, add))),
        element("div", { class: "editor-side" }, pane("Map", element("div", { class: "field" }, element("label", { for: "team-map" }, "The team plays on"), this.map)), pane("Checks", this.check.list)),
      ),
    );
  }

  end() {
    this.listening.abort();
    this.check.end();
  }

  reflectSession() {
    this.offer();
    this.check.soon();
  }

  offer() {
    if (this.map) void orComplain(offerKnownValues(this.map, this.session, this.kind, "map"));
  }

  showEnvironments() {}

  /** The parameters of an environment with this team. @returns {Parameters} */
  parameters() {
    const map = this.map?.value === MY_MAP ? rememberedDraft(this.kind, "map") : (this.map?.value ?? "");
    return { team: writeTeam(this.team), ...(map && { map }) };
  }

  show() {
    const active = document.activeElement;
    const focused = active instanceof HTMLElement && this.root.contains(active) ? active.id : "";
    this.fields = 0;
    fill(this.bots, ...this.team.bots.map((robot, index) => this.robot(robot, index)));
    fill(this.partners, ...this.team.partners.map((partner, index) => this.partner(partner, index)));
    this.undo?.setAttribute("aria-disabled", String(!this.history.canUndo));
    this.redo?.setAttribute("aria-disabled", String(!this.history.canRedo));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  /** @param {Bots} robot @param {number} index */
  robot(robot, index) {
    const driver = element("select", {}, element("option", { value: "bot", selected: robot.type === "bot" }, "an agent"), element("option", { value: "human", selected: robot.type === "human" }, "a person"));
    driver.addEventListener("change", () => this.change(() => (robot.type = driver.value === "human" ? "human" : "bot")));
    return this.card(
      `bots/${index}`,
      robot.name,
      () => this.team.bots.splice(index, 1),
      [
        this.text("Name", robot.name, (name) => (robot.name = name)),
        this.number("Number of robots", robot.amount, [0, 1000], (amount) => (robot.amount = amount)),
        this.field("Driven by", driver),
        this.checkBox("Colour-blind", robot.colorBlind, (isSo) => (robot.colorBlind = isSo)),
        ...this.setting("Size", robot.size, [1, 5], "any"),
        ...this.setting("Speed in percent", robot.speed, [0, 100], "any"),
        ...this.setting("Grippers", robot.grippers, [0, 100], "1"),
        this.checkBox("Battery runs down", robot.battery.enabled, (isSo) => (robot.battery.enabled = isSo)),
        robot.battery.enabled && this.number("Battery capacity", robot.battery.capacity, [0.001, 1e6], (capacity) => (robot.battery.capacity = capacity), "any"),
      ],
      robot.agent,
    );
  }

  /** @param {Partners} partner @param {number} index */
  partner(partner, index) {
    return this.card(
      `epartners/${index}`,
      partner.name,
      () => this.team.partners.splice(index, 1),
      [
        this.text("Name", partner.name, (name) => (partner.name = name)),
        this.number("Number of e-partners", partner.amount, [0, 1000], (amount) => (partner.amount = amount)),
        this.checkBox("GPS: knows its position and the rooms", partner.gps, (isSo) => (partner.gps = isSo)),
        this.checkBox("Forget-me-not: notices being left behind", partner.forgetMeNot, (isSo) => (partner.forgetMeNot = isSo)),
      ],
      partner.agent,
    );
  }

  /**
   * @param {string} path @param {string} title @param {() => void} remove @param {(Node | false)[]} fields @param {AgentFile} agent
   */
  card(path, title, remove, fields, agent) {
    const button = this.button("Remove", () => this.change(remove, `Removed ${title}`), { class: "quiet", "aria-label": `Remove ${title}` });
    const program = element(
      "details",
      { open: agent.file !== "*.goal" },
      element("summary", {}, "Agent for GOAL"),
      this.text("Agent file", agent.file, (file) => (agent.file = file)),
      this.text("Name in the project", agent.reference, (reference) => (agent.reference = reference)),
    );
    return element("fieldset", { "data-path": path }, element("legend", {}, title), ...fields, program, button);
  }

  /** A handicap: a value that has an effect only if it is enabled. @param {string} label @param {Setting} setting @param {[number, number]} range @param {string} step */
  setting(label, setting, range, step) {
    const field = this.number(label, setting.value, range, (value) => Object.assign(setting, { value, enabled: true }), step);
    const isUsual = label === "Grippers" ? "Gripper works" : `${label.replace(" in percent", "")} differs`;
    return [this.checkBox(isUsual, setting.enabled, (isSo) => (setting.enabled = isSo)), setting.enabled && field];
  }

  /** @param {string} label @param {HTMLElement} control */
  field(label, control) {
    control.id = `team-field-${(this.fields += 1)}`;
    return element("div", { class: "field" }, element("label", { for: control.id }, label), control);
  }

  /** @param {string} label @param {string} value @param {(value: string) => void} set */
  text(label, value, set) {
    const input = element("input", { value, maxlength: 240, autocomplete: "off", spellcheck: "false" });
    input.addEventListener("change", () => this.change(() => set(input.value.trim())));
    return this.field(label, input);
  }

  /** @param {string} label @param {number} value @param {[number, number]} range @param {(value: number) => void} set @param {string} [step] */
  number(label, value, [min, max], set, step = "1") {
    const input = element("input", { type: "number", value, min, max, step, required: true });
    input.addEventListener("change", () => {
      if (input.checkValidity()) this.change(() => set(input.valueAsNumber));
      else input.reportValidity();
    });
    return this.field(label, input);
  }

  /** @param {string} label @param {boolean} value @param {(value: boolean) => void} set */
  checkBox(label, value, set) {
    const input = element("input", { type: "checkbox", checked: value });
    input.addEventListener("change", () => this.change(() => set(input.checked)));
    input.id = `team-field-${(this.fields += 1)}`;
    return element("div", { class: "field check" }, input, element("label", { for: input.id }, label));
  }

  /** @param {string} label @param {() => void} act @param {{ [name: string]: string }} [attributes] */
  button(label, act, attributes = {}) {
    const made = element("button", { type: "button", ...attributes }, label);
    made.addEventListener("click", act);
    return made;
  }

  /** @param {(team: Team) => void} change @param {string} [said] */
  change(change, said = "") {
    change(this.team);
    if (this.history.add(this.team)) this.changed();
    if (said) announce(said);
  }

  changed() {
    rememberDraft(this.kind, "team", writeTeam(this.team));
    this.show();
    this.check.soon();
  }

  /** @param {number} by */
  travel(by) {
    if (by < 0 ? !this.history.canUndo : !this.history.canRedo) return;
    this.team = this.history.go(by);
    this.changed();
    announce(by < 0 ? "Undone" : "Redone");
  }

  /** @param {KeyboardEvent} event */
  shortcut(event) {
    const isText = event.target instanceof HTMLInputElement && event.target.type !== "checkbox";
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || isText || (key !== "z" && key !== "y")) return;
    event.preventDefault();
    this.travel(key === "y" || event.shiftKey ? 1 : -1);
  }

  /** Shows the kind of robots with a finding. @param {string} path */
  choose(path) {
    const field = this.root.querySelector(`[data-path="${path}"] input`);
    if (field instanceof HTMLElement) field.focus();
  }

  /** @param {Examination} examination */
  mark({ findings }) {
    this.start?.setAttribute("aria-disabled", String(findings.some(({ severity }) => severity === "error") || !this.session.may("manage")));
  }

  /** The team in a format. @param {string} format */
  async form(format) {
    const { forms, findings } = await examine(this.session, this.kind, "team", this.parameters());
    const form = forms.find((form) => form.format === format);
    if (!form) throw new Error(`Mend the team first: ${findings[0]?.text ?? ""}`);
    return form.text;
  }

  /** @param {string} format */
  async save(format) {
    saveFile(`team.${format}`, await this.form(format), format === "xml" ? "application/xml" : "text/plain");
  }

  async export() {
    saveFile("team.mas2g", await this.form("mas2g"), "text/plain");
    await this.save("xml");
  }

  /** @param {string} text @param {string} name */
  async open(text, name) {
    try {
      const { forms, findings } = await examine(this.session, this.kind, "team", { team: text });
      const form = forms.find(({ format }) => format === "json");
      if (!form) return complain(`${name}: ${findings[0]?.text ?? "cannot be read"}`);
      this.team = readTeam(form.text);
      this.history.add(this.team);
      this.changed();
    } catch (why) {
      complain(why instanceof Error ? why.message : String(why));
    }
  }

  async begin() {
    const { status } = await this.session.call("createEnvironment", { kind: this.kind, parameters: this.parameters(), start: true });
    location.hash = addressOf(status.environment);
  }
}
