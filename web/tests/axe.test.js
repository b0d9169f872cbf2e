// axe finds nothing serious on any page, in light and dark, wide and on a phone.

import { test } from "node:test";
import { TOKENS } from "./own-server.js";
import { SIZES, assertAccessible, serverForTests, visit } from "./visit.js";

const TEAM = new URL("players.toml", import.meta.url).pathname;

/**
 * The pages: where they are, and when they are complete.
 * @type {{ [name: string]: [string, (page: import("playwright-core").Page) => Promise<unknown>] }}
 */
const PAGES = {
  "the list": ["", (page) => page.locator(".card").first().waitFor()],
  "an environment": ["bw4t/Human_1", (page) => page.locator(".percepts dt").first().waitFor()],
  "the ontology": [
    "bw4t",
    async (page) => {
      await page.locator(".reference").getByText("Ontology", { exact: true }).click();
      await page.locator(".fields").first().waitFor();
    },
  ],
  "a new environment": [
    "",
    async (page) => {
      await page.getByRole("button", { name: "New environment of kind bw4t" }).click();
      await page.getByText("Advanced").click();
    },
  ],
  "a player": [
    "bw4t/Human_1/play",
    async (page) => {
      await page.getByText(/^You are in/).waitFor();
      await page.locator(".place[data-name=RoomC1]").click();
      await page.locator(".thing").first().waitFor();
      await page.getByRole("button", { name: "I am in room RoomC1" }).click();
      await page.locator(".talk .mine").waitFor();
    },
  ],
  "the map editor": [
    "make/bw4t/map",
    async (page) => {
      await page.getByText("all 2 colours of the sequence can be delivered").waitFor();
      await page.locator(".map-canvas [aria-label^='Room1,']").focus();
      await page.getByRole("button", { name: "Remove block 1, Red" }).waitFor();
    },
  ],
  "the team editor": [
    "make/bw4t/team",
    async (page) => {
      await page.getByText("3 robots and 0 e-partners").waitFor();
      await page.getByRole("button", { name: "Add an e-partner" }).click();
      await page.getByText("3 robots and 1 e-partner").waitFor();
    },
  ],
  "a class": [
    "make/bw4t/class",
    async (page) => {
      await page.getByLabel("Human_1 is driven by").waitFor();
      await page.getByRole("button", { name: "Create games" }).click();
      await page.locator("tbody tr").first().waitFor();
    },
  ],
  "the links of a class": [
    "make/bw4t/class",
    async (page) => {
      await page.getByLabel("Human_1 is driven by").waitFor();
      await page.getByRole("button", { name: "Create games" }).click();
      await page.locator("tbody tr").first().waitFor();
      await page.getByRole("button", { name: "Links for students" }).click();
      await page.locator("#class-links").waitFor();
    },
  ],
  "a player who has left": [
    "bw4t/Human_1/play",
    async (page) => {
      await page.getByText(/^You are in/).waitFor();
      await page.getByRole("button", { name: "Stop playing" }).click();
      await page.getByText("You gave Human_1 back.").waitFor();
    },
  ],
};

const server = serverForTests(["bw4t", "--team", TEAM, "--speed", "300", "--grace", "1"]);

for (const [name, [path, complete]] of Object.entries(PAGES)) {
  for (const [size, settings] of Object.entries(SIZES)) {
    for (const colorScheme of ["light", "dark"]) {
      test(`axe finds nothing serious in ${name}, ${size}, ${colorScheme}`, async () => {
        const right = path.endsWith("/play") ? "act" : "manage";
        await visit(server.page(`${path}?token=${TOKENS[right]}`), { colorScheme, ...settings }, async (page) => {
          await complete(page);
          await assertAccessible(page);
        });
      });
    }
  }
}
