// A browser for the tests: Debian's Chromium, without a window.

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

/**
 * The address of a page on the server of a variable.
 * @param {string} variable @param {string} what the server runs @param {string} page
 */
export function addressOfServer(variable, what, page) {
  const url = process.env[variable];
  assert(url, `set ${variable} to the address of a server that runs ${what}`);
  return new URL(page, url).href;
}

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ARGUMENTS });
}

/** @param {import("playwright-core").Page} page @param {string} name */
export async function screenshot(page, name) {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: `${SCREENSHOTS}${name}.png` });
}

/**
 * Waits until a condition is true.
 * @param {() => Promise<boolean>} isSo @param {string} what @param {number} patience in ms
 */
export async function until(isSo, what, patience = 30_000) {
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
