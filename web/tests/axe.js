// What axe finds on a page.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Returns the serious findings of axe, in words. @param {import("playwright-core").Page} page @returns {Promise<string[]>} */
export async function seriousFindings(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return serious.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 5).map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`).join("\n  ")}`);
}
