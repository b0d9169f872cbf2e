// The page as its users use it, on a server that runs `find-goals` with built-in agents.

import assert from "node:assert/strict";
import { test } from "node:test";
import { boxOf, screenshot, until } from "./browser.js";
import { findObstacles } from "./obstacles.js";
import { PHONE, assertFits, visit } from "./visit.js";

const ENVIRONMENT = "find-goals";
const ADDRESS = `#/${ENVIRONMENT}`;

test("the environments are listed, and a link leads to each of them", async () => {
  await visit("", {}, async (page) => {
    await page.getByRole("link", { name: ENVIRONMENT, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: ENVIRONMENT, exact: true }).waitFor();
    assert.match(page.url(), /#\/find-goals$/);
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Environments" }).waitFor();
  });
});

test("an entity that moves in the environment moves on the page", async () => {
  await visit(ADDRESS, {}, async (page) => {
    await makeRun(page);
    const canvas = page.locator("canvas");
    const picture = () => canvas.evaluate((element) => element.toDataURL());
    const first = await picture();
    await until(async () => (await picture()) !== first, "the picture is another");
    const was = await placeOf(page, "red");
    await until(async () => String(await placeOf(page, "red")) !== String(was), "the scene as text says another place");
  });
});

test("a table shows the agents of entities", async () => {
  await visit(ADDRESS, {}, async (page) => {
    const row = page.locator(".entities").getByRole("row", { name: /^red/ });
    assert.match(await row.innerText(), /red\s+walker\s+\S+/);
    assert.equal(await page.locator(".entities tbody tr").count(), 2);
  });
});

test("a click on an entity in the scene shows what it perceives and does", async () => {
  await visit(ADDRESS, {}, async (page) => {
    await manage(page, "Pause", "paused");
    const [x, y] = await placeOf(page, "red");
    const [, width, height] =
      /: ([\d.]+) by ([\d.]+) units/.exec(await page.locator("canvas").getAttribute("aria-label")) ?? [];
    const box = await boxOf(page.locator("canvas"));
    const scale = Math.min(box.width / Number(width), box.height / Number(height));
    const place = [
      box.x + box.width / 2 + (x - Number(width) / 2) * scale,
      box.y + box.height / 2 - (y - Number(height) / 2) * scale,
    ];
    await page.mouse.click(place[0], place[1]);
    await seesPercepts(page, "red");
    assert.match(page.url(), /#\/find-goals\/red$/);
    await manage(page, "Start", "running");
    await page.locator(".entity .chronicle li.event").first().waitFor();
    await page.locator(".entity .chronicle li.action").first().waitFor();
    await page.getByRole("searchbox", { name: /entity perceives/ }).fill("nothing is called so");
    await until(async () => (await page.locator(".entity .chronicle li").count()) === 0, "nothing fits the filter");
    assert.equal(await page.locator(".entity dd").count(), 0);
  });
});

test("the address contains the chosen entity", async () => {
  await visit(`${ADDRESS}/blue`, {}, (page) => seesPercepts(page, "blue"));
});

test("the keyboard alone can choose an entity", async () => {
  await visit(ADDRESS, {}, async (page) => {
    await page.locator("tr[data-entity=blue]").waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await focused(page), "Skip to the content");
    for (let tabs = 0; (await focused(page)) !== "red"; tabs += 1) {
      assert(tabs < 40, "the table is out of reach");
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(page), "blue");
    await page.keyboard.press("Enter");
    await seesPercepts(page, "blue");
    assert.equal(await page.getByRole("button", { name: "blue", exact: true }).getAttribute("aria-pressed"), "true");
  });
});

test("a pause changes the state, and a step is one step", async () => {
  await visit(ADDRESS, {}, async (page) => {
    await makeRun(page);
    await manage(page, "Pause", "paused");
    await until(
      async () => (await page.locator("#announcements").innerText()).includes("is paused"), "it is announced",
    );
    const step = async () => Number((await page.locator("[data-part=step]").innerText()).replace(/\D/g, ""));
    await page.waitForTimeout(300);
    const was = await step();
    await page.getByRole("button", { name: "Step", exact: true }).click();
    await until(async () => (await step()) === was + 1, `the step is ${was + 1}`);
    await page.waitForTimeout(300);
    assert.equal(await step(), was + 1);
    await manage(page, "Start", "running");
  });
});

test("buttons show why they are impossible in a state", async () => {
  await visit(ADDRESS, {}, async (page) => {
    await makeRun(page);
    const start = page.getByRole("button", { name: "Start", exact: true });
    assert.equal(await start.getAttribute("aria-disabled"), "true");
    assert.equal(await start.getAttribute("title"), "Only while it is paused");
  });
});

test("the speed can be set, and comes back from the server", async () => {
  await visit(ADDRESS, {}, async (page) => {
    const speed = page.locator("output.speed");
    await until(async () => (await speed.innerText()) !== "", "the speed is known");
    const was = await speed.innerText();
    await page.getByRole("slider", { name: "Speed" }).focus();
    await page.keyboard.press("ArrowRight");
    const now = await speed.innerText();
    assert.notEqual(now, was);
    await visit(ADDRESS, {}, async (other) => {
      await until(
        async () => (await other.locator("output.speed").innerText()) === now, "another page shows the speed",
      );
    });
    await page.keyboard.press("ArrowLeft");
    await until(async () => (await speed.innerText()) === was, "the speed is as it was");
  });
});

test("a new episode can be begun", async () => {
  await visit(ADDRESS, {}, async (page) => {
    const episode = () => page.locator(".clock .number").first().innerText();
    await until(async () => /\d/.test(await episode()), "the episode is known");
    const was = Number(await episode());
    await page.getByRole("button", { name: "Reset", exact: true }).click();
    await page.getByLabel("view", { exact: true }).selectOption("global");
    await page.getByText("Advanced").click();
    await page.getByLabel("Seed").fill("7");
    await page.getByRole("dialog").getByRole("button", { name: "Reset" }).click();
    await until(async () => Number(await episode()) === was + 1, "there is another episode");
    await page.getByText(`Episode ${was + 1} begins, with seed 7`).waitFor();
    await page.getByRole("button", { name: "red", exact: true }).click();
    await page.locator(".percepts dt", { hasText: /^at$/ }).waitFor();
    await manage(page, "Start", "running");
  });
});

test("environments can be created and removed", async () => {
  await visit("", {}, async (page) => {
    await page.getByRole("button", { name: "New environment of kind find-goals" }).click();
    await page.getByLabel("Name").fill("a new one");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { level: 1, name: "a new one" }).waitFor();
    assert.match(page.url(), /#\/a%20new%20one$/);
    await page.getByRole("navigation").getByRole("link").click();
    await page.getByRole("button", { name: "Remove a new one" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("link", { name: "a new one" }).waitFor({ state: "detached" });
  });
});

test("a parameter that is a file is typed, or read from the disk", async () => {
  const team = "[[bots]]\nname = 'Größe'\namount = 2\n";
  await visit("", {}, async (page) => {
    const choose = async (name, buffer) => {
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Read team from a file" }).click();
      await (await chooser).setFiles({ name, mimeType: "text/plain", buffer: Buffer.from(buffer) });
    };
    await page.getByRole("button", { name: "New environment of kind bw4t" }).click();
    await page.getByLabel("Name", { exact: true }).fill("a team");
    const map = page.getByLabel("map", { exact: true });
    assert.deepEqual((await map.locator("option").allInnerTexts()).slice(1), [
      "Rainbow", "Banana", "Dutch Flag", "Random", "SuperRandom", "Another…",
    ]);
    await map.selectOption("Another…");
    await page.getByLabel("Another map").fill("nonsense");
    await map.selectOption("Banana");
    const field = page.getByLabel("team", { exact: true });
    await choose("latin1.toml", [0xe4]);
    await page.getByText("latin1.toml is not UTF-8 text; save it as UTF-8").waitFor();
    await choose("long.toml", " ".repeat(500_001));
    await page.getByText("long.toml has more than 500 kB").waitFor();
    assert.equal(await field.inputValue(), "");
    await choose("team.toml", team);
    await until(async () => (await field.inputValue()) === team, "the file is read");
    assert.equal(await page.locator("dialog .file .trouble").allInnerTexts().then((texts) => texts.join("")), "");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { level: 1, name: "a team" }).waitFor();
    await page.getByRole("row", { name: /^Größe_2/ }).waitFor();
    await page.getByRole("navigation").getByRole("link").click();
    await page.getByRole("button", { name: "Remove a team" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("link", { name: "a team", exact: true }).waitFor({ state: "detached" });
  });
});

test("dialogs show the errors of their actions", async () => {
  await visit("", {}, async (page) => {
    await page.getByRole("button", { name: "New environment of kind find-goals" }).click();
    await page.getByLabel("Name").fill(ENVIRONMENT);
    await page.getByRole("button", { name: "Create" }).click();
    await page
      .getByRole("dialog")
      .getByText("there is an environment find-goals already; choose another name")
      .waitFor();
    // A selection of text that ends outside of the dialog does not close it.
    const field = await boxOf(page.getByLabel("Name"));
    await page.mouse.move(field.x + field.width / 2, field.y + field.height / 2);
    await page.mouse.down();
    await page.mouse.move(5, 5);
    await page.mouse.up();
    assert.equal(await page.getByRole("dialog").count(), 1);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement?.ariaLabel), "New environment of kind find-goals");
  });
});

test("a connection that is dead without an end is noticed, and replaced", async () => {
  let [connections, isDead] = [0, false];
  const prepare = (page) =>
    page.routeWebSocket(/\/ws$/, (client) => {
      const [server, number] = [client.connectToServer(), (connections += 1)];
      client.onMessage((message) => (isDead && number === 1) || server.send(message));
      server.onMessage((message) => (isDead && number === 1) || client.send(message));
    });
  await visit(ADDRESS, { prepare }, async (page) => {
    await page.locator("#connection[data-phase=greeted]").waitFor();
    isDead = true;
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await until(async () => connections === 2, "the page connects again");
    await page.locator("#connection[data-phase=greeted]").waitFor();
    const before = await page.locator("#main").innerText();
    await until(async () => (await page.locator("#main").innerText()) !== before, "the page goes on");
  });
});

test("an unknown environment shows an error", async () => {
  await visit("#/find-gaols", {}, async (page) => {
    await page.getByText("there is no environment find-gaols on this server; did you mean find-goals?").waitFor();
  });
});

test("the ontology can be read", async () => {
  await visit(ADDRESS, {}, async (page) => {
    const reference = page.locator(".reference");
    assert.equal(
      await reference.getByRole("heading", { name: "Entities of type walker" }).isVisible(), false, "it is folded",
    );
    await reference.getByText("Ontology", { exact: true }).click();
    await reference.getByText("Two walkers in a narrow maze try to reach their goals").waitFor();
    await reference.getByRole("heading", { name: "Entities of type walker" }).waitFor();
    await reference.getByText("see(direction: Direction, what: Sight)").waitFor();
    await reference.getByText("sent on change with negation").first().waitFor();
    await reference.getByRole("button", { name: "Direction" }).first().click();
    assert.equal(await page.evaluate(() => document.activeElement?.id), "type-Direction");
    assert.equal(await page.evaluate(() => location.hash), "#/find-goals");
  });
});

for (const [scheme, address] of [
  ["light", ""],
  ["light", `${ADDRESS}/red`],
  ["dark", ""],
  ["dark", `${ADDRESS}/red`],
]) {
  test(`${address || "the list"} has no accessibility problems in the ${scheme} scheme`, async () => {
    await visit(address, { colorScheme: scheme, reducedMotion: "reduce" }, async (page) => {
      await settle(page, address);
      assert.deepEqual(await page.evaluate(findObstacles), []);
      for (const landmark of ["banner", "main"]) assert.equal(await page.getByRole(landmark).count(), 1, landmark);
      assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1);
      const isDark = await page.evaluate(() =>
        getComputedStyle(document.body)
          .backgroundColor.match(/\d+/g)
          .every((part) => Number(part) < 64),
      );
      assert.equal(isDark, scheme === "dark");
    });
  });
}

test("colours can be chosen, and stay chosen", async () => {
  await visit("", { colorScheme: "light" }, async (page) => {
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByRole("button", { name: "Colours: as the system" }).click();
    await page.getByRole("button", { name: "Colours: light" }).click();
    assert.notEqual(await ground(), light);
    await page.reload();
    await page.getByRole("button", { name: "Colours: dark" }).waitFor();
    assert.notEqual(await ground(), light);
  });
});

for (const width of [320, 360, 768, 1024, 3840]) {
  test(`nothing overflows at a width of ${width} pixels`, async () => {
    for (const address of ["", `${ADDRESS}/red`]) {
      await visit(address, { viewport: { width, height: 740 } }, async (page) => {
        await settle(page, address);
        await assertFits(page);
      });
    }
  });
}

test("a finger on a phone can choose an entity, and come closer", async () => {
  await visit(ADDRESS, PHONE, async (page) => {
    await page.getByRole("button", { name: "red", exact: true }).tap();
    await seesPercepts(page, "red");
    await page.getByRole("button", { name: "Zoom in" }).tap();
    await page.locator(".stage.near").waitFor();
    await page.getByRole("button", { name: "Show everything" }).tap();
    await page.locator(".stage:not(.near)").waitFor();
  });
});

test("draws pictures of the page for review", async () => {
  for (const [name, address, settings] of [
    ["environments", "", {}],
    ["desk-light", `${ADDRESS}/red`, { colorScheme: "light" }],
    ["desk-dark", `${ADDRESS}/red`, { colorScheme: "dark" }],
    ["phone", `${ADDRESS}/red`, PHONE],
    ["phone-dark", `${ADDRESS}/red`, { ...PHONE, colorScheme: "dark" }],
    ["wall", `${ADDRESS}/red`, { viewport: { width: 3840, height: 2160 } }],
  ]) {
    await visit(address, settings, async (page) => {
      await settle(page, address);
      await page.waitForTimeout(2500);
      await screenshot(page, name);
    });
  }
});

/** Waits until the page shows something. */
async function settle(page, address) {
  if (address === "") return page.getByRole("link", { name: ENVIRONMENT, exact: true }).waitFor();
  await page.locator(".reference summary").click();
  await page.locator(".reference .chapter").first().waitFor();
  await seesPercepts(page, "red");
}

/** The place of an entity in the scene as text. */
async function placeOf(page, entity) {
  const text = page.locator(".as-text");
  if (!(await text.evaluate((details) => details.open))) await text.locator("summary").click();
  const line = text.locator("li", { hasText: new RegExp(`^${entity},`) });
  const [, x, y] = /at ([\d.-]+), ([\d.-]+)$/.exec(await line.innerText()) ?? [];
  return [Number(x), Number(y)];
}

async function seesPercepts(page, entity) {
  await page.getByRole("heading", { level: 2, name: entity, exact: true }).waitFor();
  await page.locator(".percepts dt", { hasText: /^see$/ }).waitFor();
  assert.equal(await page.locator(".percepts dd .value", { hasText: /(wall|free|other)$/ }).count(), 8);
}

async function stateOf(page) {
  const state = page.locator(".name .state");
  await until(async () => (await state.innerText()) !== "", "the state is known");
  return state.innerText();
}

/** Makes sure that time runs, whatever earlier tests did. */
async function makeRun(page) {
  if ((await stateOf(page)) === "paused") await manage(page, "Start", "running");
}

async function manage(page, button, state) {
  if ((await stateOf(page)) === state) return;
  await page.getByRole("button", { name: button, exact: true }).click();
  await until(async () => (await stateOf(page)) === state, `it is ${state}`);
}

function focused(page) {
  return page.evaluate(() => document.activeElement?.textContent?.trim());
}
