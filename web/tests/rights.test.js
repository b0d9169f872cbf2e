// Sessions with different rights on the page of a server that runs `find-goals` with a token for agents and one for
// observers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOfServer, until } from "./browser.js";
import { openText } from "./person.js";
import { visit } from "./visit.js";

const address = (entity) => addressOfServer("SITUATED_GUARDED_URL", "find-goals with tokens", `#/find-goals/${entity}`);

/** The token for a right. */
function tokenFor(right) {
  const tokens = process.env.SITUATED_TOKENS?.split(" ").map((token) => token.split("="));
  return new Map(tokens).get(right);
}

/** Prepares a page whose user has entered the token for a right. */
function withToken(right) {
  return {
    prepare: (page) => page.addInitScript((token) => sessionStorage.setItem("situated-token", token), tokenFor(right)),
  };
}

test("an observer sees the percepts of any entity", async () => {
  await visit(address("blue"), withToken("observe"), async (page) => {
    await page.locator(".percepts dt", { hasText: "see" }).waitFor();
    await choose(page, "red");
    await page.locator(".percepts dt", { hasText: "see" }).waitFor();
    await until(async () => (await shapes(page)) > 0, "the environment is shown as a whole");
  });
});

test("a user with only the right to act sees only the percepts of the played entity", async () => {
  await visit(address("blue"), withToken("act"), async (page) => {
    await page.getByText("Only agents of blue and observers can see what it perceives.").waitFor();
    await page.getByText("Only observers can see the whole scene.").waitFor();
    assert.equal(await page.locator(".percepts:visible").count(), 0);
    await choose(page, "red");
    await page.getByRole("button", { name: "Control red here" }).click();
    await page.locator(".percepts dt", { hasText: "see" }).waitFor();
    await until(async () => (await shapes(page)) > 0, "what red sees is shown");
    await choose(page, "blue");
    await page.getByText("Only agents of blue and observers can see what it perceives.").waitFor();
    assert.equal(await page.locator(".percepts:visible").count(), 0);
    await choose(page, "red");
    await page.locator(".percepts dt", { hasText: "see" }).waitFor();
    await page.getByRole("button", { name: "Stop playing" }).click();
    await page.getByText("Only agents of red and observers can see what it perceives.").waitFor();
    await page.getByText("Only observers can see the whole scene.").waitFor();
  });
});

test("the page shows more after an observer's token is entered", async () => {
  await visit(address("blue"), withToken("act"), async (page) => {
    await page.getByText("Only agents of blue and observers can see what it perceives.").waitFor();
    await page.locator("#token").click();
    await page.getByLabel("Token", { exact: true }).last().fill(tokenFor("observe"));
    await page.getByRole("button", { name: "Connect" }).click();
    await page.locator(".percepts dt", { hasText: "see" }).waitFor();
  });
});

async function choose(page, entity) {
  await page.getByRole("button", { name: entity, exact: true }).click();
}

/** Returns the number of shapes in the scene's text. */
async function shapes(page) {
  await openText(page);
  return page.locator(".as-text li").count();
}
