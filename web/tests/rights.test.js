// Sessions with different rights on the page of a server that runs `find-goals` with a token for those who act and one for observers.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, until, visit } from "./browser.js";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

function address(entity = "") {
  const { SITUATED_GUARDED_URL } = process.env;
  assert(SITUATED_GUARDED_URL, "set SITUATED_GUARDED_URL to the address of a server that runs `find-goals` with tokens");
  return new URL(`#/find-goals${entity && `/${entity}`}`, SITUATED_GUARDED_URL).href;
}

/** The token for a right. */
function tokenFor(right) {
  const tokens = process.env.SITUATED_TOKENS?.split(" ").map((token) => token.split("="));
  return new Map(tokens).get(right);
}

/** What prepares a page whose user has entered the token for a right. */
function withToken(right) {
  return { prepare: (page) => page.addInitScript((token) => sessionStorage.setItem("situated-token", token), tokenFor(right)) };
}

test("an observer is shown what any entity perceives", async () => {
  await visit(browser, address("blue"), withToken("observe"), async (page) => {
    await page.locator(".percepts dt", { hasText: "see" }).waitFor();
    await choose(page, "red");
    await page.locator(".percepts dt", { hasText: "see" }).waitFor();
    await until(async () => (await shapes(page)) > 0, "the environment is shown as a whole");
  });
});

test("somebody who may only act is shown what the entity perceives that they play, and nothing of the others", async () => {
  await visit(browser, address("blue"), withToken("act"), async (page) => {
    await page.getByText("What blue perceives is for its agents, and for those who may observe.").waitFor();
    await page.getByText("The scene as a whole is for those who may observe.").waitFor();
    assert.equal(await page.locator(".percepts:visible").count(), 0);
    await choose(page, "red");
    await page.getByRole("button", { name: "Play red" }).click();
    await page.locator(".percepts dt", { hasText: "see" }).waitFor();
    await until(async () => (await shapes(page)) > 0, "what red sees is shown");
    await choose(page, "blue");
    await page.getByText("What blue perceives is for its agents, and for those who may observe.").waitFor();
    assert.equal(await page.locator(".percepts:visible").count(), 0);
    await choose(page, "red");
    await page.locator(".percepts dt", { hasText: "see" }).waitFor();
    await page.getByRole("button", { name: "Give it back" }).click();
    await page.getByText("What red perceives is for its agents, and for those who may observe.").waitFor();
    await page.getByText("The scene as a whole is for those who may observe.").waitFor();
  });
});

test("with the token of an observer, the page shows what it did not show before", async () => {
  await visit(browser, address("blue"), withToken("act"), async (page) => {
    await page.getByText("What blue perceives is for its agents, and for those who may observe.").waitFor();
    await page.locator("#token").click();
    await page.getByLabel("Token", { exact: true }).last().fill(tokenFor("observe"));
    await page.getByRole("button", { name: "Connect" }).click();
    await page.locator(".percepts dt", { hasText: "see" }).waitFor();
  });
});

async function choose(page, entity) {
  await page.getByRole("button", { name: entity, exact: true }).click();
}

/** How many things the scene as text lists. */
async function shapes(page) {
  const text = page.locator(".as-text");
  if (!(await text.evaluate((details) => details.open))) await text.locator("summary").click();
  return text.locator("li").count();
}
