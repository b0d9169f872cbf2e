// Measures how soon the page acknowledges a click of a player, while 29 other players act over the wire in ten
// environments. SITUATED_BINARY is the command `situated`, as it is released:
//
//     SITUATED_BINARY=../../target/release/situated node latency.js

import { connect } from "node:net";
import { createInterface } from "node:readline";
import { boxOf, launch } from "./browser.js";
import { OwnServer, TOKENS } from "./own-server.js";

const ENVIRONMENTS = 10;
const ROBOTS = 3;
const CLICKS = 300;
/** Time between two clicks, and between two actions of a player over the wire. */
const PAUSE_MS = 100;
const ROOMS = ["A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2", "C3"].map((name) => `Room${name}`);

/** A player over the wire, which gets its percepts and goes from room to room. */
class WirePlayer {
  answers = 0;
  notifications = 0;

  constructor(port, environment, entity) {
    const agent = `${environment}-${entity}`;
    const calls = [
      ["hello", { protocol: 2, role: "agent", token: TOKENS.act }],
      ["register", { environment, agent }],
      ["associate", { environment, agent, entity }],
      ["subscribe", { to: { percepts: { environment, agent } } }],
    ];
    this.socket = connect(port, "127.0.0.1");
    let id = 0;
    const call = (method, params) =>
      this.socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: (id += 1), method, params })}\n`);
    this.socket.on("connect", () => calls.forEach(([method, params]) => call(method, params)));
    createInterface({ input: this.socket }).on("line", (line) => {
      const { error, method } = JSON.parse(line);
      if (error) throw new Error(`${agent}: ${error.message}`);
      if (method) this.notifications += 1;
      else this.answers += 1;
    });
    const act = () =>
      call("act", {
        environment, agent, action: { name: "goTo", args: [ROOMS[Math.floor(Math.random() * ROOMS.length)]] },
      });
    setTimeout(() => (this.timer = setInterval(act, PAUSE_MS)), 500 + Math.random() * PAUSE_MS);
  }

  leave() {
    clearInterval(this.timer);
    this.socket.destroy();
  }
}

/**
 * Runs in the page: milliseconds from each click to the moment at which the page announces the action that the server
 * has accepted.
 */
function observe() {
  globalThis.delays = [];
  let clickedAt = null;
  addEventListener("click", ({ timeStamp }) => (clickedAt = timeStamp), { capture: true });
  new MutationObserver(() => {
    if (clickedAt === null) return;
    globalThis.delays.push(performance.now() - clickedAt);
    clickedAt = null;
  }).observe(document.querySelector("#announcements"), { childList: true, characterData: true, subtree: true });
}

const server = new OwnServer([...Array(ENVIRONMENTS).fill("bw4t"), "--param", `robots=${ROBOTS}`]);
const [browser] = await Promise.all([launch(), server.start()]);
const environments = Array.from({ length: ENVIRONMENTS }, (_, place) => (place === 0 ? "bw4t" : `bw4t-${place + 1}`));
const places = environments.flatMap((environment) =>
  Array.from({ length: ROBOTS }, (_, robot) => [environment, `Bot_${robot + 1}`]),
);
const players = places.slice(1).map(([environment, entity]) => new WirePlayer(server.port, environment, entity));
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(server.playerLink(...places[0]));
  await page.getByText(/^You are in/).waitFor();
  await page.evaluate(observe);
  const centers = [];
  for (const room of ROOMS) {
    const { x, y, width, height } = await boxOf(page.locator(`.place[data-name="${room}"]`));
    centers.push([x + width / 2, y + 0.7 * height]);
  }
  for (let click = 0; click < CLICKS; click += 1) {
    await page.mouse.click(...centers[click % centers.length]);
    await page.waitForTimeout(PAUSE_MS);
  }
  const delays = (await page.evaluate(() => globalThis.delays)).sort((one, other) => one - other);
  const at = (share) => `${delays[Math.floor(share * (delays.length - 1))].toFixed(1)} ms`;
  console.log(`${delays.length} of ${CLICKS} clicks acknowledged: p50 ${at(0.5)}, p95 ${at(0.95)}, longest ${at(1)}`);
  const sum = (count) => players.reduce((total, player) => total + player[count], 0);
  console.log(
    `meanwhile ${players.length} players over the wire in ${ENVIRONMENTS} environments:`,
    `${sum("answers")} answers, ${sum("notifications")} notifications`,
  );
} finally {
  players.forEach((player) => player.leave());
  await browser.close();
  await server.stop();
}
