// A server of a test's own, so that the test can set tokens, stop it, and start it again.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { createInterface } from "node:readline";

export const TOKENS = {
  act: "token-of-the-players", observe: "token-of-the-observers", manage: "token-of-the-managers",
};

export class OwnServer {
  /** @param {string[]} args the arguments of `situated serve` */
  constructor(args) {
    assert(process.env.SITUATED_BINARY, "set SITUATED_BINARY to the command `situated`");
    this.args = args;
  }

  async start() {
    this.port ??= await freePort();
    const tokens = Object.entries(TOKENS).flatMap(([right, token]) => ["--token", `${right}=${token}`]);
    const args = ["serve", ...this.args, ...tokens, "--port", String(this.port), "--log-level", "error"];
    this.process = spawn(process.env.SITUATED_BINARY, args, { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve, reject) => {
      this.process.stdout.on("data", (data) => String(data).includes("Page:") && resolve());
      this.process.on("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    });
    return this;
  }

  async stop() {
    const { process } = this;
    if (!process || process.exitCode !== null) return;
    process.removeAllListeners("exit");
    const ended = new Promise((resolve) => process.on("exit", resolve));
    process.kill();
    await ended;
  }

  /** The address of a player's page, with the token that only lets it act. */
  playerLink(environment, entity) {
    return `http://127.0.0.1:${this.port}/#/${environment}/${entity}/play?token=${TOKENS.act}`;
  }

  /** The address of a page: `bw4t`, or `make/bw4t/map`. */
  page(path = "") {
    return `http://127.0.0.1:${this.port}/#${path.startsWith("make/") ? "" : "/"}${path}`;
  }

  /** Makes calls in one session with a right. Returns the answer to the last one. */
  async call(right, ...calls) {
    const role = right === "act" ? "agent" : "observer";
    const all = [["hello", { protocol: 2, role, token: TOKENS[right] }], ...calls];
    const socket = connect(this.port, "127.0.0.1");
    try {
      return await new Promise((resolve, reject) => {
        socket.on("error", reject);
        socket.on("connect", () =>
          all.forEach(([method, params], id) =>
            socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`),
          ),
        );
        createInterface({ input: socket }).on("line", (line) => {
          const { id, result, error } = JSON.parse(line);
          if (error) reject(new Error(`${all[id]?.[0]}: ${error.message}`));
          else if (id === all.length - 1) resolve(result);
        });
      });
    } finally {
      socket.destroy();
    }
  }

  /** The whole scene, as only an observer sees it: where things really are. */
  async shapes(environment) {
    const { scene } = await this.call("observe", ["scene", { environment }]);
    return scene.shapes;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
