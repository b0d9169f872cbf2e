// The messages between agents on the page, and the mailbox of its user.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { screenshot, until } from "./browser.js";
import { TOKENS } from "./own-server.js";
import {
  SIZES, assertAccessible, assertFits, browser, serverForTests, visit, withReplay, withServer,
} from "./visit.js";

/** A token of people who may act and observe. */
const BOTH = "token-of-acting-observers";

const ARGUMENTS = ["find-goals", "--token", `act=${BOTH}`, "--token", `observe=${BOTH}`];
const server = serverForTests(ARGUMENTS);

/** A program with mailboxes, over TCP. */
class Program {
  received = [];
  waiting = new Map();
  last = 0;

  constructor(of = server) {
    this.server = of;
  }

  async begin(...agents) {
    this.socket = connect(this.server.port, "127.0.0.1");
    await once(this.socket, "connect");
    createInterface({ input: this.socket }).on("line", (line) => {
      const { id, result, error, method, params } = JSON.parse(line);
      if (method === "mail") this.received.push(...params.messages.map(({ message }) => message));
      if (error) this.waiting.get(id)?.reject(new Error(error.message));
      else this.waiting.get(id)?.resolve(result);
    });
    await this.call("hello", { protocol: 2, role: "platform", token: TOKENS.act });
    for (const agent of agents) {
      await this.call("openMailbox", { agent });
      await this.call("subscribe", { to: { mail: { agent } } });
    }
    return this;
  }

  call(method, params) {
    const id = (this.last += 1);
    this.socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  send(agent, performative, receivers, message = {}) {
    return this.call("send", { agent, message: { performative, receivers, ...message } });
  }

  /** A contract net between a buyer and two sellers, in which the second seller breaks a rule. */
  async trade(conversationId) {
    const about = { protocol: "fipa-contract-net", conversationId };
    await this.send("ada", "cfp", ["bob", "cleo"], { ...about, content: "50 boxes of plums", replyWith: "r1" });
    await this.send("bob", "propose", ["ada"], { ...about, content: "200", inReplyTo: "r1" });
    await this.send("cleo", "refuse", ["ada"], { ...about, content: "no plums left", inReplyTo: "r1" });
    await this.send("ada", "accept-proposal", ["bob"], { ...about, content: "deliver" });
    await this.send("cleo", "inform", ["ada"], { ...about, content: "plums after all" });
    await this.send("bob", "inform", ["ada"], { ...about, content: "delivered" });
  }

  /** Ends the session, so that its names are free. */
  async end() {
    await this.call("bye", {});
    this.socket.destroy();
  }
}

/** Executes a test with a program that has the mailboxes of these agents. */
async function withProgram(agents, act) {
  const program = await new Program().begin(...agents);
  try {
    await act(program);
  } finally {
    await program.end();
  }
}

const address = (token) => `http://127.0.0.1:${server.port}/#messages?token=${token}`;

test("conversations are drawn as they happen, and violations are marked", async () => {
  await withProgram(["ada", "bob", "cleo"], async (program) => {
    await program.trade("before");
    await visit(address(TOKENS.observe), {}, async (page) => {
      const arrows = page.getByRole("option");
      await until(async () => (await arrows.count()) === 6, "the messages before are drawn");
      assert.deepEqual(await page.locator(".head").allTextContents(), ["ada", "bob", "cleo"]);
      assert.equal(await arrows.nth(0).locator(".shaft").count(), 2, "an arrow for each receiver");
      assert.equal(await page.locator(".arrow.breaks").count(), 1);
      assert.match(
        await page.locator(".arrow.breaks").getAttribute("aria-label"),
        /^inform from cleo to ada, conversation before, breaks a rule$/,
      );
      await program.trade("c<b>2</b>");
      await until(async () => (await arrows.count()) === 12, "new messages are drawn");
      await page.getByText("12 messages · 2 break a rule").waitFor();

      // Each filter selects, and the keyboard chooses a message.
      await page.getByRole("button", { name: "c<b>2</b> fipa-contract-net · 6 messages · ⚠ 1 violation" }).click();
      await until(async () => (await arrows.count()) === 6, "only one conversation is drawn");
      await page.getByRole("listbox").focus();
      for (let presses = 0; presses < 5; presses += 1) await page.keyboard.press("ArrowDown");
      const chosen = page.getByRole("option", { selected: true });
      assert.match(await chosen.getAttribute("aria-label"), /^inform from cleo/);
      assert.equal(
        await page.getByRole("listbox").getAttribute("aria-activedescendant"), await chosen.getAttribute("id"),
      );
      await page
        .locator(".violation", { hasText: "fipa-contract-net, Refused: `inform` by the participant" })
        .waitFor();
      await page.locator(".details pre", { hasText: "plums after all" }).waitFor();
      await page.getByLabel("Agent", { exact: true }).fill("bob");
      await until(async () => (await arrows.count()) === 4, "only the messages of bob are drawn");
      await page.getByRole("button", { name: "Show all" }).click();
      await until(async () => (await arrows.count()) === 12, "all are drawn");
      await page.getByLabel("Protocol").first().fill("fipa-request");
      await page.getByText("No message has been sent yet that the filter lets through.").waitFor();
    });
  });
});

test("a person writes to agents and reads their messages", async () => {
  await withProgram(["dora"], async (program) => {
    await visit(address(TOKENS.act), {}, async (page) => {
      await page.getByText("Watching conversations needs a token with the right to observe.").waitFor();
      await page.getByLabel("Your name").fill("dora");
      await page.getByRole("button", { name: "Open a mailbox" }).click();
      await page.locator(".trouble", { hasText: "dora" }).waitFor();
      await page.getByLabel("Your name").fill("emil");
      await page.keyboard.press("Enter");
      await page.getByText("You are emil.").waitFor();
      await page.getByLabel("Act").selectOption("query-ref");
      await page.getByLabel("To", { exact: true }).fill("dora");
      await page.getByLabel("Content").fill("plums?");
      await page.getByRole("button", { name: "Send" }).click();
      await page.locator(".letters .mine", { hasText: "plums?" }).waitFor();
      await until(async () => program.received.length === 1, "the message arrives");
      assert.deepEqual(program.received[0], {
        performative: "query-ref", sender: "emil", receivers: ["dora"], content: "plums?",
      });

      const about = {
        content: "<img src=x onerror=alert(1)> 12", conversationId: "c7", protocol: "fipa-query", replyWith: "w1",
        language: "English",
      };
      await program.send("dora", "query-if", ["emil"], about);
      await page.locator(".letters li", { hasText: "<img src=x onerror=alert(1)> 12" }).waitFor();
      await page.getByRole("button", { name: "Answer dora" }).click();
      await page.getByLabel("Act").selectOption("agree");
      await page.getByRole("button", { name: "Send" }).click();
      await until(async () => program.received.length === 2, "the answer arrives");
      const { performative, conversationId, protocol, inReplyTo, language } = program.received[1];
      assert.deepEqual(
        [performative, conversationId, protocol, inReplyTo, language], ["agree", "c7", "fipa-query", "w1", "English"],
      );

      await page.getByLabel("To", { exact: true }).fill("nobody");
      await page.getByRole("button", { name: "Send" }).click();
      await page.locator(".letters li:not(.mine)", { hasText: "not-registered" }).waitFor();
      await page.getByRole("button", { name: "Close the mailbox" }).click();
      await page.getByLabel("Your name").waitFor();
      await until(
        () => program.send("dora", "inform", ["emil"]).then(() => program.received.length >= 3),
        "the mailbox is closed",
      );
      assert.equal(program.received.at(-1).performative, "failure");
    });
  });
});

test("a mailbox that a person opens before the page is connected opens then", async () => {
  let connect = () => {};
  const prepare = (page) =>
    page.routeWebSocket(/\/ws$/, async (client) => {
      await new Promise((resolve) => (connect = () => resolve(undefined)));
      client.connectToServer();
    });
  await visit(address(BOTH), { prepare }, async (page) => {
    await page.getByLabel("Your name").fill("moe");
    await page.getByRole("button", { name: "Open a mailbox" }).dblclick();
    connect();
    await page.getByText("You are moe.").waitFor();
    assert.equal(await page.locator(".trouble").innerText(), "");
  });
});

test("a mailbox stays open while the page shows something else", async () => {
  await withProgram(["kim"], async (program) => {
    await visit(address(BOTH), {}, async (page) => {
      await page.getByLabel("Your name").fill("lea");
      await page.getByRole("button", { name: "Open a mailbox" }).click();
      await page.getByText("You are lea.").waitFor();
      await page.getByLabel("Content").fill("half a sen");
      await page.getByRole("link", { name: "Environments", exact: true }).click();
      await page.getByRole("heading", { name: "Environments", exact: true }).waitFor();
      const contents = Array.from({ length: 20 }, (_, number) => `letter ${number}`);
      for (const content of contents) await program.send("kim", "inform", ["lea"], { content });
      await page.getByRole("link", { name: "Messages" }).click();
      await page.locator(".letters").getByText("letter 19").waitFor();
      assert.deepEqual(await page.locator(".letter-content").allTextContents(), contents);
      assert.equal(await page.getByLabel("Content").inputValue(), "half a sen");
      assert(
        await page.locator(".letters").evaluate((list) => list.scrollTop + list.clientHeight > list.scrollHeight - 2),
        "the last one is in view",
      );
      assert.deepEqual(program.received, [], "no message was returned");
    });
  });
});

test("many agents and long contents remain readable and accessible, wide and on a phone, light and dark", async () => {
  const names = Array.from({ length: 40 }, (_, number) => `agent-with-a-long-name-${number}`);
  await withProgram(["ada", "bob", "cleo", ...names], async (program) => {
    await program.trade("market");
    await program.send("ada", "inform", ["ada"], { content: "a note to myself", conversationId: "notes" });
    for (const [size, settings] of Object.entries(SIZES)) {
      for (const colorScheme of ["light", "dark"]) {
        await visit(address(BOTH), { colorScheme, ...settings }, async (page) => {
          await page.getByRole("button", { name: /^market / }).click();
          await until(async () => (await page.getByRole("option").count()) === 6, "the conversation is drawn");
          await page.getByRole("listbox").focus();
          await page.keyboard.press("End");
          await page.keyboard.press("ArrowUp");
          await page.getByLabel("Your name").fill(`fay-${size}-${colorScheme}`);
          await page.getByRole("button", { name: "Open a mailbox" }).click();
          await page.getByText(`You are fay-${size}-${colorScheme}.`).waitFor();
          await assertFits(page);
          await assertAccessible(page);
          await page.evaluate(() => scrollTo(0, 0));
          await screenshot(page, `messages-${size}-${colorScheme}`);
        });
      }
    }
    for (const name of names) await program.send("ada", "inform", [name], { content: "x".repeat(5000) });
    await visit(address(TOKENS.observe), {}, async (page) => {
      await until(async () => (await page.getByRole("option").count()) > 40, "all messages are drawn");
      const heads = await page.locator(".head").allTextContents();
      assert.deepEqual([heads.length, heads.at(-1)], [30, "…"], "further agents share a line");
    });
  });
});

test("a mailbox and the conversations continue after the server is restarted", async () => {
  await withServer(ARGUMENTS, async (own) => {
    let program = await new Program(own).begin("ina");
    const page = await browser.newPage();
    // The browser itself complains about the lost connection.
    await page.goto(`http://127.0.0.1:${own.port}/#messages?token=${BOTH}`);
    await page.getByLabel("Your name").fill("jan");
    await page.getByRole("button", { name: "Open a mailbox" }).click();
    await page.getByText("You are jan.").waitFor();
    for (const content of ["one", "two"]) await program.send("ina", "inform", ["jan"], { content });
    await page.locator(".letters li", { hasText: "two" }).waitFor();
    await own.stop();
    await page.getByText("The connection to the server is lost").waitFor();
    await own.start();
    await page.getByText("The connection to the server is lost").waitFor({ state: "hidden", timeout: 60_000 });
    program = await new Program(own).begin("ina");
    await until(async () => {
      await program.send("ina", "inform", ["jan"], { content: "three" });
      return (await page.locator(".letters li", { hasText: "three" }).count()) > 0;
    }, "the mailbox is open again", 60_000);
    await page.locator(".arrow[aria-label='inform from ina to jan']").nth(2).waitFor({ state: "attached" });
    program.socket.destroy();
  });
});

test("the page draws the conversations of a recording", async () => {
  const folder = mkdtempSync(join(tmpdir(), "messages-"));
  await withServer(["find-goals", "--record", folder], async (recorded) => {
    const program = await new Program(recorded).begin("hal");
    await program.call("register", { environment: "find-goals", agent: "gus" });
    const about = { protocol: "fipa-request", conversationId: "r1" };
    await program.send("gus", "request", ["hal"], { ...about, content: "help" });
    await program.send("hal", "propose", ["gus"], about);
    await program.end();
  });
  const [file] = readdirSync(folder);
  await withReplay(join(folder, file), async (address) => {
    await visit(address, {}, async (page) => {
      await until(async () => (await page.getByRole("option").count()) === 2, "both messages are drawn");
      assert.deepEqual(await page.locator(".head").allTextContents(), ["gus", "hal"]);
      await page.locator(".arrow.breaks").click();
      await page.locator(".violation", { hasText: "legal acts are" }).waitFor();
    });
  });
  rmSync(folder, { recursive: true });
});
