// Tests of the modules that need no page.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Beliefs } from "../environment/beliefs.js";
import { actionsOf, choicesOf } from "../play/choices.js";
import { Player } from "../play/player.js";
import { Chronicle, ENTRIES_REMEMBERED, contains } from "../watch/chronicle.js";
import { Conversations, MOST_AGENTS, MOST_MESSAGES, OTHERS, textOf } from "../messages/conversations.js";
import { tell } from "../environment/happenings.js";
import { verdictOfOutcome } from "../environment/ending.js";
import { contrast, inkOn } from "../scene/label.js";
import { Scene } from "../scene/scene.js";
import { addressOf, playAddress, readAddress } from "../page/route.js";
import { LAST_PLACE, placeOf, speedAt } from "../watch/speed.js";
import { Progress } from "../watch/standing.js";
import { MOST_REMARKS, Transcript } from "../watch/transcript.js";
import { printParameter, printTerm, readParameter } from "../protocol/terms.js";
import { resolve, saySignature } from "../protocol/types.js";
import { Viewport } from "../scene/viewport.js";
import { EnvironmentState } from "../environment/environment-state.js";

test("terms are printed as a Prolog system reads them", () => {
  assert.equal(printTerm({ name: "skip", args: [] }), "skip");
  assert.equal(
    printTerm({ name: "Go to", args: ["roomC1", "Room C1", 2.5, true] }), "'Go to'(roomC1,'Room C1',2.5,true)",
  );
  assert.equal(
    printParameter(["true", [], { name: "pos", args: [1, -2] }, { numeral: "1.0Inf" }]), "['true',[],pos(1,-2),1.0Inf]",
  );
  assert.equal(printParameter("it's\na\\b"), "'it\\'s\\na\\\\b'");
});

test("parses what it prints", () => {
  for (const parameter of [
    "a", "A b", "true", "it's\na\\b", 0, -1.5, 1e21, true, [], [1, ["x"]], { name: "f", args: [] },
    { name: "G h", args: [[1], "b"] },
  ]) {
    assert.deepEqual(readParameter(printParameter(parameter)), parameter);
  }
  assert.deepEqual(readParameter(' [ Pos( 1 , "b" ) ] '), [{ name: "Pos", args: [1, "b"] }]);
});

test("errors contain the expected text", () => {
  for (const [text, message] of [
    ["", /expected a name, .* found the end/],
    ["[1", /expected `,` or `]`, found the end/],
    ["f(1", /expected `,` or `\)`/],
    ["a b", /expected the end, found `b`/],
    ["1.2.3", /found `1.2.3`/],
    ["[".repeat(60), /at most 48 levels/],
  ]) {
    assert.throws(() => readParameter(text), { name: "SyntaxError", message });
  }
});

test("beliefs follow updates", () => {
  const beliefs = new Beliefs();
  const [a, b, c] = ["a", "b", "c"].map((name) => ({ name, args: [1] }));
  const held = () => [...beliefs.held.keys()].join(" ");
  beliefs.update({ entity: "e", since: v(0, 0), version: v(1, 0), resync: true, add: [a, b] });
  assert.equal(held(), "a(1) b(1)");
  assert.deepEqual(
    beliefs.update({ entity: "e", since: v(1, 0), version: v(2, 1), add: [c], delete: [a], events: [b] }), [b],
  );
  assert.equal(held(), "b(1) c(1)");
  beliefs.update({ entity: "e", since: v(0, 1), version: v(7, 1), resync: true, add: [a] });
  assert.equal(held(), "a(1)");
  assert.deepEqual([...beliefs.byName().keys()], ["a"]);
});

test("perceptions fit that begin at the version of the beliefs, or have everything", () => {
  const beliefs = new Beliefs();
  const fits = (/** @type {[number, number]} */ since, resync = false) =>
    beliefs.fits({ entity: "e", since, version: v(9, 9), resync });
  assert(fits(v(3, 1)), "there are no beliefs yet");
  beliefs.update({ entity: "e", since: v(0, 0), version: v(2, 3), resync: true });
  assert(fits(v(2, 3)));
  assert(!fits(v(1, 3)) && !fits(v(2, 2)) && !fits(v(2, 4)));
  assert(fits(v(0, 3), true) && fits(v(0, 4), true));
  assert(!fits(v(0, 2), true), "it repeats an event");
});

test("a player ignores what it has, as recorded", async () => {
  const file = new URL("../../tests/conversations/repeating.jsonl", import.meta.url);
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n").map((line) => JSON.parse(line));
  const calls = lines.flatMap(({ sent }, place) => (sent?.method === "perceive" ? [place] : []));
  const session = {
    /** @param {string} method @param {object} params */
    async call(method, params) {
      assert.equal(method, "perceive");
      const place = /** @type {number} */ (calls.shift());
      const { id, params: expected } = lines[place].sent;
      assert.deepEqual({ ...params, form: "update", since: "acknowledged" }, expected);
      return lines.slice(place).find(({ received }) => received?.id === id).received.result;
    },
  };
  const me = { environment: "find-goals", agent: "ada" };
  /** @type {Player} */
  const player = Object.assign(Object.create(Player.prototype), { session, me, entity: "red", beliefs: new Beliefs() });
  /** @type {number[]} */
  const counts = [];
  for (const { received } of lines) {
    if (received?.method === "percepts") await player.receive(received.params, (events) => counts.push(events.length));
  }
  assert.deepEqual(counts, [0, 1, 1], "each event comes once");
  assert.deepEqual(calls, []);
  assert(player.beliefs.held.has("at(4,2)"));
});

test("the state of an environment follows happenings", () => {
  const state = new EnvironmentState();
  const known = () => [...state.entities.values()].map(({ name, agents }) => `${name}: ${[...agents]}`).join("; ");
  state.update(
    [{ new: { entity: "x", entityType: "t" } }, { registered: { agent: "a" } }, { taken: { entity: "x", agent: "a" } }],
    false,
  );
  assert.equal(known(), "x: a");
  state.update([{ released: { entity: "x", agent: "a" } }, { new: { entity: "y", entityType: "t" } }], false);
  assert.equal(known(), "x: ; y: ");
  state.update([{ outcome: { ending: null, results: [] } }, { deleted: { entity: "x", agents: [] } }], false);
  assert.equal(known(), "y: ");
  assert(state.outcome);
  state.update([{ episode: { number: 2, seed: 1 } }], false);
  assert.equal(state.outcome, null, "another episode has not ended");
  state.update([{ new: { entity: "z", entityType: "t" } }], true);
  assert.equal(known(), "z: ", "the previous state is replaced");
});

test("many happenings of one kind become one sentence", () => {
  const born = Array.from({ length: 50 }, (_, number) => ({ new: { entity: `e${number}`, entityType: "t" } }));
  assert.deepEqual(
    tell([{ state: "running" }, ...born]).map(({ text }) => text),
    ["The environment is running", "50 entities were created: e0, e1, e2, e3, e4, …"],
  );
  assert.deepEqual(tell([{ taken: { entity: "red", agent: "ann" } }]), [{ text: "ann takes red", entity: "red" }]);
  assert.equal(tell([{ somethingNew: {} }]).length, 1);
  const announcements = Array.from({ length: 5 }, (_, number) => ({
    announcement: { name: "r", text: `announcement ${number}` },
  }));
  assert.deepEqual(
    tell(announcements).map(({ text }) => text),
    ["announcement 0", "announcement 1", "announcement 2", "announcement 3", "announcement 4"], "each is told",
  );
});

test("a chronicle is bounded, and the newest comes first", () => {
  const chronicle = new Chronicle();
  for (let number = 1; number <= 5 * ENTRIES_REMEMBERED; number += 1)
    chronicle.add({ kind: "event", what: `e${number}` });
  assert(chronicle.entries.length <= 2 * ENTRIES_REMEMBERED);
  const all = chronicle.newest(() => true, Infinity);
  assert.equal(all.length, ENTRIES_REMEMBERED);
  assert.equal(all[0]?.what, `e${5 * ENTRIES_REMEMBERED}`);
  assert.equal(chronicle.newest((entry) => contains(entry, "e9999"), 10).length, 1);
});

test("a scene follows its updates", () => {
  const scene = new Scene();
  const body = (x, name = "b") => ({ outline: { circle: { x, y: 0, radius: 1 } }, color: [0, 0, 0], standsFor: name });
  const update = (now, shapes, count) =>
    scene.update({ moment: { episode: 1, step: 0, time: 0 }, width: 10, height: 10, count, shapes }, now);
  update(
    1000,
    [
      [0, body(0)], [1, body(5, "c")],
    ],
    2,
  );
  assert.equal(scene.isMoving(1000), false, "a new shape does not move");
  update(1100, [[0, body(1)]], 2);
  const [thing] = scene.things;
  assert.deepEqual(scene.offset(thing, 1100), [-1, 0]);
  const [halfWay] = scene.offset(thing, 1100 + scene.glideMs / 2);
  assert(Math.abs(halfWay + 0.5) < 1e-9);
  assert.deepEqual(scene.offset(thing, 2000), [0, 0]);
  update(2000, [[0, body(9)]], 2);
  assert.deepEqual(scene.offset(scene.things[0], 2000), [0, 0], "it jumps instead of gliding");
  update(2100, [[0, body(5, "c")]], 1);
  assert.equal(scene.things.length, 1);
  assert.equal(scene.find("c"), scene.things[0]);
  assert.equal(scene.find("b"), undefined);
});

test("a shape with another index glides from its old position", () => {
  const scene = new Scene();
  const body = (x, name) => ({ outline: { circle: { x, y: 0, radius: 1 } }, color: [0, 0, 0], standsFor: name });
  const update = (now, shapes, count) =>
    scene.update({ moment: { episode: 1, step: 0, time: 0 }, width: 10, height: 10, count, shapes }, now);
  update(
    0,
    [
      [0, body(1, "a")], [1, body(5, "b")],
    ],
    2,
  );
  update(50, [[0, body(5.5, "b")]], 1);
  assert.deepEqual(scene.offset(scene.things[0], 50), [-0.5, 0]);
});

test("zooming keeps the point under the finger, and shows as little as possible outside of the scene", () => {
  const viewport = new Viewport();
  viewport.resize(200, 100);
  viewport.show({ width: 10, height: 10 });
  assert.equal(viewport.scale, 10);
  assert.deepEqual(viewport.toView(0, 10), [50, 0], "y grows upwards");
  const under = viewport.toScene(80, 30);
  viewport.zoomBy(4, 80, 30);
  assert.deepEqual(viewport.toScene(80, 30).map((place) => place.toFixed(6)), under.map((place) => place.toFixed(6)));
  viewport.moveBy(10_000, -10_000);
  assert.deepEqual(viewport.toView(0, 0).map(Math.round), [0, 100]);
  viewport.zoomBy(1e-9);
  assert(viewport.isWhole);
});

test("labels have enough contrast", () => {
  for (let red = 0; red < 256; red += 15) {
    for (let green = 0; green < 256; green += 15) {
      for (let blue = 0; blue < 256; blue += 15) {
        const ink = inkOn([red, green, blue]) === "#ffffff" ? [255, 255, 255] : [0, 0, 0];
        assert(contrast(ink, [red, green, blue]) > 4.5, `${red} ${green} ${blue}`);
      }
    }
  }
});

test("menu items are grouped by titles in order of occurrence", () => {
  const item = (/** @type {string[]} */ sections, /** @type {string} */ label) => ({
    sections, label, action: { name: label },
  });
  const items = [
    item(["Tell"], "one"), item(["Ask"], "two"), item(["Tell", "more"], "three"), item([], "four"),
    item(["Tell"], "five"),
  ];
  /** @type {string[]} */
  const chosen = [];
  const groups = choicesOf(items, ({ label }) => chosen.push(label));
  assert.deepEqual(
    groups.map(({ title }) => title), ["Tell", "Ask", ""],
  );
  const [tell] = groups;
  assert.deepEqual(
    tell.entries.map((entry) => entry.label ?? entry.title), ["one", "more", "five"],
  );
  tell.entries[1].entries[0].act();
  assert.deepEqual(chosen, ["three"]);
  assert.deepEqual(
    choicesOf([], () => {}), [],
  );
  const type = {
    name: "bot", documentation: "", percepts: [], actions: [{ name: "wait", documentation: "", parameters: [] }],
  };
  assert.deepEqual(
    actionsOf(type, () => {}).entries.map((entry) => entry.label), ["wait"],
  );
});

test("parses the addresses that it writes", () => {
  for (const [environment, entity] of [
    ["", ""], ["find-goals", ""], ["a/b c", "body #7 %"],
  ]) {
    assert.deepEqual(readAddress(addressOf(environment, entity)), { environment, entity, page: "", token: "" });
    if (entity)
      assert.deepEqual(readAddress(`${playAddress(environment, entity)}?token=a%2Bb`), {
        environment, entity, page: "play", token: "a+b",
      });
  }
  assert.deepEqual(readAddress("#/100%"), { environment: "100%", entity: "", page: "", token: "" });
});

test("speeds have slider positions", () => {
  for (let place = 0; place <= LAST_PLACE; place += 1) assert.equal(placeOf(speedAt(place)), place);
  assert.equal(speedAt(placeOf(22)), 20);
  assert.equal(speedAt(placeOf(1e6)), 1000);
});

test("the shown speed is measured", () => {
  const progress = new Progress();
  for (const [step, time] of [[0, 0], [10, 500], [21, 1000]]) progress.reach({ episode: 1, step, time });
  assert.equal(progress.speed, 21);
  progress.reach({ episode: 2, step: 0, time: 1100 });
  assert.equal(progress.speed, null);
});

test("types are described briefly, and names are resolved", () => {
  const field = (name, type, optional = false) => ({ name, documentation: "", type, optional });
  const parameters = [
    field("to", "identifier"), field("at", { list: { named: "Place" } }),
    { ...field("by", "number"), range: { minimum: 0, maximum: 0.5 } },
    field("n", { integer: { minimum: 0, maximum: 2 ** 40 } }, true),
  ];
  assert.equal(
    saySignature({ name: "go", documentation: "", parameters }),
    "go(to, at: list of Place, by: number 0..0.5, n?: integer 0..)",
  );
  const types = {
    A: { documentation: "", type: { named: "B" } }, B: { documentation: "", type: { named: "A" } },
    C: { documentation: "", type: "number" },
  };
  assert.equal(resolve({ named: "A" }, types), "any");
  assert.equal(resolve({ named: "C" }, types), "number");
  assert.equal(resolve({ named: "D" }, types), "any");
});

/** @param {number} changes @param {number} events @returns {[number, number]} */
function v(changes, events) {
  return [changes, events];
}

test("announcements and outcomes decide about an episode, until the next one", () => {
  const state = new EnvironmentState();
  state.update([{ episode: { number: 1 } }], true);
  assert.equal(state.verdict, null);
  state.update([{ announcement: { name: "unsolvable", text: "it needs more Red blocks" } }], false);
  assert.deepEqual(state.verdict, {
    kind: "unsolvable", title: "The task can no longer be completed", text: "It needs more Red blocks.",
  });
  state.update([{ outcome: { ending: "truncated", results: [] } }], false);
  assert.equal(state.verdict?.kind, "unsolvable", "an announcement says more than an ending");
  state.update([{ episode: { number: 2 } }], false);
  assert.equal(state.verdict, null);
  state.update([{ outcome: { ending: "truncated", results: [] } }], false);
  assert.equal(state.verdict?.text, "The time is up.");
  state.update([{ announcement: { name: "failed", text: "nobody came" } }], false);
  assert.equal(state.verdict?.kind, "failed");
  const results = (completed, solvable) =>
    Object.entries({ completed, solvable }).map(([name, value]) => ({ of: "team", name, value }));
  assert.equal(verdictOfOutcome({ ending: null, results: results(false, true) }), null);
  assert.equal(verdictOfOutcome({ ending: null, results: results(false, false) })?.kind, "unsolvable");
  assert.equal(verdictOfOutcome({ ending: "terminated", results: results(true, true) })?.kind, "completed");
  assert.equal(verdictOfOutcome({ ending: "terminated", results: results(false, true) })?.kind, "failed");
  assert.deepEqual(verdictOfOutcome({ ending: "truncated", results: results(false) }), {
    kind: "failed", title: "The task has failed", text: "The time is up.",
  });
  assert.equal(
    verdictOfOutcome({ ending: "terminated", results: [] })?.kind, "over", "nothing says what is to be done",
  );
});

test("conversations are bounded, and messages that come again are ignored", () => {
  const conversations = new Conversations();
  const seen = (number, sender, receivers, conversationId, violations = []) => ({
    number, time: 0, violations, message: { performative: "inform", sender, receivers, conversationId },
  });
  conversations.add(
    [seen(5, "ada", ["bob", { name: "cleo" }, "bob"], "c1", ["a rule"]), seen(6, "bob", [], { number: "7" })], 2,
  );
  conversations.add([seen(5, "ada", ["bob"], "c1"), seen(6, "bob", [], "c1")], 0);
  assert.deepEqual(conversations.agents, ["ada", "bob", "cleo"]);
  assert.deepEqual(
    conversations.messages.map(({ from, to, conversation }) => [from, to, conversation]),
    [
      ["ada", ["bob", "cleo"], "c1"], ["bob", [], "7"],
    ],
  );
  assert.deepEqual(
    [...conversations.known.values()].map(({ id, messages, violations }) => [id, messages, violations]),
    [
      ["c1", 1, 1], ["7", 1, 0],
    ],
  );
  assert.equal(conversations.dropped, 2);

  const many = Array.from({ length: MOST_MESSAGES + 10 }, (_, place) =>
    seen(7 + place, `agent${place % 100}`, ["ada"], `c${place}`),
  );
  conversations.add(many, 0);
  assert.deepEqual(
    [conversations.messages.length, conversations.agents.length, conversations.agents.at(-1)],
    [MOST_MESSAGES, MOST_AGENTS, OTHERS],
  );
  assert.equal(conversations.agents[0], "ada", "agents keep their lines");
  assert.deepEqual([conversations.lineOf("ada"), conversations.lineOf("agent99")], [0, MOST_AGENTS - 1]);
  assert.equal(conversations.dropped, 14);
  assert(conversations.known.size <= 100 && conversations.names.size <= 100);
  assert.equal(textOf({ list: ["a", { number: "1" }, { list: [{ string: "b c" }] }] }), "(a 1 (b c))");
});

test("a transcript counts costs, repeats nothing, and is bounded", () => {
  const transcript = new Transcript();
  const seen = (number, remark, agent = "ada") => ({
    number, agent, environment: "maze", moment: { episode: 1, step: number, time: 0 }, remark, time: 0,
  });
  const call = {
    called: "goTo", arguments: { place: "Room C1", twice: true }, told: "Done. Step 2.\nNew:\n- in(RoomC1)",
    seconds: 0.25, isWrong: false, soFar: { calls: 3, wrongCalls: 1, characters: 1234, seconds: 2 },
  };
  transcript.add([seen(1, call), seen(1, call)], 0);
  const [line] = transcript.lines;
  assert.deepEqual(
    [transcript.lines.length, line?.kind, line?.title, line?.gist],
    [1, "call", "goTo place: Room C1, twice: true", "Done. Step 2. New: - in(RoomC1)"],
  );
  assert.deepEqual(transcript.costs(), [["ada", "3 calls (1 wrong) · 1,234 characters told · 2.0 s in calls"]]);
  // Remarks have the form of their agents, who may write anything.
  for (const [place, strange] of [
    null, 3, "text", [], { called: 3 }, { called: "x", arguments: null, soFar: 7 },
    { answered: null, soFar: { requests: "many" } },
  ].entries()) {
    transcript.add([seen(place + 2, strange, "bob")], 0);
  }
  assert.deepEqual(transcript.costs()[1], [
    "bob", "0 requests · 0 + 0 tokens · 0.0 s of thought · 0 calls · 0 characters told",
  ]);
  for (let number = 10; number < 1000; number += 1) transcript.add([seen(number, call, `agent${number}`)], 1);
  assert.deepEqual(
    [transcript.lines.length, transcript.costs().length, transcript.dropped],
    [MOST_REMARKS, 100, 990 + 998 - MOST_REMARKS],
  );
});
