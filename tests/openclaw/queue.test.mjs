/** Events on their way: kept while the daemon is away, sent in order, bounded; and the settings. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { Daemon, OK, pause, place, polite, refusal, reply, until } from "./support/daemon.mjs";
import { Host } from "./support/host.mjs";
import { part } from "./support/plugin.mjs";
import { assistant, context, ended, sessionContext, sessionEnd, user } from "./support/shapes.mjs";
import { scripted, started } from "./support/world.mjs";

const hostOf = (socketPath) => new Host({ socketPath, eventDeadlineMs: 200 });
const turn = (host, words) =>
  host.play("agent_end", ended([user(words), assistant("yes")]), context({ runId: words }));

test("events of a time without daemon arrive later, in order, each once", async () => {
  const path = place();
  const host = hostOf(path);
  for (const words of ["a", "b", "c"]) await turn(host, words);
  await host.play("session_end", sessionEnd("idle"), sessionContext());
  const daemon = await started(polite(), path);
  await until(() => daemon.heard.length === 4, "the events");
  assert.deepEqual(
    daemon.of("session.turn").map(({ user: words }) => words),
    ["a", "b", "c"],
  );
  assert.equal(daemon.methods().at(-1), "session.end");
  assert.ok(daemon.of("session.turn").every(({ at }) => Date.parse(at) <= Date.now()));
});

test("an event is sent again until it is acknowledged, under the same event id", async () => {
  const path = place();
  const first = await Daemon.start((_, socket) => void socket.destroy(), path);
  const host = hostOf(path);
  await turn(host, "a");
  await first.stop();
  const second = await started(polite(), path);
  await until(() => second.heard.length === 1, "the event");
  assert.ok(first.heard.length >= 1);
  assert.equal(first.heard[0].params.event_id, second.heard[0].params.event_id);
});

test("busy is tried again, a refusal is not and is counted", async () => {
  let busy = 2;
  const { daemon, host } = await scripted((message) => {
    if (message.params.user === "bad") return refusal(message, -32602, "params.user");
    return busy-- > 0 ? refusal(message, -32001, "busy") : reply(message, OK[message.method]);
  });
  await turn(host, "a");
  await turn(host, "bad");
  await turn(host, "c");
  await until(() => daemon.of("session.turn").at(-1).user === "c", "the last turn");
  assert.deepEqual(host.warnings(), ["warn recalld: the daemon refused a request: busy (-32001)"]);
  assert.deepEqual(
    daemon.of("session.turn").map(({ user: words }) => words),
    ["a", "a", "a", "bad", "c"],
  );
});

test("an event that a daemon dies of is given up after ten times", async () => {
  const { Client } = await part("client");
  const { Notices } = await part("notices");
  const { Outbox } = await part("outbox");
  const daemon = await started((message, socket) =>
    message.params.user === "poison" ? void socket.destroy() : reply(message, {}),
  );
  const notices = new Notices();
  const outbox = new Outbox(new Client(() => daemon.path, notices), notices);
  const poison = outbox.send("session.turn", { user: "poison" });
  const good = outbox.send("session.turn", { user: "good" });
  const driver = setInterval(() => outbox.kick(), 5);
  const [bad, taken] = await Promise.all([poison.reply, good.reply]);
  clearInterval(driver);
  assert.deepEqual([bad.ok, bad.fault, taken.ok], [false, "closed", true]);
  assert.equal(daemon.heard.filter(({ params }) => params.user === "poison").length, 10);
  assert.deepEqual(outbox.lost, { dropped: 0, refused: 1 });
});

test("the queue is bounded: the oldest are dropped, counted and told", async () => {
  const path = place();
  const host = hostOf(path);
  for (let at = 0; at < 300; at += 1) await turn(host, `t${at}`);
  const daemon = await started(polite(), path);
  await until(() => daemon.heard.length === 256, "the events");
  await until(() => host.log.some((line) => /44 events were dropped/.test(line)), "the count");
  assert.equal(daemon.of("session.turn")[0].user, "t44");
  assert.equal(daemon.of("session.turn").at(-1).user, "t299");
  assert.equal(host.warnings().filter((line) => /dropped/.test(line)).length, 1);
});

test("the queue is bounded in bytes too", async () => {
  const path = place();
  const host = hostOf(path);
  for (let at = 0; at < 40; at += 1) await turn(host, `${at} ${"x".repeat(200_000)}`);
  const daemon = await started(polite(), path);
  await until(
    () => daemon.of("session.turn").some(({ user: words }) => words.startsWith("39 ")),
    "the last",
  );
  const bytes = daemon.heard.reduce((sum, one) => sum + JSON.stringify(one).length, 0);
  assert.ok(bytes > 2_000_000 && bytes <= 4 * 1_048_576, `${bytes}`);
});

test("an event that was dropped while the daemon had it is counted once", async () => {
  const { Client } = await part("client");
  const { Notices } = await part("notices");
  const { Outbox } = await part("outbox");
  const daemon = await started(async (message) => {
    await pause(50);
    return refusal(message, -32602);
  });
  const outbox = new Outbox(new Client(() => daemon.path, new Notices()), new Notices());
  const sent = Array.from({ length: 257 }, (_, user) => outbox.send("session.turn", { user }));
  assert.equal((await sent[0].reply).detail, "dropped for newer events");
  await sent[1].reply;
  assert.deepEqual(outbox.lost, { dropped: 1, refused: 1 });
});

const LIMITS = [
  [{}, 1_500, 1_000],
  [{ promptDeadlineMs: 1, eventDeadlineMs: 1 }, 100, 50],
  [{ promptDeadlineMs: 1e9, eventDeadlineMs: 1e9 }, 10_000, 1_800],
  [{ promptDeadlineMs: "2000", eventDeadlineMs: NaN }, 1_500, 1_000],
  [null, 1_500, 1_000],
];
for (const [given, promptMs, eventMs] of LIMITS) {
  test(`settings of ${JSON.stringify(given)} are kept within their limits`, async () => {
    const { readSettings } = await part("settings");
    const { promptDeadlineMs, eventDeadlineMs } = readSettings(given);
    assert.deepEqual([promptDeadlineMs, eventDeadlineMs], [promptMs, eventMs]);
  });
}

test("the socket is the setting's, the environment's, or the daemon's usual one", async () => {
  const { readSettings, socketPath } = await part("settings");
  const none = readSettings({});
  assert.equal(
    socketPath(readSettings({ socketPath: "/a/s" }), { RECALLD_SOCKET: "/b/s" }),
    "/a/s",
  );
  assert.equal(socketPath(readSettings({ socketPath: "~/s" }), {}), `${process.env.HOME}/s`);
  assert.equal(
    socketPath(none, { RECALLD_SOCKET: "/b/s", XDG_RUNTIME_DIR: "/run/user/7" }),
    "/b/s",
  );
  assert.equal(
    socketPath(none, { XDG_RUNTIME_DIR: "/run/user/7/" }),
    "/run/user/7/recalld/recalld.sock",
  );
});

test("the usual place under /tmp is used only where it is this user's alone", async () => {
  const { ours } = await part("settings");
  const folder = mkdtempSync(join(tmpdir(), "oc-"));
  mkdirSync(join(folder, "open"), { mode: 0o755 });
  mkdirSync(join(folder, "closed"), { mode: 0o700 });
  assert.throws(() => ours(join(folder, "open")), /alone/);
  assert.throws(() => ours(join(folder, "none")), /not there/);
  assert.throws(() => ours(join(folder, "closed"), process.getuid() + 1), /alone/);
  assert.equal(ours(join(folder, "closed")), join(folder, "closed"));
  rmSync(folder, { recursive: true });
});
