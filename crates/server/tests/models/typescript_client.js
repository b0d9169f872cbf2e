// The official client for TypeScript plays in environments, with nothing but the tools that it gets:
// typescript_client.js FIND_GOALS_URL BW4T_URL. In Find the Goals, blue is played by the built-in agent.
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** A seat in an environment: calls tools and returns their data. */
async function join(url, entity) {
  const client = new Client({ name: "situated-tests", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  let seat = {};
  const call = async (name, args = {}) => {
    const answer = await client.callTool({ name, arguments: { ...seat, ...args } });
    assert.ok(!answer.isError, `${name}: ${answer.content[0].text}`);
    return answer.structuredContent;
  };
  const joined = await call("join", entity ? { entity } : {});
  seat = { seat: joined.seat };
  return { client, call, joined };
}

async function findGoal(url) {
  const { client, call, joined } = await join(url, "red");
  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map((prompt) => prompt.name), ["play"]);
  const { messages } = await client.getPrompt({ name: "play" });
  assert.match(messages[0].content.text, /narrow maze[^]*Call `join` first/);
  let holds = joined.holds;
  let reward = 0;
  for (let step = 0; reward <= 0; step++) {
    assert.ok(step < 100, "red has not reached its goal");
    const action = holds.includes("see(east,free)") ? "right" : holds.includes("see(north,free)") ? "up" : "wait";
    const { happened } = await call(action);
    reward = Number(/^reward\((.*)\)$/.exec(happened.find((percept) => percept.startsWith("reward(")))[1]);
    ({ holds } = await call("look"));
  }
  await call("leave");
  await client.close();
}

async function deliverBlock(url) {
  const { client, call } = await join(url);
  const told = (await call("look")).holds.join(" ");
  const wanted = /sequence\(\['(\w+)/.exec(told)[1];
  const rooms = [...told.matchAll(/place\('(Room\w\d)'\)/g)].map((match) => match[1]);
  const go = async (place) => {
    await call("goTo", { place });
    assert.ok((await call("wait_until", { percept: `in(${place})`, seconds: 30 })).met, `not in ${place}`);
  };
  let block = null;
  for (const room of rooms) {
    await go(room);
    const seen = (await call("look", { about: "color" })).holds.join(" ");
    block = new RegExp(`color\\((\\d+),'${wanted}'\\)`).exec(seen);
    if (block) break;
  }
  const number = Number(block[1]);
  await call("goToBlock", { block: number });
  await call("wait_until", { percept: `atBlock(${number})`, seconds: 30 });
  await call("pickUp", { block: number });
  await go("DropZone");
  await call("putDown");
  const [index] = (await call("look", { about: "sequenceIndex" })).holds;
  assert.equal(index, "sequenceIndex(1)");
  await client.close();
}

const [findGoals, bw4t] = process.argv.slice(2);
await findGoal(findGoals);
await deliverBlock(bw4t);
console.log("The official client for TypeScript has played.");
