// A teacher's afternoon: a map, a team, games for students with links, an assignment, results as a table and as a file.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { screenshot, until } from "./browser.js";
import { TOKENS } from "./own-server.js";
import { SIZES, assertFits, serverForTests, visit } from "./visit.js";

const server = serverForTests(["--grace", "1"]);

const CLASS = `make/bw4t/class?token=${TOKENS.manage}`;

/** A student delivers red and blue with a robot. */
async function deliver(page) {
  const state = page.locator("[data-part=state]");
  const go = async (room) => {
    await page.locator(`.place[data-name="${room}"]`).click();
    await state.getByText(`You are in ${room}`).or(state.getByText(`You are at ${room}`)).first().waitFor();
  };
  for (const [room, color] of [["Room1", "Red"], ["Room2", "Blue"]]) {
    await go(room);
    await until(async () => {
      await page.locator(".thing").first().click({ timeout: 500 }).catch(() => {});
      return state.getByText(`You carry a ${color} block`).isVisible();
    }, `it has the ${color} block`);
    await go("DropZone");
    await page.getByRole("button", { name: "Put down the block" }).click();
  }
}

test("a teacher makes a map, a team and games, students play by their links, and the results come in", async () => {
  await visit(
    server.page(`make/bw4t/map?token=${TOKENS.manage}`), { permissions: ["clipboard-read", "clipboard-write"] },
    async (page) => {
      await page.getByText("all 2 colours of the sequence can be delivered").waitFor();
      await page.getByRole("button", { name: "Add starting point" }).click();
      await page.locator("[data-field=x]").fill("25");
      await page.keyboard.press("Tab");
      await page.locator(".map-canvas [aria-label='Starting point 3']").waitFor();
      await page.getByRole("link", { name: "Make a team" }).click();
      await page.getByText("3 robots and 0 e-partners").waitFor();
      const bots = page.locator("fieldset[data-path='bots/1']");
      await bots.getByLabel("Number of robots").fill("1");
      await page.keyboard.press("Tab");
      await page.getByText("2 robots and 0 e-partners").waitFor();
      await server.call("manage", ["createEnvironment", { kind: "bw4t", environment: "another" }]);

      await page.goto(server.page(CLASS));
      assert.equal(
        await page.getByLabel("Map", { exact: true }).inputValue(), "-", "the map of the editor is offered first",
      );
      await page.getByLabel("Name of the class").fill("monday");
      await page.getByLabel("Number of games").fill("2");
      await page.getByLabel("Bot_1 is driven by").selectOption("team");
      assert.equal(await page.getByLabel("Human_1 is driven by").inputValue(), "");
      await screenshot(page, "class-new");
      await page.getByRole("button", { name: "Create games" }).click();
      const rows = page.locator("tbody tr");
      await until(async () => (await rows.count()) === 2, "the games are listed, and nothing else");
      const row = (game) => page.locator("tbody tr", { has: page.getByRole("link", { name: game, exact: true }) });
      const built = async (game) => {
        const { entities } = await server.call("observe", ["listEntities", { environment: game }]);
        return entities.map(({ entity, agents }) => [entity, agents.length]);
      };
      assert.deepEqual(
        await built("monday-1"),
        [
          ["Human_1", 0], ["Bot_1", 1],
        ],
        "the server has given the robot its agent",
      );
      await row("monday-1").getByText("paused").waitFor();
      await page.getByRole("button", { name: "Start all" }).click();
      await row("monday-2").getByText("running").waitFor();
      await until(
        async () => (await row("monday-1").locator("td").nth(0).textContent()) === "Bot_1",
        "the built-in agent is listed",
      );

      await page.getByRole("button", { name: "Links for students" }).click();
      await page.getByLabel("Token for students").fill("a token & more");
      const links = () =>
        page
          .locator("#class-links")
          .inputValue()
          .then((text) => text.split("\n").map((line) => line.split("\t")));
      assert.equal(new URL((await links())[0][2]).hash, "#/monday-1/Human_1/play?token=a%20token%20%26%20more");
      await page.getByLabel("Token for students").fill(TOKENS.act);
      assert.deepEqual(
        (await links()).map(([game, entity]) => [game, entity]),
        [
          ["monday-1", "Human_1"], ["monday-2", "Human_1"],
        ],
      );
      await screenshot(page, "class-links");
      await page.getByRole("button", { name: "Copy" }).click();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      assert.match(copied, /monday-2\tHuman_1\thttp/);
      const [, , link] = copied.split("\n")[0].split("\t");
      const { pathname, search } = new URL(link);
      assert.equal(pathname + search, "/", "no server sees the token");

      for (const environment of ["monday-1", "monday-2"])
        await server.call("manage", ["setSpeed", { environment, speed: 400 }]);
      await visit(link, {}, async (student) => {
        assert.equal(new URL(student.url()).hash, "#/monday-1/Human_1/play", "the token is not in the address");
        await student.getByText(/^You are in/).waitFor();
        await student.locator(".verdict", { hasText: "Well done: the task is completed" }).waitFor();
        await screenshot(student, "class-student");
      });
      await row("monday-1").getByText("passed").waitFor();
      const steps = Number(await row("monday-1").locator("td").nth(4).textContent());
      assert(steps > 100, `${steps} steps`);
      assert.equal(await row("monday-1").locator("td").nth(2).textContent(), "2");
      await screenshot(page, "class-results");
      await page.getByLabel("Deliver everything in fewer steps than").fill(String(steps));
      await row("monday-1").getByText("too slow").waitFor();
      await page.getByLabel("Deliver everything in fewer steps than").fill(String(steps + 1));
      await row("monday-1").getByText("passed").waitFor();

      const [download] = await Promise.all([
        page.waitForEvent("download"), page.getByRole("button", { name: "Download all (CSV)" }).click(),
      ]);
      const csv = readFileSync(await download.path(), "utf8");
      assert(csv.includes(`monday-1,team,steps,${steps},passed\r\n`), csv);
      assert(csv.includes("monday-2,team,completed,"), csv);
      assert(!csv.includes("another,"), csv);
    },
  );
});

test("a student plays alone by a link, to the end", async () => {
  await visit(server.page(`make/bw4t/map?token=${TOKENS.manage}`), {}, async (page) => {
    await page.getByText("all 2 colours of the sequence can be delivered").waitFor();
    await page.getByRole("button", { name: "Add starting point" }).click();
    await page.locator(".map-canvas [aria-label='Starting point 3']").waitFor();
    await page.goto(server.page(CLASS));
    await page.getByLabel("Name of the class").fill("alone");
    await page.getByLabel("Human_1 is driven by").waitFor();
    await page.getByRole("button", { name: "Create games" }).click();
    await page.locator("tbody tr").waitFor();
    await page.getByRole("button", { name: "Start all" }).click();
    await page.getByRole("button", { name: "Links for students" }).click();
    await page.getByLabel("Token for students").fill(TOKENS.act);
    const link = (await page.locator("#class-links").inputValue()).split("\t")[2];
    await server.call("manage", ["setSpeed", { environment: "alone-1", speed: 300 }]);
    await visit(link, {}, async (student) => {
      await student.getByText(/^You are in/).waitFor();
      await deliver(student);
      await student.locator(".verdict", { hasText: "Well done: the task is completed" }).waitFor();
    });
    await page.keyboard.press("Escape");
    await page.locator("tbody tr", { hasText: "passed" }).waitFor();
    const { outcome } = await server.call("observe", ["outcome", { environment: "alone-1" }]);
    assert.equal(
      outcome.results.find(({ of, name }) => of === "Human_1" && name === "good drops").value, 2,
      "the student has done it",
    );
  });
});

test("Enter creates games, and creates them once", async () => {
  await visit(server.page(CLASS), {}, async (page) => {
    await page.getByLabel("Name of the class").fill("no spaces");
    await page.keyboard.press("Enter");
    assert(
      await page.getByLabel("Name of the class").evaluate((field) => field.matches(":focus:user-invalid")),
      "the name must be changed",
    );
    await page.getByLabel("Name of the class").fill("keys");
    await page.keyboard.press("Enter");
    const games = () => page.locator("tbody th").allTextContents();
    await until(async () => (await games()).length === 1, "there is a game");
    await page.getByLabel("Number of games").fill("2");
    await page.locator("form.pane").evaluate((form) => [form.requestSubmit(), form.requestSubmit()]);
    await page.locator("#announcements", { hasText: "Created 2 games" }).waitFor({ state: "attached" });
    await until(async () => (await games()).length === 3, "the games are there");
    assert.deepEqual(await games(), ["keys-1", "keys-2", "keys-3"]);
    assert.deepEqual(await page.locator(".notice").allTextContents(), []);
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`a class on a phone, ${colorScheme}`, async () => {
    await visit(server.page(CLASS), { ...SIZES.phone, colorScheme }, async (page) => {
      await page.getByLabel("Name of the class").fill(colorScheme);
      await page.getByLabel("Human_1 is driven by").waitFor();
      await page.getByRole("button", { name: "Create games" }).click();
      await page.locator("tbody tr").first().waitFor();
      await assertFits(page);
      await screenshot(page, `class-phone-${colorScheme}`);
    });
  });
}
