// The team editor: makes and changes teams for Blocks World for Teams.

/** @import { Parameters } from "../protocol/terms.js" */
/** @import { AgentFile, Bots, Partners, Setting, Team } from "./team-model.js" */
/** @import { Session } from "../protocol/session.js" */

import { examine } from "./document-check.js";
import { DocumentEditor } from "./document-editor.js";
import { openButton, saveFile } from "../page/download.js";
import { rememberedDraft } from "./draft.js";
import { button, element, fill, labelled } from "../page/element.js";
import { offerKnownValues } from "./known-values.js";
import { announce, orComplain } from "../page/notice.js";
import { PRESETS, bots, partners, readTeam, writeTeam } from "./team-model.js";

/** The value of the choice that stands for the map of the map editor. */
const MY_MAP = "-";

/** @extends {DocumentEditor<Team>} */
export class TeamEditor extends DocumentEditor {
  title = "Make a team";
  bots = element("div", { class: "kind-list" });
  partners = element("div", { class: "kind-list" });
  /** Number of the next field. */
  fields = 0;

  /** @param {Session} session @param {string} kind the kind of environments */
  constructor(session, kind) {
    super(session, kind, "team", {
      first: {
        bots: [bots({ name: "Human", type: "human" }), bots({ name: "Bot", amount: 2 })], partners: [], original: {},
      },
      write: writeTeam,
      read: readTeam,
      start: "Start",
    });
    this.root = this.build();
    this.begin("your draft");
  }

  build() {
    const mine = rememberedDraft(this.kind, "map") !== "";
    this.map = element(
      "select", { id: "team-map" }, mine && element("option", { value: MY_MAP }, "My map, from the map editor"),
    );
    this.offer();
    this.map.addEventListener("change", () => this.check.soon());
    const save = (/** @type {string} */ format) => () => orComplain(this.save(format));
    const tools = element(
      "div",
      { class: "editor-tools", role: "toolbar", "aria-label": "Team" },
      openButton("Open…", ".toml,.xml,*", (text, name) => this.open(text, name)),
      button("Save as TOML", save("toml")),
      button("Save as XML", save("xml")),
      button("Export for GOAL", () => orComplain(this.export()), { title: "Saves team.mas2g and team.xml" }),
      this.undo,
      this.redo,
      this.start,
    );
    const presets = PRESETS.map(([label, make]) =>
      button(label, () => this.change((team) => team.bots.push(make()), `Added ${label}`), {
        "aria-label": `Add robot: ${label}`,
      }),
    );
    const add = button("Add an e-partner", () =>
      this.change((team) => team.partners.push(partners()), "Added an e-partner"),
    );
    const pane = (/** @type {string} */ title, /** @type {Node[]} */ ...content) =>
      element("section", { class: "pane", "aria-label": title }, element("h2", {}, title), ...content);
    return element(
      "article", { class: "editor team-editor" },
      element(
        "header", { class: "title" },
        element("nav", { "aria-label": "Where you are" }, element("a", { href: "#/" }, "Environments")),
        element("h1", { tabindex: -1 }, this.title),
        element(
          "p", { class: "summary" }, "Robots, their handicaps, their e-partners, and who drives them. ",
          element("a", { href: `#make/${encodeURIComponent(this.kind)}/map` }, "Make a map"),
        ),
      ),
      tools,
      element(
        "div",
        { class: "editor-panes" },
        element(
          "div", { class: "editor-side" },
          pane("Robots", this.bots, element("div", { class: "additions" }, ...presets)),
          pane("E-partners", this.partners, element("div", {}, add)),
        ),
        element(
          "div", { class: "editor-side" }, pane("Map", labelled("The team plays on", this.map)),
          pane("Checks", this.check.list),
        ),
      ),
    );
  }

  reflectSession() {
    this.offer();
    this.check.soon();
  }

  offer() {
    if (this.map) void orComplain(offerKnownValues(this.map, this.session, this.kind, "map"));
  }

  /** The parameters of an environment with this team. @returns {Parameters} */
  parameters() {
    const map = this.map?.value === MY_MAP ? rememberedDraft(this.kind, "map") : (this.map?.value ?? "");
    return { ...super.parameters(), ...(map && { map }) };
  }

  render() {
    const active = document.activeElement;
    const focused = active instanceof HTMLElement && this.root.contains(active) ? active.id : "";
    this.fields = 0;
    fill(this.bots, ...this.edited.bots.map((robot, index) => this.robot(robot, index)));
    fill(this.partners, ...this.edited.partners.map((partner, index) => this.partner(partner, index)));
    super.render();
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  /** @param {Bots} robot @param {number} index */
  robot(robot, index) {
    const driver = element(
      "select", {}, element("option", { value: "bot", selected: robot.type === "bot" }, "an agent"),
      element("option", { value: "human", selected: robot.type === "human" }, "a person"),
    );
    driver.addEventListener("change", () =>
      this.change(() => (robot.type = driver.value === "human" ? "human" : "bot")),
    );
    return this.card(
      `bots/${index}`,
      robot.name,
      () => this.edited.bots.splice(index, 1),
      [
        this.text("Name", robot.name, (name) => (robot.name = name)),
        this.number("Number of robots", robot.amount, [0, 1000], (amount) => (robot.amount = amount)),
        this.field("Driven by", driver),
        this.checkBox("Colour-blind", robot.colorBlind, (isSo) => (robot.colorBlind = isSo)),
        ...this.setting("Size", robot.size, [1, 5], "any"),
        ...this.setting("Speed in percent", robot.speed, [0, 100], "any"),
        ...this.setting("Grippers", robot.grippers, [0, 100], "1"),
        this.checkBox("Battery runs down", robot.battery.enabled, (isSo) => (robot.battery.enabled = isSo)),
        robot.battery.enabled &&
          this.number(
            "Battery capacity", robot.battery.capacity, [0.001, 1e6], (capacity) => (robot.battery.capacity = capacity),
            "any",
          ),
      ],
      robot.agent,
    );
  }

  /** @param {Partners} partner @param {number} index */
  partner(partner, index) {
    return this.card(
      `epartners/${index}`,
      partner.name,
      () => this.edited.partners.splice(index, 1),
      [
        this.text("Name", partner.name, (name) => (partner.name = name)),
        this.number("Number of e-partners", partner.amount, [0, 1000], (amount) => (partner.amount = amount)),
        this.checkBox("GPS: knows its position and the rooms", partner.gps, (isSo) => (partner.gps = isSo)),
        this.checkBox(
          "Forget-me-not: notices being left behind", partner.forgetMeNot, (isSo) => (partner.forgetMeNot = isSo),
        ),
      ],
      partner.agent,
    );
  }

  /**
   * @param {string} path @param {string} title @param {() => void} remove @param {(Node | false)[]} fields
   * @param {AgentFile} agent
   */
  card(path, title, remove, fields, agent) {
    const away = button("Remove", () => this.change(remove, `Removed ${title}`), {
      class: "quiet", "aria-label": `Remove ${title}`,
    });
    const program = element(
      "details",
      { open: agent.file !== "*.goal" },
      element("summary", {}, "Agent for GOAL"),
      this.text("Agent file", agent.file, (file) => (agent.file = file)),
      this.text("Name in the project", agent.reference, (reference) => (agent.reference = reference)),
    );
    return element("fieldset", { "data-path": path }, element("legend", {}, title), ...fields, program, away);
  }

  /**
   * A handicap: a value that has an effect only if it is enabled.
   * @param {string} label @param {Setting} setting @param {[number, number]} range @param {string} step
   */
  setting(label, setting, range, step) {
    const field = this.number(
      label, setting.value, range, (value) => Object.assign(setting, { value, enabled: true }), step,
    );
    const isUsual = label === "Grippers" ? "Gripper works" : `${label.replace(" in percent", "")} differs`;
    return [this.checkBox(isUsual, setting.enabled, (isSo) => (setting.enabled = isSo)), setting.enabled && field];
  }

  /** @param {string} label @param {HTMLElement} control */
  field(label, control) {
    control.id = `team-field-${(this.fields += 1)}`;
    return labelled(label, control);
  }

  /** @param {string} label @param {string} value @param {(value: string) => void} set */
  text(label, value, set) {
    const input = element("input", { value, maxlength: 240, autocomplete: "off", spellcheck: "false" });
    input.addEventListener("change", () => this.change(() => set(input.value.trim())));
    return this.field(label, input);
  }

  /**
   * @param {string} label @param {number} value @param {[number, number]} range @param {(value: number) => void} set
   * @param {string} [step]
   */
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
    return this.field(label, input);
  }

  /** @param {(team: Team) => void} change @param {string} [said] */
  change(change, said = "") {
    change(this.edited);
    if (this.keep()) this.render();
    if (said) announce(said);
  }

  /** Shows the kind of robots with a finding. @param {string} path */
  choose(path) {
    const field = this.root.querySelector(`[data-path="${path}"] input`);
    if (field instanceof HTMLElement) field.focus();
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
}
