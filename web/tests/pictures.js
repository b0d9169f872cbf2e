// Makes the pictures of the page for participants and of the map editor in the book:
//
//     SITUATED_BINARY=../../target/debug/situated node pictures.js

import { readFileSync } from "node:fs";
import { launch } from "./browser.js";
import { OwnServer, TOKENS } from "./own-server.js";

const BOOK = new URL("../../docs/src/", import.meta.url).pathname;
const TEAM = readFileSync(new URL("players.toml", import.meta.url), "utf8");

const server = new OwnServer([]);
const [browser] = await Promise.all([launch(), server.start()]);
try {
  const game = {
    kind: "bw4t", environment: "game", parameters: { team: TEAM }, speed: 200, start: true,
    agents: [{ entity: "Bot_1", agent: "team" }],
  };
  await server.call("manage", ["createEnvironment", game]);
  const open = async (address) => {
    const page = await browser.newPage({ viewport: { width: 1000, height: 640 }, colorScheme: "light" });
    await page.goto(address);
    return page;
  };
  const player = await open(server.playerLink("game", "Human_1"));
  await player.getByText(/^You are in/).waitFor();
  // The robot may be in one of these rooms.
  for (const room of ["RoomC1", "RoomB1", "RoomC2"]) {
    await player.locator(`.place[data-name="${room}"]`).click();
    if (await player.locator(".thing").first().waitFor({ timeout: 8000 }).then(() => true, () => false)) break;
  }
  await player.getByLabel("Write to the team").fill("Bot_1, are you close");
  await player.locator(".parse", { hasText: "Understood" }).waitFor();
  await player.keyboard.press("Enter");
  await player.locator(".talk .message.mine ~ .message", { hasText: "Bot_1" }).first().waitFor();
  await player.screenshot({ path: `${BOOK}participant.png` });

  const editor = await open(server.page(`make/bw4t/map?token=${TOKENS.manage}`));
  await editor.getByLabel("Begin with a map").selectOption("Rainbow");
  await editor.getByText("all 6 colours of the sequence can be delivered").waitFor();
  await editor.locator(".map-canvas [aria-label^='RoomB2,']").click();
  await editor.screenshot({ path: `${BOOK}map-editor.png` });
} finally {
  await browser.close();
  await server.stop();
}
