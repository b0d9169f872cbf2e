// Visits to the page in tests: by a browser that is open while the tests of a file run, and on servers of their own.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { after, before } from "node:test";
import { addressOfServer, launch } from "./browser.js";
import { OwnServer } from "./own-server.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** @type {import("playwright-core").Browser} */
export let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** Settings of a window, wide and on a phone. */
export const SIZES = {
  wide: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

/** Settings of a small phone. */
export const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 3, hasTouch: true, isMobile: true };

/**
 * Opens the page, executes a test, and checks that there were no errors.
 * @param {string} address the part after the address of the server: `#/find-goals`
 * @param {object} settings of the browser's window; `prepare` is called with the page before it is loaded
 * @param {(page: import("playwright-core").Page) => Promise<void>} act
 */
export async function visit(address, { prepare = async () => {}, ...settings }, act) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 }, reducedMotion: "no-preference", ...settings,
  });
  const page = await context.newPage();
  /** @type {string[]} */
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error.stack)));
  try {
    await prepare(page);
    await page.goto(addressOfServer("SITUATED_URL", "find-goals with built-in agents that move slowly", address));
    await act(page);
    assert.deepEqual(complaints, [], "the browser complains");
  } finally {
    await context.close();
  }
}

/**
 * Lets a page import modules one by one; the server delivers all of them as one script. This is for `prepare`.
 * @param {import("playwright-core").Page} page
 */
export function offerModules(page) {
  const source = (/** @type {string} */ url) => new URL(`..${new URL(url).pathname}`, import.meta.url).pathname;
  return page.route(/\/(?!main\.js)[a-z-]+\.js$/, (route) => route.fulfill({ path: source(route.request().url()) }));
}

/**
 * Executes a test with a server of its own.
 * @param {string[]} args @param {(server: OwnServer) => Promise<void>} act
 */
export async function withServer(args, act) {
  const server = new OwnServer(args);
  try {
    await act(await server.start());
  } finally {
    await server.stop();
  }
}

/**
 * Executes a test with a server that shows a recording.
 * @param {string} recording @param {(address: string) => Promise<void>} act
 */
export async function withReplay(recording, act) {
  const replay = spawn(process.env.SITUATED_BINARY, ["replay", recording, "--page", "--port", "0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    const address = await new Promise((resolve, reject) => {
      createInterface({ input: replay.stderr }).on(
        "line", (line) => line.startsWith("Page: ") && resolve(line.replace("Page: ", "")),
      );
      replay.on("exit", (code) => reject(new Error(`the replay ended with ${code}`)));
    });
    await act(address);
  } finally {
    replay.kill();
  }
}

/** A server of its own for all tests of a file. @param {string[]} args */
export function serverForTests(args) {
  const server = new OwnServer(args);
  before(() => server.start());
  after(() => server.stop());
  return server;
}

/** Checks that axe finds nothing serious on a page. @param {import("playwright-core").Page} page */
export async function assertAccessible(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const findings = serious.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 5)
        .map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`)
        .join("\n  ")}`,
  );
  assert.deepEqual(findings, []);
}

/** Checks that the page does not scroll sideways. @param {import("playwright-core").Page} page */
export async function assertFits(page) {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert(width <= page.viewportSize().width, `the page is ${width} pixels wide`);
}
