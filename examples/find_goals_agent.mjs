// An agent for Find the Goals that uses only the modules of Node.js; examples/find_goals_agent.py can be its partner.
//
//     situated serve find-goals & node examples/find_goals_agent.mjs ENTITY STEPS [ADDRESS:PORT]
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const [entity, steps, given] = process.argv.slice(2);
const address = new URL((given ?? process.env.SITUATED_URL ?? "127.0.0.1:7467").replace(/^(tcp:\/\/)?/, "tcp://"));
const socket = connect(Number(address.port), address.hostname);
const lines = createInterface({ input: socket })[Symbol.asyncIterator]();

/** Calls the server and waits for the answer. Without subscriptions, the server sends no other messages. */
async function call(method, params = {}) {
  socket.write(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) + "\n");
  const { value } = await lines.next();
  const { result, error } = JSON.parse(value ?? '{"error": {"message": "the server closed the connection"}}');
  if (!result) throw new Error(`${method}: ${error?.message ?? value}`);
  return result;
}

/** Returns the next action, and how long the walker has waited in its alcove for the other one to pass. */
function decide(sees, waited) {
  const [ahead, behind] = entity === "red" ? ["east", "northWest"] : ["west", "northEast"];
  const [onwards, back] = entity === "red" ? ["right", "left"] : ["left", "right"];
  if (sees.west === "wall" && sees.east === "wall") {
    const hasPassed = sees[behind] === "other";
    return hasPassed || (waited === 0 && entity === "red") ? ["up", 0] : ["wait", (waited + 1) % 16];
  }
  if (sees[ahead] !== "other") return [onwards, 1];
  // The two walkers block each other: one of them must give way.
  return [sees.south === "free" ? "down" : [onwards, back][Math.floor(Math.random() * 2)], 1];
}

const [environment, agent, sees] = ["find-goals", `${entity}-in-javascript`, {}];
await call("hello", { protocol: 2, role: "agent" });
await call("register", { environment, agent });
await call("associate", { environment, agent, entity });
// Wait until the partner has connected.
while (!(await call("listEntities", { environment })).entities.every((one) => one.agents.length)) await sleep(100);
let [{ perceptions }, waited, won] = [await call("perceive", { environment, agent }), 0, 0];
for (let step = 0, action; step < steps; step++) {
  for (const percept of perceptions[0].add ?? []) sees[percept.args[0]] = percept.args[1];
  [action, waited] = decide(sees, waited);
  [{ perceptions }] = (await call("step", { environment, agents: [{ agent, action: { name: action } }] })).agents;
  for (const event of perceptions[0].events ?? []) won += event.args[0];
}
console.log(`${entity} has seen both win ${won} points in ${steps} steps.`);
await call("bye");
