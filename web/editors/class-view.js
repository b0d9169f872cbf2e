// A class: games for students, links to them, and their results against an assignment.

/** @import { BuiltInAgent, EnvironmentStatus, Outcome, Parameter } from "../protocol/protocol.js" */
/** @import { Session } from "../protocol/session.js" */

import { openDialog } from "../page/dialog.js";
import { examine } from "./document-check.js";
import { saveFile } from "../page/download.js";
import { rememberDraft, rememberedDraft } from "./draft.js";
import { button, element, fill, labelled, say } from "../page/element.js";
import { counted } from "../environment/happenings.js";
import { offerKnownValues } from "./known-values.js";
import { announce, complain, orComplain } from "../page/notice.js";
import { addressOf } from "../page/route.js";
import { readTeam, slotsOf } from "./team-model.js";

/** A team of one person. */
const ONE_PERSON = '[[bots]]\nname = "Human"\ntype = "human"\n';
const MOST_GAMES = 100;
/** Maximum number of robots of a team to which agents are assigned one by one. */
const MOST_SLOTS = 30;
const PAUSE_MS = 1000;

/** A game of the class. @typedef {{ status: EnvironmentStatus, outcome: Outcome | null, players: string[] }} Game */

/** The measures of the whole team. @type {[name: string, title: string][]} */
const MEASURES = [
  ["delivered", "Delivered"], ["wanted", "Wanted"], ["steps", "Steps"], ["wrong drops", "Wrong drops"],
  ["messages", "Messages"],
];

export class ClassView {
  title = "Teach a class";
  /** @type {Map<string, Game>} */
  games = new Map();
  /** All environments of the server. @type {EnvironmentStatus[]} */
  environments = [];
  timer = 0;
  isCreating = false;
  isEnded = false;

  /** @param {Session} session @param {string} kind the kind of environments */
  constructor(session, kind) {
    this.session = session;
    this.kind = kind;
    const choice = (
      /** @type {string} */ id, /** @type {string} */ document, /** @type {string} */ mine,
      /** @type {string[]} */ others,
    ) =>
      element(
        "select", { id }, rememberedDraft(kind, document) !== "" && element("option", { value: "-" }, mine),
        ...others.map((name) => element("option", { value: name === "One person" ? "" : name }, name)),
      );
    this.map = choice("class-map", "map", "My map", []);
    this.team = choice("class-team", "team", "My team", ["One person"]);
    this.team.addEventListener("change", () => orComplain(this.offerAgents()));
    this.name = element("input", {
      id: "class-name", value: rememberedDraft(kind, "class") || "game", required: true, pattern: "[\\w\\-]{1,40}",
      title: "Letters, digits, - and _", autocomplete: "off", spellcheck: "false",
    });
    this.name.addEventListener("input", () => {
      rememberDraft(kind, "class", this.name.value);
      this.show(this.environments);
    });
    this.slots = element("div", { class: "numbers" });
    this.count = element("input", {
      id: "class-count", type: "number", min: 1, max: MOST_GAMES, step: 1, value: 1, required: true,
    });
    this.limit = element("input", { id: "class-limit", type: "number", min: 1, step: 1, placeholder: "no limit" });
    this.limit.addEventListener("input", () => this.render());
    this.body = element("tbody");
    this.nothing = element("p", { class: "nothing" }, "There are no games yet.");
    this.root = this.build();
    this.reflectSession();
    this.poll();
  }

  build() {
    const heads = ["Game", "Players", "State", ...MEASURES.map(([, title]) => title), "Result"].map((title) =>
      element("th", { scope: "col" }, title),
    );
    const table = element(
      "div", { class: "scrolling", tabindex: 0, role: "region", "aria-label": "Table of results" },
      element("table", {}, element("thead", {}, element("tr", {}, ...heads)), this.body),
    );
    const editors = [
      element("a", { href: `#make/${encodeURIComponent(this.kind)}/map` }, "Make a map"), " · ",
      element("a", { href: `#make/${encodeURIComponent(this.kind)}/team` }, "Make a team"),
    ];
    const form = element(
      "form",
      { class: "pane", "aria-labelledby": "games-title" },
      element("h2", { id: "games-title" }, "New games"),
      element(
        "div", { class: "numbers" }, labelled("Name of the class", this.name), labelled("Number of games", this.count),
        labelled("Map", this.map), labelled("Team in each", this.team),
      ),
      this.slots,
      element("div", {}, element("button", { class: "main" }, "Create games")),
    );
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (this.isCreating) return;
      this.isCreating = true;
      await orComplain(this.create());
      this.isCreating = false;
    });
    return element(
      "article",
      { class: "editor class-view" },
      element(
        "header", { class: "title" },
        element("nav", { "aria-label": "Where you are" }, element("a", { href: "#/" }, "Environments")),
        element("h1", { tabindex: -1 }, this.title),
        element(
          "p", { class: "summary" }, "Games for students, links to them, and results as they come in. ", ...editors,
        ),
      ),
      form,
      element(
        "section",
        { class: "pane", "aria-labelledby": "results-title" },
        element("div", { class: "pane-head" }, element("h2", { id: "results-title" }, "Results")),
        element("div", { class: "numbers" }, labelled("Deliver everything in fewer steps than", this.limit)),
        element(
          "div", { class: "editor-tools" }, button("Start all", () => orComplain(this.command("start"))),
          button("Pause all", () => orComplain(this.command("pause"))),
          button("Links for students", () => orComplain(this.askForLinks())),
          button("Download all (CSV)", () => this.download()),
        ),
        table,
        this.nothing,
      ),
    );
  }

  close() {
    this.isEnded = true;
    clearTimeout(this.timer);
  }

  reflectSession() {
    orComplain(offerKnownValues(this.map, this.session, this.kind, "map"));
    orComplain(this.offerAgents());
  }

  /** Offers built-in agents for the robots and e-partners of the team. */
  async offerAgents() {
    if (this.session.standing.phase !== "greeted") return;
    const team = this.chosenTeam();
    const { agents = [] } = await this.session.call("describeKind", { kind: this.kind });
    const { forms } = await examine(this.session, this.kind, "team", { team });
    const read = readTeam(forms);
    const slots = read && team === this.chosenTeam() ? slotsOf(read).slice(0, MOST_SLOTS) : [];
    const chosen = new Map(
      [...this.slots.querySelectorAll("select")].map(({ dataset, value }) => [dataset["slot"], value]),
    );
    fill(this.slots, ...slots.map((slot, place) => this.slotField(slot, place, agents)));
    for (const list of this.slots.querySelectorAll("select")) {
      const before = [...list.options].find(({ value }) => value === chosen.get(list.dataset["slot"]));
      if (before) before.selected = true;
    }
  }

  /** @param {import("./team-model.js").Slot} slot @param {number} place @param {BuiltInAgent[]} agents */
  slotField({ name, type }, place, agents) {
    const usual = type === "human" ? "A person, by a link" : "An agent that connects";
    const options = agents.map((agent) =>
      element("option", { value: agent.name, title: agent.documentation }, `Built-in agent: ${agent.name}`),
    );
    const list = element(
      "select", { id: `class-slot-${place}`, "data-slot": name }, element("option", { value: "" }, usual), ...options,
    );
    return labelled(`${name} is driven by`, list);
  }

  /** The rules for the robots that built-in agents drive. */
  agentRules() {
    const lists = [...this.slots.querySelectorAll("select")];
    return lists
      .filter(({ value }) => value !== "")
      .map(({ value, dataset }) => ({ entity: dataset["slot"], agent: value }));
  }

  chosenTeam() {
    return this.team.value === "-" ? rememberedDraft(this.kind, "team") : ONE_PERSON;
  }

  /** Whether an environment is a game of this class. @param {EnvironmentStatus} status */
  isGame({ kind, environment }) {
    const prefix = `${this.name.value}-`;
    return kind === this.kind && environment.startsWith(prefix) && /^\d+$/.test(environment.slice(prefix.length));
  }

  /** @param {EnvironmentStatus[]} environments */
  show(environments) {
    this.environments = environments;
    const here = environments.filter((status) => this.isGame(status));
    const before = this.games;
    this.games = new Map(
      here.map((status) => [
        status.environment, { outcome: null, players: [], ...before.get(status.environment), status },
      ]),
    );
    this.render();
  }

  /** Asks for the results of all games, again and again. */
  async poll() {
    try {
      for (const environment of [...this.games.keys()]) {
        const { outcome } = await this.session.call("outcome", { environment });
        const { entities } = await this.session.call("listEntities", { environment });
        const game = this.games.get(environment);
        if (!game) continue;
        game.outcome = outcome;
        game.players = entities.filter(({ agents }) => agents.length > 0).map(({ entity }) => entity);
      }
      this.render();
    } catch {
      // The connection is lost, or a game was removed meanwhile; the next poll knows.
    }
    if (!this.isEnded) this.timer = setTimeout(() => this.poll(), PAUSE_MS);
  }

  render() {
    const rows = [...this.games.values()].map((game) => this.row(game));
    const games = JSON.stringify([...this.games.keys()]);
    if (this.body.dataset["games"] !== games) {
      this.body.dataset["games"] = games;
      fill(
        this.body,
        ...rows.map(([game = "", ...cells]) =>
          element(
            "tr", {}, element("th", { scope: "row" }, element("a", { href: addressOf(game) }, game)),
            ...cells.map(() => element("td", {})),
          ),
        ),
      );
      this.nothing.hidden = rows.length > 0;
    }
    // The links stay where they are, so that nobody loses one while games go on.
    for (const [index, [, ...cells]] of rows.entries()) {
      const places = [...(this.body.rows[index]?.querySelectorAll("td") ?? [])];
      for (const [number, place] of places.entries()) say(place, cells[number] ?? "");
      places.at(-1)?.setAttribute("data-verdict", cells.at(-1) ?? "");
    }
  }

  /** The cells of a game. @param {Game} game @returns {string[]} */
  row({ status, outcome, players }) {
    const measures = MEASURES.map(([name]) => String(measure(outcome, name) ?? ""));
    return [status.environment, players.join(", "), status.state, ...measures, this.verdict(outcome)];
  }

  /** The verdict on a game, by the assignment. @param {Outcome | null} outcome */
  verdict(outcome) {
    const limit = this.limit.valueAsNumber;
    const steps = Number(measure(outcome, "steps") ?? 0);
    const isLate = Number.isFinite(limit) && steps >= limit;
    if (measure(outcome, "completed") === true) return isLate ? "too slow" : "passed";
    if (measure(outcome, "solvable") === false) return "failed";
    return isLate ? "too slow" : "";
  }

  async create() {
    const { count } = this;
    const map = this.map.value === "-" ? rememberedDraft(this.kind, "map") : this.map.value;
    const parameters = { team: this.chosenTeam(), ...(map && { map }) };
    const agents = this.agentRules();
    const names = new Set(this.environments.map(({ environment }) => environment));
    let number = 1;
    for (let made = 0; made < count.valueAsNumber; made += 1) {
      while (names.has(`${this.name.value}-${number}`)) number += 1;
      const environment = `${this.name.value}-${number}`;
      names.add(environment);
      await this.session.call("createEnvironment", {
        kind: this.kind, environment, parameters, start: false, ...(agents.length > 0 && { agents }),
      });
    }
    announce(`Created ${counted(count.valueAsNumber, "game", "games")}`);
  }

  /** @param {"start" | "pause"} command */
  async command(command) {
    const before = command === "start" ? "paused" : "running";
    for (const { status } of this.games.values()) {
      if (status.state === before) await this.session.call("manage", { environment: status.environment, command });
    }
  }

  /** Shows the links to the robots for people. The token is in the fragment, which browsers never send to a server. */
  async askForLinks() {
    /** @type {[environment: string, entity: string][]} */
    const places = [];
    for (const environment of this.games.keys()) {
      const { entities } = await this.session.call("listEntities", { environment });
      for (const { entity, entityType } of entities) if (entityType === "human") places.push([environment, entity]);
    }
    if (places.length === 0)
      return complain("No game has a robot for a person. Make a team with one, and create games with it.");
    const token = element("input", {
      id: "class-token", type: "password", autocomplete: "off", spellcheck: "false", placeholder: "none",
    });
    const links = element("textarea", {
      id: "class-links", rows: Math.min(places.length + 1, 10), readonly: true, spellcheck: "false",
    });
    const write = () => {
      const given = token.value.trim();
      const lines = places.map(
        ([environment, entity]) => `${environment}\t${entity}\t${linkTo(environment, entity, given)}`,
      );
      links.value = lines.join("\n");
    };
    token.addEventListener("input", write);
    write();
    openDialog({
      title: "Links for students",
      content: [
        element(
          "p", { class: "hint" },
          "Each link opens one robot. Give a token with only the right to act, if your server has tokens.",
        ),
        ...(isOnlyHere(location.hostname) ? [element("p", { class: "hint" }, ONLY_HERE)] : []),
        labelled("Token for students", token),
        labelled(counted(places.length, "link", "links"), links),
      ],
      confirm: "Copy",
      act: async () => {
        links.select();
        // Browsers have a clipboard only on secure connections and on this machine.
        if (!navigator.clipboard)
          throw new Error("This page cannot copy over an insecure connection. The links are selected: press Ctrl+C.");
        await navigator.clipboard.writeText(links.value);
        announce("Copied");
      },
    });
  }

  /** Saves the results of all games, with those of each robot. */
  download() {
    const lines = [["game", "of", "measure", "value", "result"]];
    for (const { status, outcome } of this.games.values()) {
      for (const { of, name, value } of outcome?.results ?? [])
        lines.push([status.environment, of, name, String(value), this.verdict(outcome)]);
    }
    saveFile("results.csv", lines.map((line) => line.map(quoted).join(",")).join("\r\n") + "\r\n", "text/csv");
  }
}

const ONLY_HERE =
  "Only this machine can open these links. For other machines, open this page at the address that the server prints " +
  "after “Page:”. It has one for others if it was started with --host 0.0.0.0.";

/** Whether a name of a machine means the machine itself. @param {string} host */
function isOnlyHere(host) {
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

/** @param {string} environment @param {string} entity @param {string} token */
function linkTo(environment, entity, token) {
  const link = new URL(location.href);
  link.hash = `${addressOf(environment, entity)}/play${token && `?token=${encodeURIComponent(token)}`}`;
  return link.href;
}

/**
 * The value of a measure of the team.
 * @param {Outcome | null} outcome @param {string} name @returns {Parameter | undefined}
 */
function measure(outcome, name) {
  return outcome?.results.find((measure) => measure.of === "team" && measure.name === name)?.value;
}

/** A cell of a CSV file; a spreadsheet must not take a name for a formula. @param {string} text */
function quoted(text) {
  const safe = /^[=+@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
