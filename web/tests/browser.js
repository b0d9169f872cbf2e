// A browser for the tests: Debian's Chromium, without a window, on the page of the server at SITUATED_URL.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";

const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const SCREENSHOTS = new URL("screenshots/", import.meta.url).pathname;

/** The address of the server, which must run `find-goals` with built-in agents that move slowly. */
export function server() {
  const url = process.env.SITUATED_URL;
  assert(url, "set SITUATED_URL to the address of a server: http://127.0.0.1:7467/");
  return url;
}

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ARGUMENTS });
}

/**
 * Opens the page, executes a test, and checks that there were no errors.
 * @param {import("playwright-core").Browser} browser
 * @param {string} address the part after the address of the server: `#/find-goals`
 * @param {object} settings of the browser's window; `prepare` is called with the page before it is loaded
 * @param {(page: import("playwright-core").Page) => Promise<void>} act
 */
export async function visit(browser, address, { prepare = async () => {}, ...settings }, act) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "no-preference", ...settings });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  /** @type {string[]} */
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error.stack)));
  try {
    await prepare(page);
    await page.goto(new URL(address, server()).href);
    await act(page);
    assert.deepEqual(complaints, [], "the browser complains");
  } finally {
    await context.close();
  }
}

/** @param {import("playwright-core").Page} page @param {string} name */
export async function screenshot(page, name) {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: `${SCREENSHOTS}${name}.png` });
}

/** Waits until a condition is true. @param {() => Promise<boolean>} isSo @param {string} what @param {number} patience in ms */
export async function until(isSo, what, patience = 10_000) {
  const end = Date.now() + patience;
  while (!(await isSo())) {
    assert(Date.now() < end, `waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * Returns where an element is. The page may draw it anew at any time, and then it is nowhere for a moment.
 * @param {import("playwright-core").Locator} locator
 * @returns {Promise<{ x: number, y: number, width: number, height: number }>}
 */
export async function boxOf(locator) {
  let box = null;
  await until(async () => (box = await locator.boundingBox()) !== null, "the element is somewhere");
  return box;
}
