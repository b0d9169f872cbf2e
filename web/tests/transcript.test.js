// The calls of language models on the page: of a seat of MCP, and of a model in a team.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { screenshot, until } from "./browser.js";
import { TOKENS } from "./own-server.js";
import { SIZES, assertAccessible, assertFits, visit, withReplay, withServer } from "./visit.js";

const KEY = "sk-the-key-of-the-endpoint";

/** Calls a tool of an environment over MCP. Returns the result. */
async function callTool(server, environment, name, args) {
  const response = await fetch(`http://127.0.0.1:${server.port}/mcp/${environment}`, {
    method: "POST",
    headers: {
      "content-type": "application/json", accept: "application/json, text/event-stream",
      authorization: `Bearer ${TOKENS.act}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const { result, error } = await response.json();
  assert.equal(error, undefined);
  return result;
}

/**
 * An endpoint of the OpenAI kind that makes these calls one after another, and then waits for ever. It repeats the key
 * of its caller.
 */
async function endpoint(calls) {
  const listening = createServer((request, response) => {
    request.resume().on("end", () => {
      const [name, args] = calls.shift() ?? ["wait", {}];
      const said = `I know ${request.headers.authorization}. <b>Now</b> ${name}.`;
      const call = { id: "c", type: "function", function: { name, arguments: JSON.stringify(args) } };
      const message = { role: "assistant", content: said, tool_calls: [call] };
      response.end(JSON.stringify({ choices: [{ message }], usage: { prompt_tokens: 1200, completion_tokens: 45 } }));
    });
  }).listen(0, "127.0.0.1");
  await once(listening, "listening");
  return { listening, address: `http://127.0.0.1:${listening.address().port}/v1` };
}

const watching = (server, hash) => `http://127.0.0.1:${server.port}/#${hash}?token=${TOKENS.observe}`;

test("an observer sees the calls of a seat, what it was told, and never its handle", async () => {
  await withServer(["find-goals"], async (server) => {
    const joined = await callTool(server, "find-goals", "join", { entity: "red", name: "<i>ada</i>" });
    const { seat } = joined.structuredContent;
    await visit(watching(server, "/find-goals/red"), SIZES.wide, async (page) => {
      const calls = page.getByRole("list", { name: "Calls of the language model" }).getByRole("listitem");
      await until(async () => (await calls.count()) === 1, "the call before is listed");
      assert.equal(
        (
          await callTool(server, "find-goals", "send_mail", {
            seat, to: ["nobody"], text: `my seat is ${seat}\u202e`,
          })
        ).isError,
        false,
      );
      assert.equal((await callTool(server, "find-goals", "up", { seat, height: seat })).isError, true);
      await callTool(server, "find-goals", "look", { seat });
      const { content } = await callTool(server, "find-goals", "look", { seat, picture: true });
      const [told, picture] = content;
      assert.deepEqual([content.length, told.type, picture.type, picture.mimeType], [2, "text", "image", "image/png"]);
      const [width, height, colors] = await page.evaluate(async (data) => {
        const bitmap = await createImageBitmap(
          new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], { type: "image/png" }),
        );
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
        context.drawImage(bitmap, 0, 0);
        const { data: pixels } = context.getImageData(0, 0, bitmap.width, bitmap.height);
        const seen = new Set();
        for (let place = 0; place < pixels.length; place += 4) seen.add(pixels.slice(place, place + 3).join());
        return [bitmap.width, bitmap.height, [...seen]];
      }, picture.data);
      // Red sees the cells around it, but not blue, which stands further away.
      assert(Math.max(width, height) <= 512 && width > 50 && height > 50, `${width} x ${height}`);
      assert(colors.includes("214,39,40") && !colors.includes("31,119,180"), colors.join(" "));
      await until(async () => (await calls.count()) === 5, "new calls are listed");
      assert.match(await calls.nth(0).textContent(), /look.*Step 0\./);
      assert.equal(await page.locator(".calls .wrong").count(), 1);
      assert.match(
        await page.locator("[data-part=costs]").first().textContent(),
        /^<i>ada<\/i> 5 calls \(1 wrong\) · [\d,]+ characters told · /,
      );

      // With the keyboard, a call opens and shows everything.
      await calls.nth(3).locator("summary").focus();
      await page.keyboard.press("Enter");
      await page.getByText("my seat is •••\\u{202e}").first().waitFor();
      await page.locator("pre", { hasText: "Sent to nobody." }).waitFor();
      await page.getByLabel("Filter what the entity perceives and does").fill("nobody");
      await until(async () => (await calls.count()) < 5, "only calls that fit are listed");
      assert(!(await page.content()).includes(seat), "the handle is on the page");

      // The other entity has no model.
      await page.goto(watching(server, "/find-goals/blue"));
      await page.getByRole("heading", { name: "blue" }).waitFor();
      await until(async () => (await calls.count()) === 0, "it has no calls");
    });
    const denied = await server.call("act", ["subscribe", { to: { remarks: {} } }]).catch((error) => error.message);
    assert.match(denied, /observe/);
  });
});

test("models of a team show thoughts, calls and costs, in a run's recording too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "transcript-"));
  const { listening, address } = await endpoint([["up", {}], ["fly", {}], ["right", {}]]);
  const model = `[agents.model]\nbase_url = '${address}'\nname = 'scripted'\nkey = 'TRANSCRIPT_KEY'\ncalls = 6\n`;
  const team = join(folder, "team.toml");
  writeFileSync(team, `environment = 'find-goals'\n[[agents]]\nentity = 'red'\nprogram = 'model'\n${model}`);
  process.env.TRANSCRIPT_KEY = KEY;
  await withServer([team, "--record", folder, "--speed", "max"], async (server) => {
    await visit(watching(server, "/find-goals/red"), SIZES.wide, async (page) => {
      await page.getByText("6 requests · 7,200 + 270 tokens · ").waitFor();
      const list = page.getByRole("list", { name: "Calls of the language model" });
      await until(async () => (await list.getByRole("listitem").count()) === 13, "all are listed");
      assert.match(
        await list.getByRole("listitem").first().textContent(),
        /left the environment.*the model has used up its budget of 6 requests/,
      );
      assert.equal(await list.locator(".thought").count(), 6);
      assert.match(await list.locator(".wrong").textContent(), /fly.*there is no/);
      const thought = list.locator(".thought").last();
      await thought.locator("summary").click();
      await thought.getByText("From system").waitFor();
      await thought.getByText("I know Bearer •••. <b>Now</b> up.").last().waitFor();
      assert(!(await page.content()).includes(KEY), "the key is on the page");
    });
    for (const [size, setting] of Object.entries(SIZES)) {
      for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
        await visit(watching(server, "/find-goals/red"), { ...setting, colorScheme }, async (page) => {
          await page.getByText("6 requests · ").waitFor();
          await page.locator(".thought summary").last().click();
          await page.getByRole("heading", { name: "Calls of the language model" }).scrollIntoViewIfNeeded();
          await assertFits(page);
          await assertAccessible(page);
          await screenshot(page, `transcript-${size}-${colorScheme}`);
        });
      }
    }
  }).finally(() => listening.close());
  const recording = join(folder, readdirSync(folder).find((name) => name.endsWith(".mcap")));
  assert(!readFileSync(recording).includes(KEY), "the key is in the recording");
  await withReplay(recording, async (address) => {
    await visit(address, SIZES.wide, async (page) => {
      await page.getByRole("heading", { name: "Calls of language models" }).waitFor();
      await page.getByText("6 requests · 7,200 + 270 tokens · ").waitFor();
      assert.equal(await page.locator(".calls li").count(), 13);
      assert.equal(await page.locator(".calls li b").first().textContent(), "model-red");
      assert(!(await page.content()).includes(KEY), "the key is on the page");
      await assertAccessible(page);
      await screenshot(page, "transcript-replayed");
    });
  });
  rmSync(folder, { recursive: true });
});
