/** Sessions, compactions and sub-agents against a scripted daemon. */

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { pause, polite, until } from "./support/daemon.mjs";
import { Host } from "./support/host.mjs";
import { FOLDER } from "./support/plugin.mjs";
import {
  ANNOUNCE_RUN,
  CHILD,
  END_REASONS,
  MAIN,
  OUTCOMES,
  WORKSPACE,
  announcing,
  assistant,
  context,
  ended,
  entries,
  prompt,
  sessionContext,
  sessionEnd,
  sessionStart,
  steered,
  subagentContext,
  subagentEnded,
  toolCall,
  toolResult,
  user,
} from "./support/shapes.mjs";
import { RECALL, SNAPSHOT, recalled, scripted, world } from "./support/world.mjs";

const CONVERSATION = "0b0f3d0e-1111-4000-8000-000000000001";

test("S2.15 both sides of a compaction are told, with the context a running agent gives", async () => {
  const { daemon, host } = await world();
  await host.play("before_prompt_build", prompt("go"), context());
  // The embedded runner names the session alone.
  await host.play(
    "before_compaction",
    { messageCount: 34, messages: [user("a")] },
    { sessionKey: MAIN },
  );
  await host.play(
    "after_compaction",
    { messageCount: -1, compactedCount: 30 },
    { sessionKey: MAIN },
  );
  await host.play("before_compaction", { messageCount: 3 }, context({ trigger: "manual" }));
  const told = daemon.of("session.compact");
  assert.deepEqual(
    told.map(({ phase, trigger }) => [phase, trigger]),
    [
      ["before", "auto"],
      ["after", "auto"],
      ["before", "manual"],
    ],
  );
  for (const { session } of told) assert.equal(session.workspace, WORKSPACE);
});

test("before_compaction waits until the daemon has answered", async () => {
  const order = [];
  const { host } = await scripted(async (message) => {
    await pause(120);
    order.push("on disk");
    return polite()(message);
  });
  await host.play("before_compaction", { messageCount: 3 }, context());
  order.push("compacts");
  assert.deepEqual(order, ["on disk", "compacts"]);
});

for (const [reason, told] of [
  ["new", "new"],
  ["reset", "reset"],
  ["idle", "reset"],
  [undefined, "reset"],
]) {
  test(`S2.14 before_reset by ${reason}`, async () => {
    const { daemon, host } = await world();
    await host.play("before_reset", { messages: [], ...(reason ? { reason } : {}) }, context());
    assert.deepEqual(
      daemon.of("session.reset").map((params) => params.reason),
      [told],
    );
  });
}

for (const reason of [...END_REASONS, undefined]) {
  test(`session_end by ${reason}`, async () => {
    const { daemon, host } = await world();
    await host.play("session_end", sessionEnd(reason), sessionContext());
    const [told] = daemon.of("session.end");
    assert.equal(told.reason, reason ?? "unknown");
    assert.equal(told.session.key, MAIN);
    assert.equal(told.session.workspace, undefined);
  });
}

const AFTER = { new: "new", reset: "clear", compaction: "compact", idle: "new", daily: "new" };
for (const [reason, source] of Object.entries(AFTER)) {
  test(`a conversation after one that ended by ${reason} starts as ${source}`, async () => {
    const { daemon, host } = await world({ "session.start": { recovery: SNAPSHOT } });
    await host.play("before_prompt_build", prompt("go"), context());
    await host.play("session_end", sessionEnd(reason), sessionContext());
    await host.play(
      "session_start",
      sessionStart("next", CONVERSATION),
      sessionContext({ sessionId: "next" }),
    );
    const found = await host.play(
      "before_prompt_build",
      prompt("hi"),
      context({ sessionId: "next", runId: "r2" }),
    );
    assert.equal(found.prependSystemContext, SNAPSHOT);
    assert.deepEqual(
      daemon.of("session.start").map((params) => params.source),
      ["startup", source],
    );
    assert.equal(daemon.of("session.start")[1].session.workspace, WORKSPACE);
  });
}

test("S2.24-B hooks of the old conversation that come late do not start the new one again", async () => {
  const { daemon, host } = await world({ "session.start": { recovery: SNAPSHOT } });
  const next = context({ sessionId: "next" });
  await host.play(
    "session_start",
    sessionStart("next", CONVERSATION),
    sessionContext({ sessionId: "next" }),
  );
  await host.play("before_prompt_build", prompt("/new"), next);
  await host.play("before_reset", { reason: "new", messages: [] }, context());
  await host.play("session_end", sessionEnd("new"), sessionContext());
  assert.equal(
    await host.play("before_prompt_build", prompt("hi"), { ...next, runId: "r2" }),
    undefined,
  );
  assert.equal(daemon.of("session.start").length, 1);
});

for (const outcome of OUTCOMES) {
  test(`subagent_ended with ${outcome}: the parent is the requester, the child the target`, async () => {
    const { daemon, host } = await world();
    await host.play("before_prompt_build", prompt("go"), context());
    const event = subagentEnded(outcome, outcome === "error" ? { error: "no such file" } : {});
    await host.play("subagent_ended", event, subagentContext());
    const [told] = daemon.of("subagent.end");
    assert.equal(told.session.key, MAIN);
    assert.equal(told.session.workspace, WORKSPACE);
    assert.equal(told.child, CHILD);
    assert.equal(told.outcome, outcome);
    assert.equal(told.result, outcome === "error" ? "no such file" : undefined);
  });
}

test("S2.21 a child's last words are its result; they are no turn and start no session", async () => {
  const { daemon, host } = await world();
  const child = context({ sessionKey: CHILD, runId: "run-child-1" });
  await host.play("before_prompt_build", prompt("[Subagent Task]: count the files"), child);
  await host.play("agent_end", ended([user("count"), assistant("There are 41 files.")]), child);
  await host.play("session_end", sessionEnd("deleted", { sessionKey: CHILD }), { ...child });
  await host.play("subagent_ended", subagentEnded("ok"), subagentContext());
  assert.deepEqual(daemon.methods(), ["session.prompt", "subagent.end"]);
  assert.equal(daemon.of("subagent.end")[0].result, "There are 41 files.");
});

test("c6.3 a result that the host has handed to the parent waits for nobody", async () => {
  const { daemon, host } = await world();
  const child = context({ sessionKey: CHILD, runId: "run-child-1" });
  await host.play("agent_end", ended([user("count"), assistant("There are 41 files.")]), child);
  assert.equal(
    await host.play("before_prompt_build", prompt("", [user("a")]), announcing()),
    undefined,
  );
  const told = [user("A background task completed."), assistant("It found 41 files.")];
  await host.play(
    "agent_end",
    ended(told, { runId: ANNOUNCE_RUN }),
    context({ runId: ANNOUNCE_RUN }),
  );
  await host.play("subagent_ended", subagentEnded("ok"), subagentContext());
  assert.deepEqual(daemon.heard, []);
  // The same child, asked again, whose second result reaches nobody.
  await host.play("subagent_ended", subagentEnded("timeout"), subagentContext());
  assert.deepEqual(
    daemon.of("subagent.end").map(({ outcome }) => outcome),
    ["timeout"],
  );
});

test("S2.21 a result whose announcement failed, or that only wrote a message, is told", async () => {
  const { daemon, host } = await world();
  const failed = ended([user("A background task completed.")], {
    runId: ANNOUNCE_RUN,
    success: false,
  });
  await host.play("before_prompt_build", prompt("done?"), announcing());
  await host.play("agent_end", failed, context({ runId: ANNOUNCE_RUN }));
  await host.play("subagent_ended", subagentEnded("ok"), subagentContext());
  const sent = { kind: "inter_session", sourceSessionKey: CHILD, sourceTool: "sessions_send" };
  await host.play("before_prompt_build", prompt("half way"), announcing({ inputProvenance: sent }));
  await host.play(
    "agent_end",
    ended([user("x"), assistant("y")], { runId: ANNOUNCE_RUN }),
    context({ runId: ANNOUNCE_RUN }),
  );
  await host.play("subagent_ended", subagentEnded("ok", { runId: "second" }), subagentContext());
  assert.deepEqual(daemon.methods(), ["subagent.end", "subagent.end"]);
});

test("a child's result inside a run of the user's is not what the user said", async () => {
  const { daemon, host } = await world();
  const messages = [
    user("how are things?"),
    toolCall(),
    toolResult("x"),
    steered("There are 41 files."),
    assistant("All 41 files are counted."),
    ...entries,
  ];
  await host.play("agent_end", ended(messages), context());
  const [turn] = daemon.of("session.turn");
  assert.deepEqual([turn.user, turn.assistant], ["how are things?", "All 41 files are counted."]);
  assert.equal(turn.messages, undefined);
});

test("words of the host's own making begin no run of the user's", async () => {
  const { daemon, host } = await world(recalled({ context: RECALL }));
  const run = context({ inputProvenance: { kind: "internal_system" } });
  assert.equal(await host.play("before_prompt_build", prompt("which port?"), run), undefined);
  await host.play("agent_end", ended([user("which port?"), assistant("9410")]), context());
  assert.deepEqual(daemon.heard, []);
  const mine = context({ runId: "mine", inputProvenance: { kind: "external_user" } });
  assert.ok(await host.play("before_prompt_build", prompt("which port?"), mine));
});

test("reasons that are names of the language's own are just words", async () => {
  const { daemon, host } = await world();
  for (const reason of ["constructor", "__proto__", "toString"]) {
    await host.play("session_end", sessionEnd(reason), sessionContext());
    await host.play("session_start", sessionStart(reason), sessionContext());
  }
  await until(() => daemon.of("session.start").length === 3, "the starts");
  assert.deepEqual(
    daemon.of("session.start").map(({ source }) => source),
    ["startup", "startup", "startup"],
  );
});

test("S2.24-B a host that keeps the id of the conversation begins a new one all the same", async () => {
  const { daemon, host } = await world({ "session.start": { recovery: SNAPSHOT } });
  await host.play("before_prompt_build", prompt("go"), context());
  await host.play("before_reset", { reason: "new", messages: [] }, context({ runId: undefined }));
  await host.play(
    "session_end",
    sessionEnd("new", { nextSessionId: CONVERSATION }),
    sessionContext(),
  );
  await host.play("session_start", sessionStart(CONVERSATION, CONVERSATION), sessionContext());
  await host.play(
    "subagent_ended",
    subagentEnded("reset", { targetSessionKey: MAIN, targetKind: "acp" }),
    { childSessionKey: MAIN },
  );
  const found = await host.play("before_prompt_build", prompt("hi"), context({ runId: "r2" }));
  assert.equal(found.prependSystemContext, SNAPSHOT);
  assert.deepEqual(daemon.methods(), [
    "session.start",
    "session.prompt",
    "session.reset",
    "session.end",
    "session.start",
    "session.prompt",
  ]);
});

test("a child is given recall but never the snapshot of the work around it", async () => {
  const { host } = await world(recalled({ context: RECALL, recovery: SNAPSHOT }));
  const found = await host.play(
    "before_prompt_build",
    prompt("go"),
    context({ sessionKey: CHILD }),
  );
  assert.equal(found.prependSystemContext, RECALL);
});

const OUTCOME_OF = [
  [{}, "ok"],
  [{ error: "spawn-failed" }, "error"],
  [{ outcome: "evaporated" }, "error"],
];
for (const [more, outcome] of OUTCOME_OF) {
  test(`an outcome of ${JSON.stringify(more)} is ${outcome}`, async () => {
    const { daemon, host } = await world();
    await host.play("subagent_ended", subagentEnded(undefined, more), subagentContext());
    assert.equal(daemon.of("subagent.end")[0].outcome, outcome);
  });
}

test("a parent named by sessionKey serves too; no parent at all is nobody to tell", async () => {
  const { daemon, host } = await world();
  await host.play("subagent_ended", subagentEnded("ok"), { sessionKey: MAIN });
  await host.play("subagent_ended", subagentEnded("deleted"), { childSessionKey: CHILD });
  await host.play("subagent_ended", { childSessionKey: CHILD, outcome: "ok" }, subagentContext());
  assert.equal(daemon.of("subagent.end").length, 1);
  assert.equal(daemon.of("subagent.end")[0].session.key, MAIN);
});

test("modules that the host loads once more work on with what the first ones know", async () => {
  const { daemon, host } = await world({ "session.start": { recovery: SNAPSHOT } });
  const copied = mkdtempSync(join(tmpdir(), "oc-"));
  cpSync(FOLDER, copied, { recursive: true });
  const { default: again } = await import(pathToFileURL(join(copied, "dist", "index.js")).href);
  const other = new Host({ socketPath: daemon.path, eventDeadlineMs: 700 }, again);
  const child = context({ sessionKey: CHILD, runId: "run-child-1" });
  await host.play("session_start", sessionStart(CONVERSATION), sessionContext());
  const found = await other.play("before_prompt_build", prompt("hi"), context());
  assert.equal(found.prependSystemContext, SNAPSHOT);
  await other.play("agent_end", ended([user("count"), assistant("41 files")]), child);
  await host.play("subagent_ended", subagentEnded("ok"), subagentContext());
  assert.equal(daemon.of("subagent.end")[0].result, "41 files");
  assert.equal(daemon.of("session.start").length, 1);
  assert.equal(daemon.connections, 1);
  rmSync(copied, { recursive: true });
});
