/** A socket that says what a script tells it to. */

import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const OK = {
  "session.start": { recovery: null, checkpoint: null, trace_id: "t" },
  "session.prompt": { status: "no_result", context: null, recovery: null, hits: [] },
  "session.turn": { accepted: true },
  "session.compact": { checkpoint: null },
  "session.reset": { archived: null },
  "session.end": { archived: null },
  "subagent.end": { unsurfaced: 1 },
};

export const reply = (message, result) => ({ jsonrpc: "2.0", id: message.id, result });
export const refusal = (message, code, text = "no") => ({
  jsonrpc: "2.0",
  id: message.id,
  error: { code, message: text },
});

/** An answer to everything; `results` replaces those of single methods. */
export const polite =
  (results = {}) =>
  (message) =>
    reply(message, results[message.method] ?? OK[message.method]);

export class Daemon {
  constructor(path) {
    this.path = path;
    this.heard = [];
    this.sockets = new Set();
    this.connections = 0;
  }

  /** `script(message, socket)` returns an object to answer, a string to write as it is, or nothing. */
  static async start(script = polite(), path = place()) {
    const daemon = new Daemon(path);
    daemon.server = createServer((socket) => daemon.#serve(socket, script));
    await new Promise((resolve) => daemon.server.listen(path, resolve));
    return daemon;
  }

  #serve(socket, script) {
    this.connections += 1;
    this.sockets.add(socket);
    socket.on("close", () => this.sockets.delete(socket));
    socket.on("error", () => undefined);
    let held = "";
    socket.setEncoding("utf8").on("data", async (chunk) => {
      const lines = (held + chunk).split("\n");
      held = lines.pop();
      for (const line of lines) {
        const message = JSON.parse(line);
        this.heard.push(message);
        const answer = await script(message, socket);
        if (answer === undefined || socket.destroyed) continue;
        socket.write(typeof answer === "string" ? answer : `${JSON.stringify(answer)}\n`);
      }
    });
  }

  of(method) {
    return this.heard.filter((message) => message.method === method).map(({ params }) => params);
  }

  methods() {
    return this.heard.map(({ method }) => method);
  }

  async stop() {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const folders = [];
process.on("exit", () =>
  folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })),
);

/** A path for a socket that nobody listens at. */
export function place() {
  const folder = mkdtempSync(join(tmpdir(), "oc-"));
  folders.push(folder);
  return join(folder, "s.sock");
}

/** Until `claim` holds; fails after two seconds. */
export async function until(claim, what) {
  const deadline = performance.now() + 2_000;
  while (!claim()) {
    if (performance.now() > deadline) throw new Error(`${what} did not come`);
    await pause(5);
  }
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export async function timed(work) {
  const began = performance.now();
  const result = await work();
  return { result, tookMs: performance.now() - began };
}
