/** Each hook against a scripted daemon: what it sends, and what the host is given. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { place, until } from "./support/daemon.mjs";
import { Host } from "./support/host.mjs";
import plugin, { FOLDER, part } from "./support/plugin.mjs";
import {
  HOST_TRIGGERS,
  MAIN,
  USER_TRIGGERS,
  WORKSPACE,
  assistant,
  context,
  ended,
  prompt,
  sessionContext,
  sessionEnd,
  sessionStart,
  subagentContext,
  subagentEnded,
  toolCall,
  toolResult,
  user,
} from "./support/shapes.mjs";
import { RECALL, SNAPSHOT, recalled, world } from "./support/world.mjs";

const HOOKS = [
  "after_compaction",
  "agent_end",
  "before_compaction",
  "before_prompt_build",
  "before_reset",
  "heartbeat_prompt_contribution",
  "session_end",
  "session_start",
  "subagent_ended",
];
const CONVERSATION = "0b0f3d0e-1111-4000-8000-000000000001";

test("it registers the nine hooks and uses nothing else of the host", () => {
  const host = new Host();
  assert.deepEqual(host.hooks.map(({ name }) => name).sort(), HOOKS);
  const priorities = Object.fromEntries(
    host.hooks.map(({ name, options }) => [name, options.priority]),
  );
  assert.equal(priorities.before_prompt_build, 20);
  // S2.18: neither the context engine's slot nor the memory slot, and no runtime global (c6.4).
  assert.deepEqual([...host.used].sort(), ["logger", "on", "pluginConfig"]);
});

test("manifest, entry and package agree", () => {
  const manifest = JSON.parse(readFileSync(`${FOLDER}/openclaw.plugin.json`, "utf8"));
  const folder = JSON.parse(readFileSync(`${FOLDER}/package.json`, "utf8"));
  assert.equal(manifest.id, plugin.id);
  assert.equal(manifest.version, folder.version);
  assert.equal(manifest.kind, undefined);
  assert.equal(plugin.kind, undefined);
  assert.equal(manifest.activation.onStartup, true);
  assert.equal(manifest.configSchema.additionalProperties, false);
  assert.deepEqual(folder.openclaw.extensions, ["./dist/index.js"]);
  assert.equal(folder.dependencies, undefined);
});

test("S2.17 a prompt is given recovery first, then recall, as system context", async () => {
  const { daemon, host } = await world(recalled({ context: RECALL, recovery: SNAPSHOT }));
  const found = await host.play(
    "before_prompt_build",
    prompt("what now?", [user("hi")]),
    context(),
  );
  assert.deepEqual(found, { prependSystemContext: `${SNAPSHOT}\n\n${RECALL}` });
  const [asked] = daemon.of("session.prompt");
  assert.deepEqual(asked.session, {
    key: MAIN,
    client: "openclaw",
    agent: "main",
    workspace: WORKSPACE,
  });
  assert.equal(asked.text, "what now?");
  assert.equal(asked.event_id, "openclaw:run-1:prompt:0");
  assert.ok(asked.budget_ms >= 50 && asked.budget_ms < 1_500);
});

test("S2.17 nothing found, nothing added", async () => {
  const { host } = await world();
  assert.equal(await host.play("before_prompt_build", prompt("hello"), context()), undefined);
});

test("the snapshot of session.start is given with the first prompt only", async () => {
  const start = { "session.start": { recovery: SNAPSHOT, checkpoint: null } };
  const { daemon, host } = await world({ ...start, ...recalled({ context: RECALL }) });
  await host.play("session_start", sessionStart(CONVERSATION), sessionContext());
  const first = await host.play("before_prompt_build", prompt("one"), context());
  assert.equal(first.prependSystemContext, `${SNAPSHOT}\n\n${RECALL}`);
  const second = await host.play("before_prompt_build", prompt("two"), context({ runId: "run-2" }));
  assert.equal(second.prependSystemContext, RECALL);
  assert.deepEqual(
    daemon.of("session.start").map(({ source }) => source),
    ["startup"],
  );
});

test("a snapshot for this prompt takes the place of the one at the start", async () => {
  const start = { "session.start": { recovery: "older", checkpoint: null } };
  const { host } = await world({ ...start, ...recalled({ recovery: SNAPSHOT }) });
  const found = await host.play("before_prompt_build", prompt("continue"), context());
  assert.equal(found.prependSystemContext, SNAPSHOT);
});

test("S2.6 a gateway that came back in the middle of a session asks for it once", async () => {
  const { daemon, host } = await world({ "session.start": { recovery: SNAPSHOT } });
  const going = prompt("and now?", [user("a"), assistant("b")]);
  const found = await host.play("before_prompt_build", going, context());
  assert.equal(found.prependSystemContext, SNAPSHOT);
  await host.play("before_prompt_build", going, context({ runId: "run-2" }));
  assert.deepEqual(
    daemon.of("session.start").map(({ source }) => source),
    ["resume"],
  );
});

test("S2.6 another model of the same run is given the same, asked once", async () => {
  const { daemon, host } = await world({
    "session.start": { recovery: SNAPSHOT },
    ...recalled({ context: RECALL }),
  });
  const first = await host.play("before_prompt_build", prompt("go"), context());
  const again = await host.play("before_prompt_build", prompt("go"), context({ modelId: "other" }));
  assert.deepEqual(again, first);
  assert.equal(daemon.of("session.prompt").length, 1);
});

test("after a compaction inside a run the daemon is asked anew", async () => {
  const { daemon, host } = await world(recalled({ context: RECALL }));
  await host.play("before_prompt_build", prompt("go"), context());
  await host.play("after_compaction", { messageCount: 4, compactedCount: 30 }, context());
  await host.play("before_prompt_build", prompt("go"), context());
  assert.deepEqual(
    daemon.of("session.prompt").map(({ event_id: id }) => id),
    ["openclaw:run-1:prompt:0", "openclaw:run-1:prompt:1"],
  );
});

for (const trigger of HOST_TRIGGERS) {
  test(`a run by ${trigger} asks nothing and tells no turn`, async () => {
    const { daemon, host } = await world(recalled({ context: RECALL }));
    const run = context({ trigger });
    assert.equal(await host.play("before_prompt_build", prompt("check"), run), undefined);
    await host.play("agent_end", ended([user("check"), assistant("HEARTBEAT_OK")]), run);
    assert.deepEqual(
      daemon.methods().filter((method) => method.startsWith("session.")),
      [],
    );
  });
}

for (const trigger of USER_TRIGGERS) {
  test(`a run by ${trigger} asks and tells`, async () => {
    const { daemon, host } = await world(recalled({ context: RECALL }));
    const run = context({ trigger });
    assert.ok(await host.play("before_prompt_build", prompt("which port?"), run));
    await host.play("agent_end", ended([user("which port?"), assistant("9410")]), run);
    assert.deepEqual(daemon.methods(), ["session.start", "session.prompt", "session.turn"]);
  });
}

test("S2.24-D a finished run tells the last words of both, without thoughts and tools", async () => {
  const { daemon, host } = await world();
  const messages = [
    user("older"),
    assistant("old answer"),
    user("哪个端口？"),
    toolCall("let me look"),
    toolResult("SECRET file"),
    assistant("9410。"),
  ];
  await host.play("agent_end", ended(messages), context());
  const [turn] = daemon.of("session.turn");
  assert.equal(turn.user, "哪个端口？");
  assert.equal(turn.assistant, "9410。");
  assert.equal(turn.run_id, "run-1");
  assert.equal(turn.success, true);
  assert.equal(turn.session.workspace, WORKSPACE);
  assert.deepEqual(
    turn.messages.map(({ role, content }) => [role, content]),
    [
      ["user", "哪个端口？"],
      ["assistant", "let me look"],
      ["assistant", "9410。"],
    ],
  );
  assert.equal(turn.messages[0].at, "2026-06-09T10:13:20.000Z");
  assert.match(turn.event_id, /^openclaw:run-1:turn:[0-9a-f]{64}:true$/);
  assert.doesNotMatch(JSON.stringify(turn), /SECRET|let me see/);
});

test("plain strings, a run without an id and a pair alone are told without extras", async () => {
  const { daemon, host } = await world();
  const messages = [
    { role: "user", content: "a" },
    { role: "assistant", content: "b" },
  ];
  await host.play("agent_end", { messages, success: true }, context({ runId: undefined }));
  const [turn] = daemon.of("session.turn");
  assert.deepEqual(
    [turn.user, turn.assistant, turn.run_id, turn.messages],
    ["a", "b", undefined, undefined],
  );
  assert.match(turn.event_id, /^openclaw:[0-9a-f-]{36}$/);
});

test("the same end of a run has the same event id, another attempt another", async () => {
  const { daemon, host } = await world();
  const good = ended([user("a"), assistant("b")]);
  await host.play(
    "agent_end",
    ended([user("a")], { success: false, error: "overflow" }),
    context(),
  );
  await host.play("agent_end", good, context());
  await host.play("agent_end", good, context());
  const ids = daemon.of("session.turn").map(({ event_id: id }) => id);
  assert.equal(ids[1], ids[2]);
  assert.notEqual(ids[0], ids[1]);
  assert.deepEqual(
    daemon.of("session.turn").map(({ success }) => success),
    [false, true, true],
  );
});

test("a run that failed before a word was said does not tell the turn before it again", async () => {
  const { daemon, host } = await world();
  const messages = [user("a"), assistant("b")];
  await host.play("agent_end", ended(messages), context());
  await host.play("agent_end", ended(messages, { success: false }), context({ runId: "run-2" }));
  assert.equal(daemon.of("session.turn").length, 1);
});

test("a run in which nobody said anything is told to nobody", async () => {
  const { daemon, host } = await world();
  for (const messages of [[], [toolResult("x")], [{ role: "user", content: [] }], "?", undefined]) {
    await host.play("agent_end", ended(messages), context());
  }
  assert.deepEqual(daemon.heard, []);
});

test("two workspaces are never mixed, and one key with two folders is where it was last", async () => {
  const { daemon, host } = await world();
  const other = context({
    sessionKey: "agent:work:main",
    agentId: "work",
    workspaceDir: "/srv/work",
  });
  await host.play("before_prompt_build", prompt("a"), context());
  await host.play("before_prompt_build", prompt("b"), other);
  await host.play("session_end", sessionEnd("idle"), sessionContext());
  await host.play("session_end", sessionEnd("idle", { sessionKey: other.sessionKey }), {
    sessionId: "x",
    sessionKey: other.sessionKey,
  });
  const [mine, theirs] = daemon.of("session.end").map(({ session }) => session);
  assert.deepEqual([mine.workspace, mine.agent], [WORKSPACE, "main"]);
  assert.deepEqual([theirs.workspace, theirs.agent], ["/srv/work", "work"]);
});

test("a relative workspace is none, and a session without a key goes by its id", async () => {
  const { daemon, host } = await world();
  await host.play(
    "before_prompt_build",
    prompt("a"),
    context({
      sessionKey: undefined,
      workspaceDir: "notes",
    }),
  );
  assert.deepEqual(daemon.of("session.prompt")[0].session, {
    key: CONVERSATION,
    client: "openclaw",
    agent: "main",
  });
});

test("events that make no sense are survived by every hook, and told to nobody", async () => {
  const { daemon, host } = await world();
  for (const name of HOOKS) {
    for (const [event, place] of [
      [undefined, undefined],
      [null, null],
      ["x", 7],
      [[], []],
      [{}, {}],
    ]) {
      assert.equal(await host.play(name, event, place), undefined);
    }
  }
  assert.deepEqual(daemon.heard, []);
  assert.deepEqual(host.warnings(), []);
});

test("text that was cut in the middle of a character reaches the daemon as text", async () => {
  const { daemon, host } = await world();
  await host.play("before_prompt_build", prompt("half \ud83d"), context());
  assert.equal(daemon.of("session.prompt")[0].text, "half \ufffd");
});

test("what is too long for a line keeps its head and its tail", async () => {
  const { daemon, host } = await world();
  const long = `head ${"路".repeat(300_000)} tail`;
  await host.play("before_prompt_build", prompt(long), context());
  await host.play("agent_end", ended([user(long), toolCall("step"), assistant(long)]), context());
  await host.play("agent_end", ended([user("\u0001".repeat(400_000)), assistant("b")]), context());
  const sent = daemon.heard.map((message) => Buffer.byteLength(JSON.stringify(message)));
  assert.ok(Math.max(...sent) < 262_144, `${sent}`);
  for (const words of [
    daemon.of("session.prompt")[0].text,
    daemon.of("session.turn")[0].assistant,
  ]) {
    assert.match(words, /^head 路.*\[…\].*路 tail$/s);
  }
  assert.equal(daemon.of("session.turn").length, 2);
});

test("sixty thousand sessions are not remembered", async () => {
  const { Sessions } = await part("sessions");
  const sessions = new Sessions();
  const first = sessions.at("0");
  for (let at = 1; at < 60_000; at += 1) sessions.at(String(at));
  assert.notEqual(sessions.at("0"), first);
  assert.equal(sessions.at("59999"), sessions.at("59999"));
});

test("a host without hooks is told so and not broken", () => {
  const log = [];
  plugin.register({ logger: { warn: (line) => log.push(line) } });
  plugin.register({});
  assert.equal(log.length, 1);
});

test("no daemon, no hook fails and no host is held up", async () => {
  const host = new Host({ socketPath: place() });
  const events = [
    ["session_start", sessionStart("a"), sessionContext()],
    ["before_prompt_build", prompt("go"), context()],
    ["agent_end", ended([user("a"), assistant("b")]), context()],
    ["before_compaction", { messageCount: 1 }, context()],
    ["after_compaction", { messageCount: 1, compactedCount: 1 }, context()],
    ["before_reset", { reason: "new" }, context()],
    ["session_end", sessionEnd("shutdown"), sessionContext()],
    ["subagent_ended", subagentEnded("ok"), subagentContext()],
  ];
  const began = performance.now();
  for (const [name, event, place] of events)
    assert.equal(await host.play(name, event, place), undefined);
  assert.ok(performance.now() - began < 500);
  await until(() => host.warnings().length === 1, "the warning");
});
