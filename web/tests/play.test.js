// The page as players use it, on a server that runs `bw4t` fast, with the entities of players.toml.

import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOfServer, boxOf, screenshot, until } from "./browser.js";
import { findObstacles } from "./obstacles.js";
import { call, choose, click, menu, openMenu, openText, play, said, titles, value } from "./person.js";
import { PHONE, assertFits, offerModules, visit } from "./visit.js";

/** The address of an environment with entities for people. */
const address = (environment = "bw4t") =>
  addressOfServer("SITUATED_PLAY_URL", "bw4t with players.toml", `#/${environment}`);

test("clicks send the robot to a free room, and fetch a block there", async () => {
  await visit(address(), {}, async (page) => {
    await play(page, "Human_1");
    await click(page, /^'RoomC1',/);
    await screenshot(page, "play-room");
    assert.deepEqual(await titles(page), ["Commands", "Tell", "Ask"]);
    await choose(page, "Go to RoomC1");
    await until(async () => (await value(page, "in")).includes("RoomC1"), "the robot is in the room");
    await click(page, /^G47,/);
    await screenshot(page, "play-block");
    await choose(page, "Go to the block");
    await until(async () => (await value(page, "atBlock")).split("\n").includes("47"), "the robot is at the block");
    await click(page, /^G47,/);
    await choose(page, "Pick up the block");
    await until(async () => (await value(page, "holding")) === "47", "the robot holds the block");
  });
});

test("clicks on the goal colour and on a hall open menus", async () => {
  await visit(address(), {}, async (page) => {
    await play(page, "Human_1");
    await click(page, /, which is 'Blue',/);
    assert.match(await menu(page).innerText(), /^Goal 1, Blue/);
    await choose(page, "Where is a Blue block?");
    await said(page, "action", "sendMessage all · Where is a Blue block?");
    await click(page, /^'LeftHallD',/);
    assert.match(await menu(page).innerText(), /^LeftHallD\s+Commands\s+Go to here/);
    await choose(page, "I am waiting outside");
    assert(await menu(page).getByRole("menuitem", { name: "I am waiting outside room RoomC1" }).isVisible());
    await page.keyboard.press("Escape");
    await choose(page, "Go to here");
    await until(async () => (await value(page, "at")) === "'LeftHallD'", "the robot is in the hall");
  });
});

test("people who play different entities read each other’s messages", async () => {
  await visit(address(), {}, async (page) => {
    await play(page, "Human_1");
    await visit(address(), {}, async (other) => {
      await play(other, "Bot_1");
      await openMenu(page);
      await choose(page, "Bot_1");
      await choose(page, "Go to");
      await screenshot(page, "play-message");
      await choose(page, "Bot_1 go to RoomA1");
      await said(other, "event", "message Human_1 · Bot_1 go to RoomA1");
      await openMenu(other);
      await screenshot(other, "play-answers");
      await choose(other, "I am on the way");
      await said(page, "event", "message Bot_1 · I am on the way");
    });
  });
});

test("users who share an entity request actions from its agents", async () => {
  await visit(address(), {}, async (page) => {
    await play(page, "Human_1");
    await visit(address(), {}, async (other) => {
      await play(other, "Human_1", "Join");
      await until(
        async () => (await page.locator("[data-part=who]").innerText()).includes(", with person-"),
        "both know of each other",
      );
      const was = await value(page, "location");
      await click(other, /^'RoomA1',/);
      await choose(other, "Go to RoomA1");
      await said(page, "event", "goTo RoomA1");
      assert.equal(await value(page, "location"), was, "the robot waits for its agents");
    });
    await until(
      async () => (await page.locator("[data-part=who]").innerText()) === "You play Human_1.", "the other one has left",
    );
  });
});

test("a colour-blind player sees no colours", async () => {
  await visit(address(), {}, async (page) => {
    await play(page, "Blind_1");
    await openText(page);
    const scene = page.locator(".as-text");
    await until(async () => (await scene.innerText()).includes("Dark_gray"), "the scene is that of the body");
    const colors = /Blue|Green|Yellow|Pink|Orange|Red|White/;
    assert.doesNotMatch(await scene.innerText(), colors);
    await click(page, /'Dark_gray',/);
    assert.match(await menu(page).innerText(), /^Goal 1, Unknown/);
    assert.doesNotMatch(await menu(page).innerText(), colors);
    await screenshot(page, "play-colour-blind");
    await page.keyboard.press("Escape");
    await click(page, /^'RoomB1',/);
    assert.doesNotMatch(await menu(page).innerText(), colors);
  });
});

test("the keyboard alone can play", async () => {
  await visit(address(), {}, async (page) => {
    await page.locator("tr[data-entity=Human_1]").waitFor();
    await tabTo(page, "Control Human_1 here");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Stop playing" }).waitFor();
    await tabTo(page, "Menu", "Shift+Tab");
    await page.keyboard.press("Enter");
    await menu(page).waitFor();
    assert.equal(await focused(page), "Somebody");
    await page.keyboard.press("ArrowRight");
    await menu(page).getByRole("menuitem", { name: "Human_1: Somebody (back)", exact: true }).waitFor();
    await page.keyboard.press("ArrowDown");
    assert.match(await focused(page), /will you be long/);
    await page.keyboard.press("Escape");
    assert.equal(await focused(page), "Somebody", "the menu is where it was");
    await page.keyboard.press("Escape");
    assert.equal(await focused(page), "Menu", "the focus is where it was");
    await tabTo(page, "The scene as text");
    await page.keyboard.press("Enter");
    await tabTo(page, /^'LeftHallD',/);
    await page.keyboard.press("Enter");
    await menu(page).waitFor();
    assert.equal(await focused(page), "Go to here");
    await page.keyboard.press("Enter");
    assert.match(await focused(page), /^'LeftHallD',/, "the focus is where it was");
    await until(async () => (await value(page, "at")) === "'LeftHallD'", "the robot is in the hall");
  });
});

test("errors are shown where the user has pointed, and in forms", async () => {
  await visit(address(), PHONE, async (page) => {
    await play(page, "Human_1");
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.locator(".name .state", { hasText: "paused" }).waitFor();
    await click(page, /^'RoomC1',/);
    await screenshot(page, "play-phone");
    await choose(page, "Go to RoomC1");
    await page.locator(".reply", { hasText: "paused" }).waitFor();
    await screenshot(page, "play-phone-refused");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.locator(".name .state", { hasText: "running" }).waitFor();
    await openMenu(page);
    await choose(page, "Actions");
    await choose(page, /^pickUp\(/);
    await page.getByLabel("block", { exact: true }).fill("3");
    await page.getByRole("button", { name: "Act" }).click();
    await page.locator("dialog .trouble", { hasText: "sees no block 3" }).waitFor();
  });
});

test("after playing, the entity is free and the whole scene is shown", async () => {
  await visit(address(), {}, async (page) => {
    await play(page, "Human_1");
    await page.getByRole("button", { name: "Stop playing" }).click();
    await page.getByRole("row", { name: /^Human_1 human free/ }).waitFor();
    await openText(page);
    await page.locator(".as-text li", { hasText: /^G47,/ }).waitFor();
    assert.equal(await page.locator(".as-text button").count(), 0);
  });
});

test("without menus, the page offers the declared actions", async () => {
  await visit(address(), {}, async (page) => {
    await call(page, "createEnvironment", { kind: "find-goals", environment: "maze", start: true });
    await page.goto(address("maze"));
    await play(page, "red");
    await page.locator("canvas").click();
    await menu(page).waitFor();
    assert.deepEqual(await titles(page), ["Actions"]);
    await choose(page, "up");
    await said(page, "action", "up");
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`menus have no accessibility problems in the ${colorScheme} scheme`, async () => {
    await visit(address(), { colorScheme }, async (page) => {
      await play(page, "Human_1");
      await openText(page);
      await click(page, /, which is 'Blue',/);
      assert.deepEqual(await page.evaluate(findObstacles), []);
      await screenshot(page, `play-goal-${colorScheme}`);
      await choose(page, "We need a Blue block");
      await openMenu(page);
      await choose(page, "Somebody");
      assert.deepEqual(await page.evaluate(findObstacles), []);
    });
  });
}

test("a menu fits on the smallest screens", async () => {
  await visit(address(), { viewport: { width: 320, height: 480 }, hasTouch: true }, async (page) => {
    await play(page, "Human_1");
    await openMenu(page);
    await screenshot(page, "play-small");
    const { x, y, width, height } = await boxOf(menu(page));
    assert(x >= 0 && y >= 0 && x + width <= 320 && y + height <= 480, `${[x, y, width, height]}`);
    await assertFits(page);
  });
});

test("submenus stay within the window, with a visible way back", async () => {
  await visit(address(), { prepare: offerModules }, async (page) => {
    const [inWindow, wayBack] = await page.evaluate(goFarIntoMenu);
    assert(inWindow, "it reaches beyond the window");
    assert(wayBack, "the way back is beyond its edge");
  });
});

test("losing the entity closes its menu and dialog, and another can be taken", async () => {
  await visit(address(), {}, async (page) => {
    await play(page, "Human_1");
    await openMenu(page);
    await call(page, "free", { environment: "bw4t", entity: "Human_1" });
    await page.locator(".reply", { hasText: "You no longer have Human_1." }).waitFor();
    assert.equal(await menu(page).count(), 0);
    assert.equal(await focused(page), "Control Human_1 here");
    await play(page, "Human_1");
    await openMenu(page);
    await choose(page, "Actions");
    await choose(page, /^pickUp\(/);
    await page.getByLabel("block", { exact: true }).fill("3");
    await call(page, "free", { environment: "bw4t", entity: "Human_1" });
    await page.locator(".reply", { hasText: "You no longer have Human_1." }).waitFor();
    await page.getByRole("button", { name: "Act" }).click();
    await page.locator("dialog .trouble", { hasText: "You no longer play." }).waitFor();
    assert.equal(await page.locator(".deeds li.action").count(), 0);
  });
});

function focused(page) {
  return page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
}

async function tabTo(page, name, key = "Tab") {
  const isThere = async () =>
    name instanceof RegExp ? name.test(await focused(page)) : (await focused(page)) === name;
  for (let tabs = 0; !(await isThere()); tabs += 1) {
    assert(tabs < 80, `${name} is out of reach`);
    await page.keyboard.press(key);
  }
}

/** Goes from a short menu near the bottom into a long one, and from the end of that into another. Runs in the page. */
async function goFarIntoMenu() {
  const { MenuView } = await import("./play/menu-view.js");
  const view = new MenuView(document.body);
  const choices = Array.from({ length: 60 }, (_, number) => ({ label: `choice ${number}`, act: () => {} }));
  const long = { title: "long", entries: [...choices, { title: "longer", entries: choices }] };
  view.open("", [{ title: "", entries: [long] }], { x: 0, y: innerHeight - 100 });
  const top = (button) => button.getBoundingClientRect().top;
  const goIntoLast = () => {
    view.buttons().at(-1).focus();
    view.buttons().at(-1).click();
  };
  goIntoLast();
  const inWindow = view.root.getBoundingClientRect().bottom <= innerHeight;
  goIntoLast();
  return [inWindow, top(view.buttons()[0]) >= top(view.root)];
}
