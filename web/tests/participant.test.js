// The page of a player, as people use it, with a token that only lets them act. What is true is what an observer sees.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import { visitBetween } from "./between.js";
import { addressOfServer, boxOf, screenshot, until } from "./browser.js";
import { TOKENS } from "./own-server.js";
import { SIZES, assertFits, browser, serverForTests, visit, withServer } from "./visit.js";

const TEAM = new URL("players.toml", import.meta.url).pathname;
const ARGUMENTS = ["bw4t", "--team", TEAM, "--speed", "300", "--grace", "1"];
const server = serverForTests(ARGUMENTS);
beforeEach(async () => {
  await server.call(
    "manage", ["manage", { environment: "bw4t", command: { reset: {} } }],
    ["manage", { environment: "bw4t", command: "start" }],
  );
});

function play(entity, act, settings = {}) {
  return visit(server.playerLink("bw4t", entity), settings, async (page) => {
    await place(page, "RoomA1").waitFor();
    await page.getByText(/^You are in the hall/).waitFor();
    await act(page);
  });
}

function place(page, name) {
  return page.locator(`.place[data-name="${name}"]`);
}

function state(page) {
  return page.locator("[data-part=state]");
}

/** Whether an entity really stands in a place. */
async function isIn(entity, room) {
  const shapes = await server.shapes("bw4t");
  const body = shapes.find(({ standsFor, role }) => standsFor === entity && role === "entity").outline.rectangle;
  const { x, y, width, height } = shapes.find(({ standsFor, role }) => standsFor === room && role === "place").outline
    .rectangle;
  const [left, bottom] = [body.x + body.width / 2, body.y + body.height / 2];
  return left > x && left < x + width && bottom > y && bottom < y + height;
}

async function loadOf(entity) {
  const shapes = await server.shapes("bw4t");
  return shapes.filter(({ standsFor, role }) => standsFor === entity && role === "entity").length - 1;
}

async function goTo(page, entity, room) {
  await place(page, room).click();
  await until(() => isIn(entity, room), `${entity} is in ${room}`);
}

test("one click goes to a room, another fetches a block, and a button puts it down", async () => {
  await play("Human_1", async (page) => {
    assert.equal(new URL(page.url()).hash, "#/bw4t/Human_1/play", "the token is not in the address");
    await page.getByText("Click in the picture to act").waitFor();
    await screenshot(page, "participant-first");
    await goTo(page, "Human_1", "RoomC1");
    await state(page).getByText("You are in RoomC1. You carry nothing.").waitFor();
    assert.equal(await page.locator(".tip").isVisible(), false, "the first click has taught itself");
    const thing = page.locator('.thing[aria-label="G47"]');
    await thing.click();
    await page.waitForTimeout(300);
    if ((await loadOf("Human_1")) === 0) {
      await page.getByText("You are in RoomC1. You carry nothing.").waitFor();
      await thing.click();
    }
    await until(async () => (await loadOf("Human_1")) === 1, "the robot really holds a block");
    await state(page).getByText("You carry a Green block").waitFor();
    await screenshot(page, "participant-carries");
    await page.getByRole("button", { name: "Put down the block" }).click();
    await until(async () => (await loadOf("Human_1")) === 0, "the robot holds nothing");
    await page.getByRole("button", { name: /^Pick up the Green block/ }).waitFor();
  });
});

test("a player sees only what the entity perceives", async () => {
  await play("Human_1", async (page) => {
    assert.equal(await page.locator(".thing").count(), 0, "blocks in rooms that it has not seen");
    assert.equal(await page.locator(".place.hatched").count(), 9);
    await goTo(page, "Human_1", "RoomC1");
    await page.locator(".thing").first().waitFor();
    assert.equal(await page.locator(".place.hatched").count(), 8);
    const seen = await page.locator(".thing").count();
    await goTo(page, "Human_1", "RoomC2");
    await until(
      async () => (await page.locator(".past").locator("g.past").count()) === seen,
      "blocks of the other room are faded",
    );
    await screenshot(page, "participant-remembers");
    await page.getByRole("button", { name: "Stop playing" }).click();
    await page.getByText("You gave Human_1 back.").waitFor();
    assert.equal(await page.locator(".drawing:visible").count(), 0, "the map is gone");
    await screenshot(page, "participant-left");
    await page.getByRole("button", { name: "Play again" }).click();
    await place(page, "RoomA1").waitFor();
    await until(async () => (await page.locator(".drawing:visible").count()) === 1, "it plays again");
  });
});

test("even a session that may do everything is shown only what the entity perceives", async () => {
  await visit(addressOfServer("SITUATED_PLAY_URL", "bw4t", "#/bw4t"), {}, async (page) => {
    await page.getByRole("button", { name: "Human_1", exact: true }).click();
    await page.getByRole("link", { name: "Play Human_1" }).click();
    await place(page, "RoomA1").waitFor();
    await state(page).getByText(/You are/).waitFor();
    for (const hidden of [".pane.entities", ".timeline", ".reference", ".management", ".percepts", ".masthead"]) {
      assert.equal(await page.locator(`${hidden}:visible`).count(), 0, hidden);
    }
    const others = page.locator(".entities .entity:not(.oneself):not(.past)");
    await until(async () => (await others.count()) === 2, "it sees the others in the hall");
    await place(page, "RoomC1").click();
    await state(page).getByText("You are in RoomC1").waitFor();
    await until(async () => (await others.count()) === 0, "it sees nobody from the room");
  });
});

test("two people talk in English, by buttons and by typing, and see what is understood", async () => {
  await play("Human_1", async (ann) => {
    await play("Bot_1", async (bob) => {
      await goTo(ann, "Human_1", "RoomC1");
      await ann.getByRole("button", { name: "I am in room RoomC1" }).click();
      await bob.locator(".talk .message", { hasText: "Human_1I am in room RoomC1" }).waitFor();
      await bob.getByRole("button", { name: "OK", exact: true }).click();
      await ann.locator(".talk .message", { hasText: "Bot_1OK" }).waitFor();
      await bob.getByLabel("Write to the team").fill("whats in room c2??");
      await bob.locator(".parse", { hasText: "Only people will understand this." }).waitFor();
      await bob.getByLabel("Write to the team").fill("what is in RoomC2");
      await bob.locator(".parse", { hasText: "Understood: What is in room RoomC2?" }).waitFor();
      await screenshot(bob, "participant-parse");
      await bob.keyboard.press("Enter");
      await ann.locator(".talk .message", { hasText: "Bot_1What is in room RoomC2?" }).waitFor();
      await ann.getByRole("button", { name: "I don't know" }).waitFor();
      await screenshot(ann, "participant-asked");
    });
  });
});

test("a built-in robot answers a person, and has the same sign in the scene and in the talk", async () => {
  const environment = "mixed";
  const create = {
    kind: "bw4t", environment, parameters: { team: readFileSync(TEAM, "utf8") }, speed: 300,
    agents: [{ entity: "Bot_1", agent: "team" }],
  };
  await server.call("manage", ["createEnvironment", create]);
  try {
    await visit(server.playerLink(environment, "Human_1"), {}, async (page) => {
      const robot = page.locator('.entity[data-name="Bot_1"]');
      await robot.waitFor();
      const sign = await robot.locator("text").textContent();
      const color = await robot.locator(".body").evaluate((body) => body.style.fill);
      await screenshot(page, "participant-signs");
      await server.call("manage", ["manage", { environment, command: "start" }]);
      await page.getByLabel("Write to the team").fill("Bot_1, are you close");
      await page.locator(".parse", { hasText: "Understood: Bot_1, are you close?" }).waitFor();
      await page.keyboard.press("Enter");
      const answer = page.locator(".talk .message.mine ~ .message", {
        hasText: /Bot_1(no$|I am (almost there|on the way|far away)|.*delayed)/i,
      });
      await answer.waitFor();
      assert.equal(await answer.locator(".dot").textContent(), sign);
      assert.equal(await answer.locator(".dot").evaluate((dot) => dot.style.background), color);
      await screenshot(page, "participant-answered");
    });
  } finally {
    await server.call("manage", ["removeEnvironment", { environment }]);
  }
});

test("robots in sight are told apart by colour and sign", async () => {
  await play("Human_1", async (page) => {
    await until(async () => (await page.locator(".entity").count()) === 3, "three robots stand in the hall");
    const looks = await page
      .locator(".entity")
      .evaluateAll((all) =>
        all.map((one) => [one.querySelector("text").textContent, one.querySelector(".body").style.fill]),
      );
    assert.equal(new Set(looks.map(([sign]) => sign)).size, 3);
    assert.equal(new Set(looks.map(([, color]) => color)).size, 3);
    assert.equal(await page.locator(".entity.oneself .halo").count(), 1);
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`fingers play on a phone in the ${colorScheme} scheme`, async () => {
    await play(
      "Human_1",
      async (page) => {
        await place(page, "RoomC1").tap();
        await until(() => isIn("Human_1", "RoomC1"), "the robot is in the room");
        await page.locator(".thing").first().waitFor();
        await page.waitForTimeout(300);
        await screenshot(page, `participant-phone-${colorScheme}`);
        await assertFits(page);
        const sizes = await page
          .locator(".here .chip")
          .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
        assert(sizes.length > 0 && Math.min(...sizes) >= 44, `blocks of ${sizes} pixels`);
        const block = page.locator(".here .chip").first();
        await until(async () => {
          if ((await loadOf("Human_1")) === 1) return true;
          await block.tap();
          await page.waitForTimeout(500);
          return (await loadOf("Human_1")) === 1;
        }, "taps fetch the block");
      },
      { ...SIZES.phone, colorScheme },
    );
  });
}

test("the keyboard alone plays, and screen readers are told", async () => {
  await play("Human_1", async (page) => {
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
    await until(async () => /^(Room|DropZone)/.test(await focused()), "the focus is in the scene");
    const labels = await page.locator(".place[role=button]").evaluateAll((all) => all.map((one) => one.dataset.name));
    assert.equal(new Set(labels).size, labels.length, "each place once");
    for (let presses = 0; !(await focused()).startsWith("RoomC2"); presses += 1) {
      assert(presses < 20, `the focus is at ${await focused()}`);
      await page.keyboard.press(
        (await focused()).startsWith("RoomC1")
          ? "ArrowRight"
          : /DropZone|RoomC/.test(await focused())
            ? "ArrowUp"
            : "ArrowDown",
      );
      if ((await focused()).startsWith("RoomC3")) await page.keyboard.press("ArrowLeft");
    }
    await page.keyboard.press("Enter");
    await until(() => isIn("Human_1", "RoomC2"), "the robot is in the room");
    await page.locator("[role=status]", { hasText: "You are in RoomC2." }).waitFor();
    assert.match(await place(page, "RoomC2").getAttribute("aria-label"), /^RoomC2, you are here, with /);
    const things = page.locator(".thing[role=button]");
    const before = await things.count();
    await things.first().focus();
    await page.keyboard.press("Enter");
    await until(async () => (await loadOf("Human_1")) === 1, "the robot holds a block");
    await until(async () => (await things.count()) < before, "it is no longer in the room");
    assert.equal(
      await page.evaluate(() => document.activeElement?.closest("svg") !== null), true, "the focus stays in the scene",
    );
  });
});

test("a lost entity, a new episode and a restarted server say what happened", async () => {
  await play("Human_1", async (page) => {
    await server.call("manage", ["free", { environment: "bw4t", entity: "Human_1" }]);
    await page.getByText("You no longer have Human_1").waitFor();
    assert.equal(await page.locator(".drawing:visible").count(), 0);
    await screenshot(page, "participant-lost");
    const announced = page.locator("#announcements");
    await announced.evaluate((place) => place.replaceChildren());
    await page.getByRole("button", { name: "Play again" }).click();
    await announced.getByText("You play Human_1.").waitFor({ state: "attached" });
    await server.call(
      "manage", ["manage", { environment: "bw4t", command: { reset: {} } }],
      ["manage", { environment: "bw4t", command: "start" }],
    );
    await goTo(page, "Human_1", "RoomB1");
  });
  await withServer(ARGUMENTS, async (own) => {
    const page = await browser.newPage();
    await page.goto(own.playerLink("bw4t", "Human_1"));
    await state(page).getByText(/You are/).waitFor();
    await own.stop();
    await page.getByText(/The connection to the server is lost/).first().waitFor();
    await screenshot(page, "participant-no-connection");
    await own.start();
    await page.getByText("The server was restarted; you play again.").waitFor();
    await until(async () => {
      const { entities } = await own.call("observe", ["listEntities", { environment: "bw4t" }]);
      return entities.find(({ entity }) => entity === "Human_1").agents.length === 1;
    }, "the player has the entity again");
  });
});

test("a player whose connection is lost at the beginning plays when it is there again", async () => {
  await withServer(["find-goals"], async (own) => {
    let isFirst = true;
    const changeSent = ({ method }, socket) => {
      if (method === "describe" && isFirst) socket.close({ code: 1001 });
      isFirst &&= method !== "describe";
    };
    await visitBetween(own.playerLink("find-goals", "red"), { changeSent }, async (page) => {
      await page.getByRole("button", { name: "up", exact: true }).waitFor();
      await until(async () => !(await page.locator(".trouble").innerText()), "nothing is wrong");
    });
  });
});

test("a player who is not told what to do learns why", async () => {
  const changeSent = ({ method, params }) => {
    if (method === "describe") params.environment = "nowhere";
  };
  await visitBetween(server.playerLink("bw4t", "Human_1"), { changeSent }, async (page) => {
    await page.getByText("You cannot play Human_1 now: there is no environment nowhere").waitFor();
    await page.getByRole("button", { name: "Play again" }).waitFor();
  });
});

test("a completed task shows a banner with the score to players and observers until the next episode", async () => {
  await withServer(
    ["bw4t", "--param", "robots=3", "--agents", "builtin", "--speed", "1000", "--paused", "--grace", "1"],
    async (own) => {
      await visit(own.playerLink("bw4t", "Bot_1"), {}, async (page) => {
        await state(page)
          .getByText(/You are/)
          .waitFor();
        await visit(`${own.page("bw4t")}?token=${TOKENS.observe}`, {}, async (watched) => {
          await watched.locator(".name .state", { hasText: "paused" }).waitFor();
          await own.call("manage", ["manage", { environment: "bw4t", command: "start" }]);
          const banner = page.locator(".verdict", { hasText: "Well done: the task is completed" });
          await banner.waitFor({ timeout: 60_000 });
          await banner.getByText("Score").click();
          await banner.getByRole("row", { name: /^team/ }).waitFor();
          const { outcome } = await own.call("observe", ["outcome", { environment: "bw4t" }]);
          assert.equal(outcome.results.find(({ of, name }) => of === "team" && name === "completed").value, true);
          await page.getByText("6 of 6").waitFor();
          await screenshot(page, "participant-completed");
          await watched.locator(".name .state", { hasText: "completed" }).waitFor();
          const { y } = await boxOf(watched.locator(".results"));
          assert(y < 400, `the results are ${y} pixels down`);
          await screenshot(watched, "environment-completed");
          await own.call("manage", ["manage", { environment: "bw4t", command: { reset: {} } }]);
          await watched.locator(".name .state", { hasText: "paused" }).waitFor();
          await banner.waitFor({ state: "hidden" });
          await page.getByText("0 of 6").waitFor();
        });
      });
    },
  );
});

test("a task that cannot be completed any more ends in a banner", async () => {
  const map = new URL("two-blocks.map", import.meta.url).pathname;
  await withServer(["bw4t", "--param", `map=${map}`, "--speed", "300", "--grace", "1"], async (own) => {
    await visit(own.playerLink("bw4t", "Bot_1"), {}, async (page) => {
      await page.getByText(/^You are in/).waitFor();
      await place(page, "Room1").click();
      await state(page).getByText("You are in Room1").waitFor();
      const block = page.locator(".thing").first();
      await until(async () => {
        await block.click({ timeout: 500 }).catch(() => {});
        return state(page).getByText("You carry a Red block").isVisible();
      }, "it has the only red block");
      const { x, y, width, height } = await boxOf(place(page, "Room1"));
      await page.mouse.click(x + width / 2, y + 1.5 * height);
      await state(page).getByText("You are in the hall").waitFor();
      await page.getByRole("button", { name: "Put down the block" }).click();
      const banner = page.locator(".verdict", { hasText: "The task can no longer be completed" });
      await banner.waitFor();
      const { outcome } = await own.call("observe", ["outcome", { environment: "bw4t" }]);
      assert.equal(outcome.results.find(({ name }) => name === "solvable").value, false);
      await screenshot(page, "participant-unsolvable");
    });
  });
});

test("an episode that ends without success has failed", async () => {
  await withServer(["wumpus", "--grace", "1"], async (own) => {
    await visit(own.playerLink("wumpus", "caveExplorer"), {}, async (page) => {
      await page.getByRole("button", { name: "Climb out" }).click();
      const banner = page.locator(".verdict", { hasText: "The task has failed" });
      await banner.getByText("It ended before everything was done.").waitFor();
      const { outcome } = await own.call("observe", ["outcome", { environment: "wumpus" }]);
      assert.equal(outcome.ending, "terminated");
      assert.equal(outcome.results.find(({ name }) => name === "gold").value, 0);
      await screenshot(page, "participant-failed");
      await visit(`${own.page("wumpus")}?token=${TOKENS.observe}`, {}, async (watched) => {
        await watched.locator(".name .state", { hasText: "failed" }).waitFor();
      });
    });
  });
});

test("where people cannot write, the page has no field for it, and choices stand beside the scene", async () => {
  for (const [kind, parameters, entity, hasChoices] of [
    ["wumpus", [], "caveExplorer", false], ["blocks-world", [], "gripper", true],
  ]) {
    await withServer([kind, ...parameters, "--grace", "1"], async (own) => {
      await visit(own.playerLink(kind, entity), {}, async (page) => {
        await page.locator(`.participant${hasChoices ? ":not(.silent)" : ".silent"}`).waitFor();
        assert.equal(await page.getByLabel("Write to the team").isVisible(), false);
        assert.equal(await page.getByRole("heading", { name: "Events and choices" }).isVisible(), hasChoices);
        await screenshot(page, `participant-${kind}`);
      });
    });
  }
});

test("an environment without menus is played with the buttons and keys of its actions", async () => {
  await withServer(["find-goals", "--param", "view=global", "--grace", "1"], async (own) => {
    await visit(own.playerLink("find-goals", "red"), {}, async (page) => {
      const place = async () =>
        (await own.shapes("find-goals")).find(({ standsFor }) => standsFor === "red").outline.rectangle;
      const was = await place();
      await page.getByRole("button", { name: "up", exact: true }).waitFor();
      await screenshot(page, "participant-without-menus");
      await until(async () => {
        for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]) {
          await page.keyboard.press(key);
          await page.waitForTimeout(100);
          const { x, y } = await place();
          if (x !== was.x || y !== was.y) return true;
        }
        return false;
      }, "the walker has moved");
    });
  });
});
