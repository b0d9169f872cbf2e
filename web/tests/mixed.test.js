// A person on the page delivers a sequence with robots in Rust, Python and AgentSpeak, on a paused server that runs
// examples/mixed-team/team.toml.

import assert from "node:assert/strict";
import { test } from "node:test";
import { screenshot, until } from "./browser.js";
import { call, choose, click, play, said, value } from "./person.js";
import { visit } from "./visit.js";

const MIXED = process.env.SITUATED_MIXED_URL;
const SKIPPED =
  !MIXED && "set SITUATED_MIXED_URL to the address of a paused server that runs examples/mixed-team/team.toml";

test("a person and robots in Rust, Python and AgentSpeak deliver a sequence together", { skip: SKIPPED }, async () => {
  await visit(new URL("#/bw4t", MIXED).href, {}, async (page) => {
    await until(async () => {
      const { entities } = await call(page, "listEntities", { environment: "bw4t" });
      return ["Bot_2", "Bot_3"].every((name) => entities.find(({ entity }) => entity === name).agents.length === 1);
    }, "the robots in Python and AgentSpeak have come");
    await play(page, "Bot_4");
    await page.getByRole("button", { name: "Start", exact: true }).click();

    // The fourth colour is the person's; the others hear that she has it.
    await goTo(page, "RoomB3");
    await click(page, /^P\d+,/);
    await choose(page, "Pick up the block");
    await until(async () => (await value(page, "holding")) !== "", "the robot holds the block");
    await click(page, /, which is 'Pink',/);
    await choose(page, "I have a Pink block");
    await said(page, "action", "I have a Pink block");
    await goTo(page, "FrontDropZone");

    // All talk in the language of the environment.
    await said(page, "event", "message Bot_1 · ");
    await said(page, "event", "message Bot_2 · imp(pickedUpFrom('Bot_2','Green',unknown))");
    await said(page, "event", "message Bot_3 · imp(pickedUpFrom('Bot_3','Yellow',unknown))");
    await until(async () => (await value(page, "sequenceIndex")) === "3", "it is her turn", 60_000);
    await page.evaluate(() => scrollTo(0, 0));
    await screenshot(page, "mixed-team");
    await goTo(page, "DropZone");
    await click(page, /, which is 'Pink',/);
    await choose(page, "Put down the block");
    await until(async () => Number(await value(page, "sequenceIndex")) > 3, "she has delivered it");
    await goTo(page, "FrontDropZone");

    await until(async () => (await outcome(page)).ending === "terminated", "the sequence is complete", 60_000);
    const { results } = await outcome(page);
    for (const robot of ["Bot_1", "Bot_2", "Bot_3", "Bot_4"]) {
      const drops = results.find(({ of, name }) => of === robot && name === "good drops").value;
      assert(drops >= 1, `${robot} has delivered ${drops} blocks`);
    }
  });
});

/** Sends the robot to a place until it is there: only one robot at a time fits into a room. */
async function goTo(page, place) {
  await until(async () => {
    await click(page, new RegExp(`^'${place}',`));
    await choose(page, /^Go to/);
    await until(async () => (await value(page, "state")) !== "traveling", `the robot stands`);
    return [await value(page, "in"), await value(page, "at")].includes(`'${place}'`);
  }, `the robot is at ${place}`, 60_000);
}

async function outcome(page) {
  return (await call(page, "outcome", { environment: "bw4t" })).outcome;
}
