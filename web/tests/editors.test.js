// The map editor and the team editor, on the page of a server that runs `bw4t`.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { addressOfServer, boxOf, screenshot, until } from "./browser.js";
import { SIZES, assertFits, offerModules, visit } from "./visit.js";

const address = (hash) => addressOfServer("SITUATED_PLAY_URL", "bw4t", hash);

const zones = (page) => page.locator(".map-canvas [data-part^=zones]:not([data-part*=doors])");
const zone = (page, name) => page.locator(`.map-canvas [data-part^=zones][aria-label^="${name},"]`);

/** The text of the file that a button saves. */
async function saved(page, button) {
  const [download] = await Promise.all([
    page.waitForEvent("download"), page.getByRole("button", { name: button }).click(),
  ]);
  return readFileSync(await download.path(), "utf8");
}

async function openMap(page, name) {
  await page.getByLabel("Begin with a map").selectOption(name);
  await page.getByText(`Opened ${name.toLowerCase().replace(" ", "-")}.map`).waitFor({ state: "attached" });
  assert.equal(await zones(page).count(), 28);
}

/** The map with the sizes of its zones, without what the editor does not change. */
async function change(page) {
  return JSON.parse(
    await page.evaluate(() =>
      JSON.stringify(
        [...document.querySelectorAll(".map-canvas [data-part]")].map((part) => part.getAttribute("aria-label")),
      ),
    ),
  );
}

test("every shipped map is opened and saved without loss", async () => {
  await visit(address("#make/bw4t/map"), { prepare: offerModules }, async (page) => {
    for (const name of ["Rainbow", "Banana", "Dutch Flag", "Random", "SuperRandom"]) {
      await openMap(page, name);
      const shipped = await page.evaluate(async (map) => {
        const { Session } = await import("./protocol/session.js");
        const { examine } = await import("./editors/document-check.js");
        const session = new Session(new URL("ws", location.href).href.replace("http", "ws").replace(/#.*/, ""), null);
        session.connect();
        await new Promise((done) =>
          session.addEventListener("standing", () => session.standing.phase === "greeted" && done(null)),
        );
        const { forms } = await examine(session, "bw4t", "map", { map });
        session.leave();
        return forms.find(({ format }) => format === "xml").text;
      }, name);
      await until(
        async () =>
          (await page.locator(".map-canvas [data-part^=spawns]").count()) === (name === "SuperRandom" ? 10 : 3),
        "its starting points are shown",
      );
      assert.equal(await saved(page, "Save"), shipped, name);
    }
  });
});

test("a file with every feature of the format is opened and saved without loss", async () => {
  const features = `<newMap><area><x>40.5</x><y>30</y></area>
    <entities><name>one &amp; two</name><position><x>15.25</x><y>15</y></position><type>JAVA</type></entities>
    <oneBotPerCorridorZone>true</oneBotPerCorridorZone>
    <randomBlocks>2</randomBlocks>
    <randomSequence>1</randomSequence>
    <seed>-9007199254740993</seed>
    <sequence>CYAN</sequence>
    <zones><name>Hall &lt;1&gt;</name><type>CORRIDOR</type>
      <boundingbox><x>15</x><y>15</y><width>30</width><height>10</height></boundingbox>
      <neighbours>R</neighbours><neighbours>DropZone</neighbours>
      <renderOptions><labelVisible>false</labelVisible></renderOptions></zones>
    <zones><name>R</name><type>ROOM</type>
      <boundingbox><x>5</x><y>5</y><width>10</width><height>10</height></boundingbox><blocks>CYAN</blocks>
      <doors><position><x>5</x><y>10</y></position></doors><doors><position><x>10</x><y>5</y></position>
      <orientation>VERTICAL</orientation></doors></zones>
    <zones><name>DropZone</name><type>ROOM</type>
      <boundingbox><x>15</x><y>25</y><width>10</width><height>10</height></boundingbox>
      <doors><position><x>15</x><y>20</y></position></doors></zones>
    <zones><name>C</name><type>CHARGINGZONE</type>
      <boundingbox><x>35</x><y>15</y><width>10</width><height>10</height></boundingbox>
      <neighbours>Hall &lt;1&gt;</neighbours></zones>
    <zones><name>B</name><type>BLOCKADE</type>
      <boundingbox><x>35</x><y>25</y><width>3</width><height>3</height></boundingbox></zones></newMap>`;
  const path = join(tmpdir(), `features-${process.pid}.map`);
  writeFileSync(path, features);
  await visit(address("#make/bw4t/map"), {}, async (page) => {
    await page.locator("input[type=file]").setInputFiles(path);
    await until(async () => (await zones(page).count()) === 5, "the file is open");
    const first = await saved(page, "Save");
    for (const kept of [
      "-9007199254740993", "one &amp; two", "JAVA", "Hall &lt;1&gt;", "<labelVisible>false", "<x>40.5</x>", "VERTICAL",
      "<randomBlocks>2", "<oneBotPerCorridorZone>true",
    ]) {
      assert(first.includes(kept), `${kept} is kept in ${first}`);
    }
    writeFileSync(path, first);
    await page.locator("input[type=file]").setInputFiles(path);
    await until(async () => (await zones(page).count()) === 5, "the saved file is open");
    assert.equal(await saved(page, "Save"), first);
  });
});

test("a map is made by mouse, with undo and redo, and played at once", async () => {
  await visit(address("#make/bw4t/map"), {}, async (page) => {
    await page.getByText("all 2 colours of the sequence can be delivered").waitFor();
    await screenshot(page, "map-editor");
    const before = await change(page);
    await page.getByRole("button", { name: "Add room" }).click();
    const room = page.locator(".map-canvas .part.selected > rect").first();
    const from = await boxOf(room);
    await page.mouse.move(from.x + from.width / 4, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(from.x + from.width / 4, from.y + from.height * 1.8, { steps: 4 });
    await page.mouse.up();
    await page.locator(".findings [data-severity=error]", { hasText: "Room4" }).first().waitFor();
    await screenshot(page, "map-editor-error");
    const moved = await change(page);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    assert.deepEqual(await change(page), before);
    await page.keyboard.press("Control+y");
    await page.keyboard.press("Control+y");
    assert.deepEqual(await change(page), moved);
    await page.locator(".findings button", { hasText: "Room4" }).first().click();
    await page.keyboard.press("Delete");
    await page.getByText("all 2 colours of the sequence can be delivered").waitFor();
    await zone(page, "Room1").click();
    await page.getByRole("button", { name: "Remove block 1, Red" }).click();
    await page.getByText("blocks are missing in the rooms: 1 red").waitFor();
    await page.getByRole("button", { name: "Add block Red" }).click();
    await page.getByText("all 2 colours of the sequence can be delivered").waitFor();
    await page.getByRole("button", { name: "Play it" }).click();
    await page.waitForURL(/#\/bw4t/);
    await page.locator(".scene canvas, canvas").first().waitFor();
  });
});

test("the names of zones fit into the zones", async () => {
  await visit(address("#make/bw4t/map"), {}, async (page) => {
    await openMap(page, "Rainbow");
    const excess = await zones(page).evaluateAll((all) =>
      all.filter((one) => {
        const [zone, name] = ["rect", "text"].map((part) => one.querySelector(part).getBoundingClientRect());
        return name.width > zone.width || name.height > zone.height;
      }).length,
    );
    assert.equal(excess, 0);
  });
});

test("a zone is moved, resized and removed by keyboard alone", async () => {
  await visit(address("#make/bw4t/map"), {}, async (page) => {
    await zone(page, "Room1").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("Shift+ArrowRight");
    const values = () =>
      Promise.all(["x", "y", "width", "height"].map((field) => page.locator(`[data-field=${field}]`).inputValue()));
    assert.deepEqual(await values(), ["6", "6", "12", "10"]);
    const count = await zones(page).count();
    await page.keyboard.press("Delete");
    assert.equal(await zones(page).count(), count - 1);
  });
});

test("a zone is resized by its handle, and its doors stay on its border", async () => {
  await visit(address("#make/bw4t/map"), {}, async (page) => {
    await zone(page, "Room3").click();
    const handle = await boxOf(page.locator(".map-canvas [data-handle='1'] > rect"));
    await page.mouse.move(handle.x + handle.width / 2, handle.y + handle.height / 2);
    await page.mouse.down();
    await page.mouse.move(handle.x + 60, handle.y - 60, { steps: 3 });
    await page.mouse.up();
    const [x, width] = await Promise.all(
      ["x", "width"].map(async (field) => Number(await page.locator(`[data-field=${field}]`).inputValue())),
    );
    assert(width > 10 && x === 20 + width / 2, `${x}, ${width}`);
    await page.getByText("all 2 colours of the sequence can be delivered").waitFor();
    assert.equal(await page.locator(".findings [data-severity=error]").count(), 0);
  });
});

test("random filling is repeatable by its seed", async () => {
  await visit(address("#make/bw4t/map"), {}, async (page) => {
    await openMap(page, "Random");
    const fill = async (seed) => {
      await openMap(page, "Banana");
      await openMap(page, "Random");
      await until(async () => (await page.locator(".map-canvas .block").count()) === 0, "it is empty");
      await page.getByLabel("Seed", { exact: true }).fill(String(seed));
      await page.keyboard.press("Tab");
      await page.getByRole("button", { name: "Fill now" }).click();
      await until(async () => (await page.locator(".map-canvas .block").count()) === 28, "it is filled");
      return saved(page, "Save");
    };
    const first = await fill(3);
    assert.equal(await fill(3), first);
    assert.notEqual(await fill(4), first);
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`the map editor on a phone, ${colorScheme}, by touch`, async () => {
    await visit(address("#make/bw4t/map"), { ...SIZES.phone, colorScheme }, async (page) => {
      await openMap(page, "Rainbow");
      await zone(page, "RoomB2").scrollIntoViewIfNeeded();
      const box = await boxOf(zone(page, "RoomB2"));
      await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height * 0.4);
      await page.locator(".part.selected[aria-label^='RoomB2,']").waitFor();
      const drag = await page.context().newCDPSession(page);
      const at = (dx, dy) => [{ x: box.x + box.width / 2 + dx, y: box.y + box.height * 0.4 + dy }];
      await drag.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0, 0) });
      for (const step of [1, 2, 3, 4])
        await drag.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(0, 5 * step) });
      await drag.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
      assert(Number(await page.locator("[data-field=y]").inputValue()) > 35, "it has moved down");
      await assertFits(page);
      await screenshot(page, `map-editor-phone-${colorScheme}`);
    });
  });
}

test("a team is made, saved as TOML and XML, opened again, exported and started", async () => {
  await visit(address("#make/bw4t/team"), {}, async (page) => {
    await page.getByText("3 robots and 0 e-partners").waitFor();
    await page.getByRole("button", { name: "Add robot: Big communicator" }).click();
    await page.getByRole("button", { name: "Add an e-partner" }).click();
    await page.getByLabel("GPS: knows its position and the rooms").check();
    await page.getByText("4 robots and 1 e-partner").waitFor();
    await page.getByText("it has 4 robots, and the map has 3 starting points").waitFor();
    await page.getByLabel("The team plays on").selectOption("SuperRandom");
    await page.getByText("starting points").waitFor({ state: "detached" });
    const big = page.locator("fieldset", { hasText: "BigCommunicator" });
    assert.deepEqual(
      await Promise.all(
        ["Colour-blind", "Gripper works", "Size differs"].map((label) => big.getByLabel(label).isChecked()),
      ),
      [true, false, true],
    );
    await screenshot(page, "team-editor");
    const toml = await saved(page, "Save as TOML");
    assert.match(toml, /name = "BigCommunicator"\s+amount = 1\s+size = 5/);
    const xml = await saved(page, "Save as XML");
    assert.match(xml, /<botController>HUMAN<\/botController>[^]*<sizeOverloadHandicap>true<[^]*<gps>true</);
    for (const [name, text] of [["team.toml", toml], ["team.xml", xml]]) {
      const path = join(tmpdir(), `${process.pid}-${name}`);
      writeFileSync(path, text);
      await page.getByRole("button", { name: "Remove Human" }).click();
      await page.getByText("3 robots and 1 e-partner").waitFor();
      await page.locator("input[type=file]").setInputFiles(path);
      await page.getByText("4 robots and 1 e-partner").waitFor();
      assert.equal(await saved(page, "Save as TOML"), toml, name);
    }
    const [project] = await Promise.all([
      page.waitForEvent("download"), page.getByRole("button", { name: "Export for GOAL" }).click(),
    ]);
    assert.equal(project.suggestedFilename(), "team.mas2g");
    assert.match(
      readFileSync(await project.path(), "utf8"), /when \[type = human, max = 1\]@env do launch robot : robot\./,
    );
    await page.getByRole("button", { name: "Start" }).click();
    await page.waitForURL(/#\/bw4t/);
    await page.getByText("BigCommunicator_1").first().waitFor();
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`the team editor on a phone, ${colorScheme}`, async () => {
    await visit(address("#make/bw4t/team"), { ...SIZES.phone, colorScheme }, async (page) => {
      await page.getByText("3 robots and 0 e-partners").waitFor();
      await assertFits(page);
      await screenshot(page, `team-editor-phone-${colorScheme}`);
    });
  });
}
