/** Heartbeats of the host: told what the daemon found, once a run, and users' prompts never. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { until } from "./support/daemon.mjs";
import { USER_TRIGGERS, context, prompt } from "./support/shapes.mjs";
import { recalled, scripted, world } from "./support/world.mjs";

const BLOCK = "<heartbeat-signals>\nRelated past context:\n- [7 days ago] ship\n</heartbeat-signals>";
const TICK = {
  should_act: true,
  context: BLOCK,
  message: "ship",
  act_id: "A1",
  related_context: [],
};
const run = (more) => context({ trigger: "heartbeat", ...more });
const found = (tick = {}) => ({ "heartbeat.tick": { ...TICK, ...tick }, "heartbeat.delivered": {} });

test("a heartbeat is told what the daemon found, and the daemon that it was", async () => {
  const { daemon, host } = await world(found());
  const given = await host.play("heartbeat_prompt_contribution", {}, run());
  assert.deepEqual(given, { appendContext: BLOCK });
  await until(() => daemon.of("heartbeat.delivered").length === 1);
  assert.deepEqual(daemon.of("heartbeat.delivered"), [{ act_id: "A1", ok: true }]);
  assert.deepEqual(daemon.of("heartbeat.tick"), [{ agent: "main", analyze: false }]);
});

test("without that hook its prompt is told as system context", async () => {
  const { daemon, host } = await world(found());
  const given = await host.play("before_prompt_build", prompt("HEARTBEAT"), run());
  assert.deepEqual(given, { prependSystemContext: BLOCK });
  await until(() => daemon.of("heartbeat.delivered").length === 1);
});

for (const [first, second] of [
  ["heartbeat_prompt_contribution", "before_prompt_build"],
  ["before_prompt_build", "heartbeat_prompt_contribution"],
]) {
  test(`a run is told once, at ${first}, also at its next attempt`, async () => {
    const { daemon, host } = await world(found());
    const given = await host.play(first, prompt("HEARTBEAT"), run());
    assert.ok(JSON.stringify(given).includes("heartbeat-signals"));
    assert.equal(await host.play(second, prompt("HEARTBEAT"), run()), undefined);
    assert.deepEqual(await host.play(first, prompt("HEARTBEAT"), run({ modelId: "other" })), given);
    await host.play(first, prompt("HEARTBEAT"), run({ runId: "run-2" }));
    assert.equal(daemon.of("heartbeat.tick").length, 2);
  });
}

for (const trigger of USER_TRIGGERS) {
  test(`a prompt by ${trigger} is told no signals`, async () => {
    const { daemon, host } = await world({ ...recalled({ context: null }), ...found() });
    const given = await host.play("before_prompt_build", prompt("hello"), context({ trigger }));
    assert.equal(given, undefined);
    assert.deepEqual(daemon.of("heartbeat.tick"), []);
  });
}

test("nothing to tell is nothing said, and nothing was delivered", async () => {
  for (const tick of [{ context: "" }, { act_id: null }, { context: 7, act_id: 7 }]) {
    const { daemon, host } = await world(found(tick));
    assert.equal(await host.play("heartbeat_prompt_contribution", {}, run()), undefined);
    assert.deepEqual(daemon.of("heartbeat.delivered"), []);
  }
});

test("a model is asked for where that is set, and nobody where heartbeats are off", async () => {
  const asking = await world(found(), { heartbeatAnalyze: true });
  await asking.host.play("heartbeat_prompt_contribution", {}, run());
  assert.equal(asking.daemon.of("heartbeat.tick")[0].analyze, true);
  const off = await world(found(), { heartbeat: false });
  assert.equal(await off.host.play("heartbeat_prompt_contribution", {}, run()), undefined);
  assert.equal(await off.host.play("before_prompt_build", prompt("x"), run()), undefined);
  assert.deepEqual(off.daemon.heard, []);
});

test("a daemon that hangs or does not know heartbeats costs a heartbeat its signals only", async () => {
  const hung = await scripted(() => undefined, { heartbeatDeadlineMs: 100 });
  assert.equal(await hung.host.play("heartbeat_prompt_contribution", {}, run()), undefined);
  const old = await scripted(({ id }) => ({ jsonrpc: "2.0", id, error: { code: -32601 } }));
  assert.equal(await old.host.play("heartbeat_prompt_contribution", {}, run()), undefined);
});
