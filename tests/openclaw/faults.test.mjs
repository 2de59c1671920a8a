/** Daemons that are absent, hang, talk nonsense, close or flood: the host goes on, in time. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

import { Daemon, OK, pause, place, polite, refusal, reply, timed } from "./support/daemon.mjs";
import { Host } from "./support/host.mjs";
import { FOLDER, part } from "./support/plugin.mjs";
import {
  assistant,
  context,
  ended,
  prompt,
  sessionContext,
  sessionEnd,
  user,
} from "./support/shapes.mjs";
import { scripted, started } from "./support/world.mjs";

const DEADLINE_MS = 300;
/** Beyond a deadline, for timers and a busy machine. */
const SLACK_MS = 120;
const RECALL = "<recall-context>x</recall-context>";
const BLOCK = { ...OK["session.prompt"], status: "ok", context: RECALL };
const world = (script, settings = {}) =>
  scripted(script, { promptDeadlineMs: DEADLINE_MS, eventDeadlineMs: 200, ...settings });

const hostOf = (socketPath, settings = {}) =>
  new Host({ socketPath, promptDeadlineMs: DEADLINE_MS, eventDeadlineMs: 200, ...settings });

let runs = 0;
const ask = (host) =>
  timed(() =>
    host.play("before_prompt_build", prompt("which port?"), context({ runId: `r${++runs}` })),
  );
const turn = (host, words) =>
  timed(() =>
    host.play("agent_end", ended([user(words), assistant("yes")]), context({ runId: words })),
  );

const never = () => undefined;
const flood = (_, socket) => {
  const chunk = "x".repeat(65_536);
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", more);
  more();
};
const SCRIPTS = {
  "never answers": never,
  "answers too late": async (message) => {
    await pause(DEADLINE_MS + 400);
    return reply(message, BLOCK);
  },
  "drips a letter at a time": (message, socket) => {
    const timer = setInterval(() => socket.write(" "), 20);
    socket.on("close", () => clearInterval(timer));
  },
  "writes without end": flood,
  "closes at once": (_, socket) => socket.destroy() && undefined,
  "closes in the middle of a reply": (_, socket) => void socket.end('{"jsonrpc":"2.0","id'),
  "talks no JSON": () => "HTTP/1.1 400 Bad Request\r\n\r\n",
  "talks bytes": () => "\u0000\ufffd\n",
  "answers a number": () => "7\n",
  "answers a list": () => "[]\n",
  "answers without a result": (message) => ({ jsonrpc: "2.0", id: message.id }),
  "answers with words for a result": (message) => reply(message, RECALL),
  "answers with an empty result": (message) => reply(message, {}),
  "answers with numbers for texts": (message) => reply(message, { context: 7, recovery: [RECALL] }),
  "answers somebody else": () => ({ jsonrpc: "2.0", id: 999_999, result: BLOCK }),
  "cannot read us": () => ({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32700, message: "not JSON" },
  }),
  "knows no such method": (message) => refusal(message, -32601, "no such method"),
  "is busy": (message) => refusal(message, -32001, "busy"),
  "has an error of no shape": (message) => ({ jsonrpc: "2.0", id: message.id, error: {} }),
};

for (const [name, script] of Object.entries(SCRIPTS)) {
  test(`bc-29 a daemon that ${name}`, async () => {
    const { host } = await world(script);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { result, tookMs } = await ask(host);
      assert.equal(result, undefined);
      assert.ok(tookMs < DEADLINE_MS + SLACK_MS, `took ${tookMs} ms`);
      const event = await turn(host, `t${attempt}`);
      assert.ok(event.tookMs < 200 + SLACK_MS, `took ${event.tookMs} ms`);
    }
    assert.ok(host.warnings().length <= 3, host.warnings().join("\n"));
  });
}

test("bc-29 no socket, and a socket nobody listens at, cost nothing and are told once", async () => {
  const left = await Daemon.start();
  await left.stop();
  for (const path of [place(), left.path, join(tmpdir(), "x".repeat(200))]) {
    const host = hostOf(path);
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const { result, tookMs } = await ask(host);
      assert.equal(result, undefined);
      assert.ok(tookMs < 100, `took ${tookMs} ms`);
    }
    assert.equal(host.log.length, 1);
    assert.match(host.warnings()[0], /absent/);
  }
});

test("a flood is cut off long before the deadline", async () => {
  const { host } = await world(flood, { promptDeadlineMs: 5_000 });
  assert.ok((await ask(host)).tookMs < 2_500);
});

test("beginning a session and asking share one deadline", async () => {
  const { host } = await world(never, { promptDeadlineMs: 1_000 });
  const { tookMs } = await ask(host);
  assert.ok(tookMs > 900 && tookMs < 1_000 + SLACK_MS, `took ${tookMs} ms`);
});

test("an event that throws when it is looked at is the plugin's own matter", async () => {
  const host = hostOf(place());
  const { handler } = host.hooks.find(({ name }) => name === "agent_end");
  const bad = new Proxy(
    {},
    {
      get: () => {
        throw new Error("gone");
      },
    },
  );
  assert.equal(await handler(bad, context()), undefined);
  assert.equal(await handler(bad, context()), undefined);
  assert.deepEqual(host.log, ["warn recalld: agent_end failed (Error: gone)"]);
});

test("a daemon that hangs costs one deadline, then pauses that grow", async () => {
  const { daemon, host } = await world(never);
  const took = [];
  for (let attempt = 0; attempt < 20; attempt += 1) took.push((await ask(host)).tookMs);
  const waited = took.filter((ms) => ms > 50);
  assert.equal(waited.length, 1, `${took.map(Math.round)}`);
  assert.equal(daemon.connections, 1);
  await pause(260);
  assert.ok((await ask(host)).tookMs > 200);
  await pause(260);
  assert.ok((await ask(host)).tookMs < 50, "the second pause is twice the first");
  assert.equal(host.warnings().length, 1, host.warnings().join("\n"));
});

test("a daemon that comes to itself is used again", async () => {
  let hangs = true;
  const { host } = await world((message) =>
    hangs ? undefined : polite({ "session.prompt": BLOCK })(message),
  );
  assert.equal((await ask(host)).result, undefined);
  hangs = false;
  await pause(260);
  assert.equal((await ask(host)).result.prependSystemContext, RECALL);
});

test("a prompt finds a daemon that was started a moment ago", async () => {
  const path = place();
  const host = hostOf(path);
  assert.equal((await ask(host)).result, undefined);
  await started(polite({ "session.prompt": BLOCK }), path);
  assert.equal((await ask(host)).result.prependSystemContext, RECALL);
});

test("what no line can hold is not sent", async () => {
  const { Client } = await part("client");
  const { Notices } = await part("notices");
  const { request } = await part("connection");
  const daemon = await started();
  const client = new Client(() => daemon.path, new Notices());
  const { fault, passing } = await client.exchange(
    request("x", { text: "y".repeat(262_144) }),
    100,
  );
  assert.deepEqual([fault, passing, daemon.connections], ["too_long", false, 0]);
});

test("a connection that nobody uses is closed, one that waits is not", async () => {
  const { Connection, request } = await part("connection");
  const daemon = await started(never);
  const ends = [];
  const idle = new Connection(daemon.path, () => ends.push("idle"), 30);
  const waiting = new Connection(daemon.path, () => ends.push("waiting"), 30);
  waiting.ask(request("ping", {}), () => undefined);
  await pause(200);
  assert.deepEqual(ends, ["idle"]);
  waiting.end("closed", "over");
  idle.end("closed", "over");
});

test("a prompt is not held up by events that wait", async () => {
  const { host } = await world((message) =>
    message.method === "session.prompt" ? reply(message, BLOCK) : undefined,
  );
  const held = turn(host, "a");
  const { result, tookMs } = await ask(host);
  assert.equal(result.prependSystemContext, RECALL);
  assert.ok(tookMs < DEADLINE_MS / 2, `took ${tookMs} ms`);
  await held;
});

test("S2.24 session ends of a shutdown return within their share of two seconds", async () => {
  const { daemon, host } = await world(never, { eventDeadlineMs: 1_000 });
  const { tookMs } = await timed(() =>
    Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        host.play(
          "session_end",
          sessionEnd("shutdown", { sessionKey: `s${at}` }),
          sessionContext({ sessionKey: `s${at}` }),
        ),
      ),
    ),
  );
  assert.ok(tookMs < 1_000 + SLACK_MS, `took ${tookMs} ms`);
  assert.equal(daemon.heard.length, 1);
});

test("prompts at the same time share a connection and get their own answers", async () => {
  const { daemon, host } = await world(async (message) => {
    if (message.method !== "session.prompt") return polite()(message);
    await pause(message.params.text === "slow" ? 60 : 0);
    return reply(message, { context: message.params.text });
  });
  const answers = await Promise.all(
    ["slow", "fast", "other"].map((text) =>
      host.play("before_prompt_build", prompt(text), context({ runId: text, sessionKey: text })),
    ),
  );
  assert.deepEqual(
    answers.map((one) => one.prependSystemContext),
    ["slow", "fast", "other"],
  );
  assert.equal(daemon.connections, 1);
});

test("a log that fails fails no prompt", async () => {
  const { default: plugin } = await import("./support/plugin.mjs");
  const hooks = {};
  plugin.register({
    pluginConfig: { socketPath: place() },
    logger: {
      warn: () => {
        throw new Error("disk full");
      },
    },
    on: (name, handler) => (hooks[name] = handler),
  });
  assert.equal(await hooks.before_prompt_build(prompt("x"), context()), undefined);
});

test("a host that has nothing else to do is kept for a deadline and no longer", async () => {
  const { daemon } = await world(never);
  const script = `
    const { default: plugin } = await import(${JSON.stringify(`${FOLDER}/dist/index.js`)});
    const hooks = {};
    plugin.register({
      pluginConfig: { socketPath: ${JSON.stringify(daemon.path)}, eventDeadlineMs: 300 },
      on: (name, handler) => (hooks[name] = handler),
    });
    const messages = [{ role: "user", content: "a" }, { role: "assistant", content: "b" }];
    await hooks.agent_end({ messages, success: true }, { sessionKey: "s", workspaceDir: "/w" });
    console.log("went on");
  `;
  const run = promisify(execFile);
  const { result, tookMs } = await timed(() =>
    run(process.execPath, ["--input-type=module", "-e", script], { timeout: 10_000 }),
  );
  assert.equal(result.stdout, "went on\n");
  assert.ok(tookMs > 300 && tookMs < 3_000, `took ${tookMs} ms`);
  assert.equal(daemon.of("session.turn").length, 1);
});
