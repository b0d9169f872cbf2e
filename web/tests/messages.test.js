// Reactions of the page to messages of the server, which the tests change with a proxy.

import assert from "node:assert/strict";
import { test } from "node:test";
import { visitBetween } from "./between.js";
import { boxOf, screenshot, until } from "./browser.js";
import { TOKENS } from "./own-server.js";
import { assertFits, withServer } from "./visit.js";

const ADDRESS = "#/find-goals";

// The list of environments, and of one and its entity: what happens, the scene, percepts, activity, and remarks of
// models.
const SUBSCRIPTIONS = 6;

const SHUTTING_DOWN = { code: -32006, message: "the server is shutting down", data: { kind: "shuttingDown" } };

/** Asks for a session that the server does not know. */
function changeSession({ method, params }) {
  if (method === "hello" && params.resume) params.resume = "0123456789abcdef0123456789abcdef";
}

test("the page resumes its session after a lost connection", async () => {
  await visitBetween(`${ADDRESS}/red`, {}, async (page, between) => {
    await page.locator(".percepts dt").first().waitFor();
    between.isClosed = true;
    await between.cut();
    await page.getByText("The connection to the server is lost").waitFor();
    await page.getByText("There is no connection.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Kill" }).getAttribute("aria-disabled"), "true");
    between.isClosed = false;
    await page.getByText("The connection to the server is lost").waitFor({ state: "hidden" });
    const greetings = between.sent.filter(({ method }) => method === "hello");
    assert.equal(greetings[0].params.resume, undefined);
    assert.equal(greetings.at(-1).params.resume, between.greeting.resume);
    assert.equal(between.greeting.resumed, true);
    const before = between.received.length;
    await until(
      async () => between.received.slice(before).some(({ method }) => method === "scene"), "the scene continues",
    );
    assert.equal(
      between.sent.filter(({ method }) => method === "subscribe").length, SUBSCRIPTIONS, "it has subscribed once",
    );
  });
});

test("the page sends as often as the server requires", async () => {
  await withServer(["find-goals", "--heartbeat", "1"], async (own) => {
    await visitBetween(`${own.page("find-goals")}?token=${TOKENS.observe}`, {}, async (page, between) => {
      const sent = (/** @type {string} */ wanted) => between.sent.filter(({ method }) => method === wanted).length;
      await until(async () => sent("ping") >= 9, "it has sent for more than twice that time");
      assert.equal(sent("hello"), 1, "the server has not taken the connection for lost");
    });
  });
});

test("subscriptions that nobody wants any more end, also after a lost connection", async () => {
  await visitBetween(`${ADDRESS}/red`, {}, async (page, between) => {
    await page.locator(".percepts dt").first().waitFor();
    const { subscription } = between.last("scene");
    between.isClosed = true;
    await between.cut();
    await page.getByText("The connection to the server is lost").waitFor();
    await page.evaluate(() => (location.hash = "#/"));
    await page.getByRole("heading", { name: "Environments", exact: true }).waitFor();
    between.isClosed = false;
    const isEnded = ({ method, params }) => method === "unsubscribe" && params.subscription === subscription;
    await until(async () => between.sent.some(isEnded), "the page ends the subscription to the scene");
  });
});

test("the page opens a new session after the end of one", async () => {
  await visitBetween(`${ADDRESS}/red`, { changeSent: changeSession }, async (page, between) => {
    await page.locator(".percepts dt").first().waitFor();
    await between.cut();
    await until(
      async () => between.sent.filter(({ method }) => method === "subscribe").length === 2 * SUBSCRIPTIONS,
      "it subscribes again",
    );
    await page.locator(".connection[data-phase=greeted]").waitFor();
    await page.locator(".percepts dt").first().waitFor();
  });
});

/** Messages of a conversation each, as the server sends them to observers. */
function seen(first, last) {
  return Array.from({ length: last - first + 1 }, (_, place) => {
    const number = first + place;
    return {
      number, time: 0,
      message: { performative: "inform", sender: "ann", receivers: ["bob"], conversationId: `c${number}` },
    };
  });
}

/** Shows messages between agents; the function tells the page more. */
function watchMessages(act) {
  return visitBetween("#messages", {}, async (page, between) => {
    const isWatched = ({ method, params }) => method === "subscribe" && params.to.conversations;
    const numberOf = ({ id }) =>
      between.received.find((message) => message.id === id && message.result?.subscription !== undefined)?.result
        .subscription;
    await until(
      async () => between.sent.some((message) => isWatched(message) && numberOf(message) !== undefined),
      "the page watches messages",
    );
    const subscription = numberOf(between.sent.find(isWatched));
    await act(page, (messages) => between.tell("conversations", { subscription, messages, lost: 0, time: 0 }));
  });
}

test("the buttons of conversations stay as they are while messages arrive", async () => {
  await watchMessages(async (page, tell) => {
    tell(seen(1, 3));
    const button = page.getByRole("button", { name: /^c2 / });
    const element = await (await button.elementHandle());
    await button.hover();
    const { x } = await boxOf(button);
    const again = { ...seen(2, 2)[0], number: 5 };
    tell([...seen(4, 4), again]);
    await page.getByRole("button", { name: "c2 2 messages" }).waitFor();
    assert.equal((await boxOf(button)).x, x, "it has not moved away from the pointer");
    assert(await element.evaluate((one) => one.isConnected), "it is the same button");
    assert.equal(await page.getByRole("button", { name: /^c4 / }).count(), 0);
    await page.mouse.move(0, 0);
    await page.getByRole("button", { name: /^c4 / }).waitFor();
    const names = await page.locator("[data-part=chips] b").allTextContents();
    assert.deepEqual(names, ["c4", "c3", "c2", "c1"]);
    assert(await element.evaluate((one) => one.isConnected), "it is still the same button");
  });
});

test("messages that someone reads keep their place when the earliest ones are no longer shown", async () => {
  await watchMessages(async (page, tell) => {
    tell(seen(1, 1000));
    const message = page.getByRole("option", { name: "conversation c500", exact: false }).first();
    await message.waitFor({ state: "attached" });
    await message.evaluate((one) => one.scrollIntoView({ block: "center" }));
    const { y } = await boxOf(message);
    tell(seen(1001, 1040));
    await page.getByText("40 earlier ones are not shown").waitFor();
    assert.equal((await boxOf(message)).y, y);
  });
});

test("the page shows why the server closes the connection", async () => {
  await visitBetween(ADDRESS, {}, async (page, between) => {
    await page.locator(".entities tbody tr").first().waitFor();
    between.isClosed = true;
    between.tell("closing", { reason: SHUTTING_DOWN, time: 0 });
    await between.cut();
    await page.getByText("lost: the server is shutting down").waitFor();
    between.isClosed = false;
    await page.getByRole("button", { name: "Try now" }).click();
    await page.locator(".connection[data-phase=greeted]").waitFor();
  });
});

test("the page reconnects to a restarted server", async () => {
  await visitBetween(`${ADDRESS}/red`, {}, async (page, between) => {
    await page.locator(".percepts dt").first().waitFor();
    between.isClosed = true;
    between.endSubscriptions(SHUTTING_DOWN);
    await between.cut();
    await page.getByText("The connection to the server is lost").waitFor();
    // The next server does not know the session.
    between.changeSent = changeSession;
    between.isClosed = false;
    await page.getByRole("button", { name: "Try now" }).click();
    await until(
      async () => between.sent.filter(({ method }) => method === "subscribe").length === 2 * SUBSCRIPTIONS,
      "it subscribes again",
    );
    await page.locator(".percepts dt").first().waitFor();
    assert.equal(await page.getByText("shutting down").count(), 0);
  });
});

test("the page shows an environment that exists again", async () => {
  await visitBetween(`${ADDRESS}/red`, {}, async (page, between) => {
    await page.locator(".percepts dt").first().waitFor();
    const reason = { code: 2001, message: "environment `find-goals` has ended", data: { kind: "noSuchEnvironment" } };
    between.endSubscriptions(reason);
    await page.getByText("environment find-goals has ended").waitFor();
    await page.locator(".panes").waitFor({ state: "hidden" });
    between.tell("environments", between.last("environments"));
    await page.locator(".panes").waitFor();
    await page.locator(".percepts dt").first().waitFor();
    await page.getByText("has ended").waitFor({ state: "detached" });
  });
});

test("ignores unknown notifications", async () => {
  await visitBetween(ADDRESS, {}, async (page, between) => {
    await page.locator(".entities tbody tr").first().waitFor();
    const { subscription } = between.last("happenings");
    between.tell("somethingNew", { subscription });
    between.tell("somethingElse", {});
    await page.waitForTimeout(300);
    assert.equal(await page.locator(".entities tbody tr").count(), 2);
  });
});

test("users without the right to manage can enter a token, which is not in the address", async () => {
  const changeReceived = (message) => {
    if (message.result?.rights) message.result.rights = ["observe"];
  };
  await visitBetween(ADDRESS, { changeReceived }, async (page, between) => {
    await page.getByText("You may observe this environment, but not manage it.").waitFor();
    for (const name of ["Start", "Pause", "Step", "Reset", "Kill"]) {
      const button = page.getByRole("button", { name, exact: true });
      assert.equal(await button.getAttribute("aria-disabled"), "true", name);
      await button.click({ force: true });
    }
    assert.deepEqual(between.sent.filter(({ method }) => ["manage", "advance"].includes(method)), []);
    assert(await page.getByRole("slider").isDisabled());
    between.changeReceived = () => {};
    await page.getByRole("button", { name: "Enter a manager’s token" }).click();
    await page.getByLabel("Token", { exact: true }).last().fill("a secret");
    await page.getByRole("button", { name: "Connect" }).click();
    await until(
      async () => between.sent.some(({ method, params }) => method === "hello" && params.token === "a secret"),
      "it is said",
    );
    await page.getByText("You may observe this environment, but not manage it.").waitFor({ state: "hidden" });
    assert(!page.url().includes("secret"));
    assert.deepEqual(
      await page.evaluate(() => [Object.values(sessionStorage), Object.values(localStorage).join().includes("secret")]),
      [["a secret"], false],
    );
  });
});

test("asks for a token if the server requires one", async () => {
  const refuse = {
    code: -32002, message: "this server wants a token; say it in `hello`", data: { kind: "unauthorized" },
  };
  await visitBetween("", { refuse }, async (page, between) => {
    await page.getByRole("dialog").getByText("this server wants a token").waitFor();
    await page.waitForTimeout(1000);
    assert.equal(between.sent.length, 1);
  });
});

test("an environment without a scene says so, and shows percepts instead", async () => {
  const changeReceived = ({ method, params }) => {
    if (method === "scene") Object.assign(params, { width: 0, height: 0, count: 0, shapes: [] });
  };
  await visitBetween(ADDRESS, { changeReceived }, async (page) => {
    await page.getByText("This environment has no scene.").waitFor();
    assert.match(await page.locator("canvas").getAttribute("aria-label"), /empty/);
    await page.locator(".percepts dt").first().waitFor();
    assert((await boxOf(page.locator(".stage"))).height < 200, "no large empty scene");
    await screenshot(page, "environment-sceneless");
  });
});

test("all names are shown as text", async () => {
  const markup = '<img src=x onerror="document.title=\'broken\'">';
  const changeReceived = ({ method, params, result }) => {
    if (result?.ontology) result.ontology.documentation = `${markup} is **strong**.\n\n[a link](javascript:alert(1))`;
    if (method === "happenings") params.happenings.push({ new: { entity: markup, entityType: markup } });
    if (method === "scene") for (const [, shape] of params.shapes) shape.label = markup;
  };
  await visitBetween(ADDRESS, { changeReceived }, async (page) => {
    await page.getByRole("button", { name: markup, exact: true }).waitFor();
    await page.locator(".reference summary").click();
    await page.locator(".reference strong").waitFor();
    await page.getByRole("button", { name: markup, exact: true }).click();
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.locator(".reference a").count(), 0);
    assert.equal(await page.title(), "find-goals – situated");
    await assertFits(page);
  });
});

test("the results of an episode are a table", async () => {
  // The environment's real results must not replace these.
  const changeSent = (message) => {
    if (message.method === "outcome") message.params.environment = "nowhere";
  };
  await visitBetween(ADDRESS, { changeSent }, async (page, between) => {
    await page.locator(".entities tbody tr").first().waitFor();
    const results = [
      { of: "red", name: "goals", value: 3 },
      { of: "team", name: "goals", value: 5 },
      { of: "team", name: "joint reward", value: 1234.5678 },
    ];
    const { status, subscription } = between.last("happenings");
    const happenings = [{ outcome: { ending: "terminated", results } }];
    between.tell("happenings", { subscription, status, happenings, resync: false, lost: 0 });
    const table = page.locator(".results table");
    await table.waitFor();
    const rows = await table
      .locator("tr")
      .evaluateAll((rows) => rows.map(({ cells }) => [...cells].map(({ textContent }) => textContent)));
    assert.deepEqual(rows, [
      ["", "goals", "joint reward"], ["red", "3", ""], ["team", "5", "1,234.568"],
    ]);
    await page.getByText("The episode is over: terminated").waitFor();
  });
});

test("failed actions show the reason, and can be filtered", async () => {
  await visitBetween(ADDRESS, {}, async (page, between) => {
    const activity = () =>
      between.received.findLast(({ method, params }) => method === "activity" && !params.perception)?.params;
    await until(async () => activity() !== undefined, "an agent acts");
    const { subscription, environment, moment } = activity();
    const error = { code: 1008, message: "the door is locked", data: { kind: "failure" } };
    const actions = [
      { moment, agent: "ann", action: { name: "open", args: ["Door 1"] }, result: { entity: "red", error } },
    ];
    between.tell("activity", { subscription, environment, moment, actions, lost: 0 });
    const timeline = page.locator(".timeline");
    await timeline.getByText("the door is locked").waitFor();
    await timeline.getByText("open('Door 1')").waitFor();
    await timeline.getByLabel("What to show").selectOption("failures");
    assert.equal(await timeline.locator("li").count(), 1);
    await timeline.getByRole("searchbox").fill("window");
    assert.equal(await timeline.locator("li").count(), 0);
  });
});

test("shows that an environment has crashed or was removed", async () => {
  await visitBetween(ADDRESS, {}, async (page, between) => {
    await page.locator(".entities tbody tr").first().waitFor();
    const { status, subscription } = between.last("happenings");
    const broken = { ...status, state: "killed", crash: "it divided by zero" };
    between.tell("happenings", {
      subscription, status: broken, happenings: [{ state: "killed" }], resync: false, lost: 0,
    });
    await page.getByText("It has crashed: it divided by zero").waitFor();
    between.tell("environments", {
      subscription: between.last("environments").subscription, environments: [], time: 0,
    });
    await page.getByText("It has been removed from this server.").waitFor();
    assert(await page.locator(".panes").isHidden());
  });
});
