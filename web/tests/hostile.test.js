// Hosts are untrusted, but declare names, documentation and scenes. The page shows them without freezing or misleading
// users.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { visitBetween } from "./between.js";
import { addressOfServer, until } from "./browser.js";
import { assertFits, browser, offerModules, visit } from "./visit.js";

const ADDRESS = "#/find-goals";

/** Maximum time for which any declaration of a host may block the page. */
const PATIENCE_MS = 3000;

test("parsing documentation takes linear time", async () => {
  const fences = Array.from({ length: 180 }, (_, length) => "`".repeat(length + 1)).join(" ");
  const texts = [
    "`", "` ``", "*", "**a ", "*a", "**a *b", "[", "[a", "](", "[a](", "[a](b ", "[](", "![", "#", "- ", "1", "1. ",
    "> ", "\\", "<", "\n`", "\n-",
  ];
  await visit(ADDRESS, { prepare: offerModules }, async (page) => {
    const slow = await page.evaluate(renderAll, [
      fences, ...texts.map((text) => text.repeat(20_000)), `- ${" ".repeat(19_000)}x\u2028y`,
    ]);
    assert.deepEqual(slow, [], "these are slow");
  });
});

test("documentation shows paragraphs, lists, code, emphasis, links, and the hosts of links", async () => {
  const text = [
    "# Title",
    "A *word*, **two words** and `code *as it is*`; ``a ` in code``.",
    "It goes on: 2 * 3 * 4 is **not strong, * at all, and `this is no code.",
    "",
    "- one",
    "- [two](https://example.org/a?b=c) and [three](javascript:alert(1))",
    "",
    "1. [https://example.org](https://evil.example/)",
    "",
    "```",
    "*code*",
    "```",
  ].join("\n");
  await visit(ADDRESS, { prepare: offerModules }, async (page) => {
    assert.equal(
      await page.evaluate(renderToHtml, text),
      '<p class="subheading">Title</p>' +
        "<p>A <em>word</em>, <strong>two words</strong> and <code>code *as it is*</code>; <code>a ` in code</code>. " +
        "It goes on: 2 * 3 * 4 is **not strong, * at all, and `this is no code.</p>" +
        '<ul><li>one</li><li><span><a href="https://example.org/a?b=c" rel="noopener noreferrer">two</a> (example.org)</span> and three)</li></ul>' +
        '<ol><li><span><a href="https://evil.example/" rel="noopener noreferrer">https://example.org</a> (evil.example)</span></li></ol>' +
        "<pre><code>*code*</code></pre>",
    );
  });
});

test("the page stays responsive with a hostile ontology", async () => {
  const changeReceived = ({ result }) => {
    if (result?.ontology) Object.assign(result.ontology, hostileOntology(result.ontology));
  };
  await visitBetween(ADDRESS, { changeReceived }, async (page) => {
    await page.locator(".reference summary").click();
    await page.locator(".reference .chapter").first().waitFor();
    await answers(page);
    assert.equal(await page.locator("img, .reference a[href^=javascript]").count(), 0);
    await page.getByRole("button", { name: "Reset" }).click();
    await page.getByRole("dialog").waitFor();
    await answers(page);
  });
});

test("the page connects to no other server", async () => {
  let connections = 0;
  const other = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise((resolve) => other.listen(0, "127.0.0.1", () => resolve(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (other.address());
  // Not by `visit`: the browser writes each refusal to the console.
  const page = await browser.newPage();
  try {
    await page.goto(addressOfServer("SITUATED_URL", "find-goals", ADDRESS));
    await page.locator(".entities tbody tr").first().waitFor();
    const refused = await page.evaluate(async (port) => {
      /** @param {() => void} attempt */
      const refusal = (attempt) =>
        new Promise((resolve) => {
          document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective), {
            once: true,
          });
          setTimeout(() => resolve("it is not refused"), 10_000);
          attempt();
        });
      return [
        await refusal(() => new WebSocket(`ws://127.0.0.1:${port}/ws`)),
        await refusal(() => new WebSocket(`wss://127.0.0.1:${port}/ws`)),
        await refusal(() => void fetch(`http://127.0.0.1:${port}/`).catch(() => {})),
      ];
    }, port);
    assert.deepEqual(refused, ["connect-src", "connect-src", "connect-src"]);
    assert.equal(connections, 0);
  } finally {
    await page.close();
    other.close();
  }
});

test("hostile names are shown as text, and do not look like others", async () => {
  const names = [
    "<img src=x onerror=alert(1)>", "__proto__", "constructor", "\u202egnp.eert", "red\u200b", "blue\u200f",
    "re\u00add", "a\u0000b\u001b[31m", "x".repeat(256), "[click](https://evil.example)",
  ];
  const changeReceived = ({ method, params }) => {
    if (method === "happenings" && params.resync) {
      for (const name of names)
        params.happenings.push({ new: { entity: name, entityType: name } }, { taken: { entity: name, agent: name } });
    }
  };
  await visitBetween(ADDRESS, { changeReceived }, async (page) => {
    await until(async () => (await page.locator(".entities tbody tr").count()) === 2 + names.length, "all are there");
    const shown = await page.locator(".entities tbody th").allInnerTexts();
    assert.equal(new Set(shown).size, shown.length, shown.join("\n"));
    assert(shown.every((name) => !/[\u0000-\u001f\u00ad\u200b\u200f\u202e]/.test(name)), shown.join("\n"));
    for (const row of await page.locator(".entities tbody tr button").all()) await row.click();
    assert.equal(await page.locator("img, .notice a, main a[href*=evil]:not([href^='#'])").count(), 0);
    await assertFits(page);
    await answers(page);
  });
});

test("the page stays responsive with many entities and percepts", async () => {
  const changeReceived = ({ method, params }) => {
    const count = 5000;
    if (method === "happenings" && params.resync) {
      for (let number = 0; number < count; number += 1)
        params.happenings.push({ new: { entity: `entity${number}`, entityType: "walker" } });
    }
    if (method === "activity" && params.perception?.resync) {
      params.perception.add = Array.from({ length: count }, (_, number) => ({
        name: `percept${number}`, args: [number],
      }));
    }
  };
  await visitBetween(`${ADDRESS}/red`, { changeReceived }, async (page) => {
    await page.locator(".percepts dt").first().waitFor();
    await page.locator(".entities tbody tr").first().waitFor();
    await answers(page);
    const names = await page.locator(".percepts dt").allInnerTexts();
    assert.deepEqual(names, names.toSorted());
  });
});

test("the page stays responsive with any shapes in a scene", async () => {
  const far = 1e308;
  const outlines = [
    { circle: { x: 1, y: 1, radius: -3 } },
    { circle: { x: far, y: -far, radius: far } },
    { rectangle: { x: 5, y: 1, width: -4, height: -4 } },
    { rectangle: { x: -far, y: -far, width: far, height: far } },
    { line: [] },
    { line: Array.from({ length: 100_000 }, (_, place) => [place % 9, place % 3]) },
  ];
  const shapes = outlines.map((outline) => ({
    outline, color: [9, 9, 9], standsFor: "red", label: "wide ".repeat(4_000),
  }));
  for (const [width, height] of [
    [10, 4], [1e-300, 1], [1, 1e-300], [1e300, 1e300], [-1, 5],
  ]) {
    let isTold = false;
    const changeReceived = ({ method, params }) => {
      if (method !== "scene") return;
      // As many as fit into a frame.
      Object.assign(params, {
        width, height, count: shapes.length, shapes: isTold ? [] : shapes.map((shape, place) => [place, shape]),
      });
      isTold = true;
    };
    await visitBetween(`${ADDRESS}/red`, { changeReceived }, async (page, between) => {
      await until(async () => between.received.some(({ method }) => method === "scene"), "the scene arrives");
      if (width < 0) {
        await page.getByText("This environment has no scene.").waitFor();
      } else {
        await page.locator("canvas").hover({ position: { x: 20, y: 20 } });
        await page.locator(".as-text summary").click();
      }
      await answers(page);
      const { width: wide, height: high } = await page
        .locator("canvas")
        .evaluate(({ width, height }) => ({ width, height }));
      assert(wide * high < 3e7, `the canvas has ${wide} by ${high} pixels`);
    });
  }
});

/** Waits until the page has painted, and checks that this takes little time. */
async function answers(page) {
  const begin = Date.now();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  const busy = Date.now() - begin;
  assert(busy < PATIENCE_MS, `the page was busy for ${busy} ms`);
}

function hostileOntology({ entityTypes, types }) {
  const ticks = "`".repeat(4000);
  const markup = "<img src=x onerror=alert(1)> [x](javascript:alert(1)) ";
  const chain = Array.from({ length: 1000 }, (_, number) => [
    `t${number}`, { documentation: ticks, type: { named: `t${number + 1}` } },
  ]);
  const circle = { documentation: markup, type: { named: "round" } };
  const named = ["__proto__", "constructor", "round", "t0", "nowhere"];
  const parameters = named.map((name) => ({ name, type: { named: name }, documentation: ticks, optional: true }));
  const action = { name: "a", documentation: markup.repeat(1000), parameters };
  return {
    documentation: `${ticks}\n\n${markup}\n\n${"*a* ".repeat(100_000)}`,
    parameters,
    types: { ...types, ...Object.fromEntries(chain), round: circle },
    entityTypes: [
      ...entityTypes, { name: "\u202e<b>", documentation: ticks, actions: Array(50).fill(action), percepts: [] },
    ],
  };
}

/** Renders each of the texts, and returns the beginnings of those that take too long. Runs in the page. */
async function renderAll(texts) {
  const { render, renderLine } = await import("./page/markdown.js");
  return texts.filter((text) => {
    const begin = performance.now();
    render(text);
    renderLine(text);
    return performance.now() - begin > 1000;
  }).map((text) => text.slice(0, 20));
}

/** Runs in the page. */
async function renderToHtml(text) {
  const { render } = await import("./page/markdown.js");
  return render(text).map(({ outerHTML }) => outerHTML).join("");
}
