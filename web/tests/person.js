// Actions of a person who plays an entity on the page.

import { boxOf } from "./browser.js";

/** Takes an entity on the page of the environment. */
export async function play(page, body, word = "Control") {
  await page.getByRole("button", { name: body, exact: true }).click();
  await page.getByRole("button", { name: `${word} ${body} here` }).click();
  await page.getByRole("button", { name: "Stop playing" }).waitFor();
}

export function menu(page) {
  return page.getByRole("menu");
}

export async function openMenu(page) {
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await menu(page).waitFor();
}

/** The titles of the menu. */
export async function titles(page) {
  return menu(page).locator("h3").allInnerTexts();
}

export async function choose(page, name) {
  await menu(page).getByRole("menuitem", { name, exact: true }).first().click();
}

/** Clicks or taps at a position from the scene's text. */
export async function click(page, line) {
  const [x, y] = await placeOf(page, line);
  const canvas = page.locator("canvas");
  const [, width, height] = /: ([\d.]+) by ([\d.]+) units/.exec(await canvas.getAttribute("aria-label")) ?? [];
  await canvas.scrollIntoViewIfNeeded();
  const box = await boxOf(canvas);
  const scale = Math.min(box.width / Number(width), box.height / Number(height));
  const position = {
    x: box.width / 2 + (x - Number(width) / 2) * scale, y: box.height / 2 - (y - Number(height) / 2) * scale,
  };
  await canvas.click({ position });
  await menu(page).waitFor();
}

export async function openText(page) {
  const text = page.locator(".as-text");
  if (!(await text.evaluate((details) => details.open))) await text.locator("summary").click();
}

/** Returns the position of a shape from the scene's text. */
export async function placeOf(page, line) {
  await openText(page);
  const found = await page.locator(".as-text li", { hasText: line }).first().innerText();
  const [, x, y] = /at ([\d.-]+), ([\d.-]+)$/.exec(found) ?? [];
  return [Number(x), Number(y)];
}

/** Returns the shown percepts with a name. */
export async function value(page, percept) {
  const texts = await page.locator(`.percepts dt:text-is("${percept}") + dd .value`).allInnerTexts();
  return texts.join("\n");
}

/** Waits until an action or event is shown beside the scene. */
export async function said(page, kind, text) {
  await page.locator(`.deeds li.${kind}`, { hasText: text }).first().waitFor();
}

/** Makes a call as another client. */
export async function call(page, method, params) {
  return JSON.parse(await page.evaluate(callFromPage, [method, params])).result;
}

function callFromPage(call) {
  const socket = new WebSocket(new URL("ws", location.href.replace(/^http/, "ws").replace(/#.*/, "")));
  const calls = [["hello", { protocol: 2, role: "observer" }], call];
  return new Promise((resolve) => {
    socket.addEventListener("open", () => {
      calls.forEach(([method, params], id) => socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params })));
    });
    socket.addEventListener("message", ({ data }) => {
      if (JSON.parse(data).id !== 1) return;
      socket.close();
      resolve(data);
    });
  });
}
