// A teacher's afternoon, on the page of a server that runs `bw4t`: a map, a team, games for students with links, an
// assignment, results as a table and as a file.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, screenshot, until, visit } from "./browser.js";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

function address(hash) {
  const { SITUATED_PLAY_URL } = process.env;
  assert(SITUATED_PLAY_URL, "set SITUATED_PLAY_URL to the address of a server that runs `bw4t`");
  return new URL(hash, SITUATED_PLAY_URL).href;
}

/** A student's agent: it delivers red and blue with the robot of a game. It runs in a page of its own. */
async function deliver(environment) {
  const { Session } = await import("./session.js");
  const session = new Session(new URL("ws", location.href.replace(/#.*/, "")).href.replace("http", "ws"), null);
  session.connect();
  await new Promise((done) => session.addEventListener("standing", () => session.standing.phase === "greeted" && done(null)));
  const agent = `student-${environment}`;
  const of = { environment, agent };
  await session.call("setSpeed", { environment, speed: 2000 });
  await session.call("register", of);
  await session.call("associate", { ...of, entity: "Bot_1" });
  const percepts = async () => (await session.call("perceive", { ...of, form: "snapshot" })).perceptions[0].add;
  const act = (name, ...args) => session.call("act", { ...of, action: { name, args } });
  const arrive = async () => {
    for (;;) {
      const state = (await percepts()).find(({ name }) => name === "state");
      if (state?.args[0] === "arrived") return;
      await new Promise((done) => setTimeout(done, 20));
    }
  };
  for (const [room, wanted] of [["Room1", "Red"], ["Room2", "Blue"]]) {
    await act("goTo", room);
    await arrive();
    const [block] = (await percepts()).find(({ name, args }) => name === "color" && args[1] === wanted).args;
    await act("goToBlock", block);
    await arrive();
    await act("pickUp", block);
    await act("goTo", "DropZone");
    await arrive();
    await act("putDown");
  }
  session.leave();
}

test("a teacher makes a map, a team and games, and gets the results of the class", async () => {
  await visit(browser, address("#make/bw4t/map"), { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
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
    await page.goto(address("#make/bw4t/class"));
    const before = await page.locator("tbody tr").count();
    await page.getByLabel("Number of games").fill("2");
    assert.equal(await page.getByLabel("Map", { exact: true }).inputValue(), "-", "the map of the editor is offered first");
    await page.getByRole("button", { name: "Create games" }).click();
    await until(async () => (await page.locator("tbody tr").count()) === before + 2, "the games are created");
    const row = (game) => page.locator("tbody tr", { has: page.getByRole("link", { name: game, exact: true }) });
    await row("game-1").getByText("paused").waitFor();
    await page.getByRole("button", { name: "Start all" }).click();
    await row("game-2").getByText("running").waitFor();

    await page.getByRole("button", { name: "Links for students" }).click();
    await page.getByLabel("Token for students").fill("a token & more");
    const [, , link] = (await page.locator("#class-links").inputValue()).split("\n").find((line) => line.startsWith("game-1\t")).split("\t");
    const { hash, search, pathname } = new URL(link);
    assert.equal(hash, "#/game-1/Human_1/play?token=a%20token%20%26%20more");
    assert.equal(pathname + search, "/", "no server sees the token");
    await screenshot(page, "class-links");
    await page.getByRole("button", { name: "Copy" }).click();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /game-2\tHuman_1\thttp/);

    const student = await page.context().newPage();
    await student.goto(address(""));
    await student.evaluate(deliver, "game-1");
    await student.close();
    await row("game-1").getByText("passed").waitFor();
    const steps = Number(await row("game-1").locator("td").nth(4).textContent());
    assert(steps > 100, `${steps} steps`);
    assert.deepEqual(await row("game-1").locator("td").nth(2).textContent(), "2");
    await screenshot(page, "class-results");
    await page.getByLabel("Deliver everything in fewer steps than").fill(String(steps));
    await row("game-1").getByText("too slow").waitFor();
    await page.getByLabel("Deliver everything in fewer steps than").fill(String(steps + 1));
    await row("game-1").getByText("passed").waitFor();

    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download (CSV)" }).click()]);
    const csv = readFileSync(await download.path(), "utf8");
    assert(csv.includes(`game-1,team,steps,${steps},passed\r\n`), csv);
    assert(csv.includes("game-2,team,completed,false,\r\n"), csv);
    assert(csv.includes("game-1,Bot_1,good drops,2,passed\r\n"), csv);
    await page.goto(address("#/"));
    for (const game of ["game-1", "game-2"]) {
      await page.getByRole("button", { name: `Remove ${game}`, exact: true }).click();
      await page.getByRole("button", { name: "Remove", exact: true }).click();
      await page.getByRole("link", { name: game, exact: true }).waitFor({ state: "detached" });
    }
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`a class on a phone, ${colorScheme}`, async () => {
    await visit(browser, address("#make/bw4t/class"), { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme }, async (page) => {
      await page.locator("tbody tr").first().waitFor();
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert(width <= 390, `the page is ${width} pixels wide`);
      await screenshot(page, `class-phone-${colorScheme}`);
    });
  });
}
