/** Continuity through the host's hooks, at the real daemon: experiments A to D of S2.24. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";

import { Host, restarted } from "./support/host.mjs";
import { SOCKET, WORKSPACE } from "./support/real.mjs";
import {
  CHILD,
  MAIN,
  OUTCOMES,
  assistant,
  context,
  ended,
  prompt,
  sessionContext,
  sessionEnd,
  sessionStart,
  subagentContext,
  subagentEnded,
  user,
} from "./support/shapes.mjs";

const FILE = join(WORKSPACE, "memory", "CURRENT_STATE.md");
const ARCHIVE = join(WORKSPACE, "memory", "session_archive");
const OBJECTIVE = "Move the invoice exporter to the new queue";
const STATE = `# Current State
> Last updated: 2026-06-09T10:00:00Z

## Objective
${OBJECTIVE}

## Current Step
Writing the consumer

## Key Decisions
- Redis streams, since billing knows them

## Next Action
Run the load test

## Blockers
None

## Unsurfaced Results
None
`;
let keys = 0;

function fresh() {
  restarted();
  const key = `${MAIN}:continuity:${++keys}`;
  const names = { sessionKey: key };
  return {
    key,
    names,
    host: new Host({ socketPath: SOCKET }),
    place: (more = {}) =>
      context({ ...names, workspaceDir: WORKSPACE, runId: `${key}/run`, ...more }),
  };
}

const shown = (found) => found?.prependSystemContext ?? "";
const archived = () =>
  existsSync(ARCHIVE) ? readdirSync(ARCHIVE).filter((name) => name.endsWith(".md")) : [];

beforeEach(() => {
  mkdirSync(join(WORKSPACE, "memory"), { recursive: true });
  writeFileSync(FILE, STATE);
});

test("S2.24-A a session that starts is given the snapshot, and gives it once", async () => {
  const { host, names, place } = fresh();
  await host.play(
    "session_start",
    sessionStart("c1"),
    sessionContext({ ...names, sessionId: "c1" }),
  );
  const first = await host.play(
    "before_prompt_build",
    prompt("hi there"),
    place({ sessionId: "c1" }),
  );
  assert.match(shown(first), /CONTINUITY SNAPSHOT/);
  assert.match(shown(first), new RegExp(OBJECTIVE));
  const second = await host.play(
    "before_prompt_build",
    prompt("nice weather"),
    place({ sessionId: "c1", runId: "2" }),
  );
  assert.doesNotMatch(shown(second), /CONTINUITY/);
  assert.deepEqual(host.log, []);
});

test("S2.17 no active work, nothing is added", async () => {
  rmSync(FILE);
  const { host, place } = fresh();
  assert.equal(await host.play("before_prompt_build", prompt("hi there"), place()), undefined);
});

test("S2.24-B /new keeps the file, archives a copy, and the next conversation recovers", async () => {
  const { host, names, place } = fresh();
  await host.play("before_prompt_build", prompt("hi there"), place({ sessionId: "c1" }));
  const before = archived().length;
  await host.play("before_reset", { reason: "new", messages: [] }, place({ sessionId: "c1" }));
  assert.ok(archived().length >= Math.max(1, before), "a copy is archived when the hook returns");
  assert.ok(
    archived().some((name) => readFileSync(join(ARCHIVE, name), "utf8").includes(OBJECTIVE)),
  );
  assert.equal(readFileSync(FILE, "utf8").includes(OBJECTIVE), true);
  await host.play(
    "session_end",
    sessionEnd("new", { ...names, sessionId: "c1" }),
    sessionContext({ ...names, sessionId: "c1" }),
  );
  await host.play(
    "session_start",
    sessionStart("c2", "c1"),
    sessionContext({ ...names, sessionId: "c2" }),
  );
  const asked = await host.play(
    "before_prompt_build",
    prompt("刚才我们说到哪了"),
    place({ sessionId: "c2", runId: "2" }),
  );
  assert.match(shown(asked), new RegExp(OBJECTIVE));
  assert.equal(shown(asked).split("CONTINUITY SNAPSHOT").length, 2, "one snapshot, not two");
  assert.deepEqual(host.log, []);
});

test("S2.24-C after a compaction the next prompt is given the snapshot once", async () => {
  const { host, names, place } = fresh();
  await host.play("before_prompt_build", prompt("hi there"), place());
  await host.play("before_compaction", { messageCount: 34 }, names);
  await host.play("after_compaction", { messageCount: -1, compactedCount: 30 }, names);
  // The same run goes on after an overflow.
  const same = await host.play("before_prompt_build", prompt("hi there"), place());
  assert.match(shown(same), new RegExp(OBJECTIVE));
  const next = await host.play(
    "before_prompt_build",
    prompt("nice weather"),
    place({ runId: "3" }),
  );
  assert.doesNotMatch(shown(next), /CONTINUITY/);
  assert.deepEqual(host.log, []);
});

test("S2.24-D a run that ends never writes over what a hand wrote", async () => {
  const { host, place } = fresh();
  const messages = [
    user("please rename the badge printer"),
    assistant("I renamed the badge printer."),
  ];
  await host.play("agent_end", ended(messages), place());
  assert.equal(readFileSync(FILE, "utf8"), STATE);
  assert.deepEqual(host.log, []);
});

for (const outcome of OUTCOMES) {
  test(`S2.21 a child that ended with ${outcome} is surfaced once, to its parent`, async () => {
    const { key, host, place } = fresh();
    await host.play("before_prompt_build", prompt("hi there"), place());
    const child = `${CHILD}-${key}`;
    const run = `${key}/child`;
    await host.play(
      "agent_end",
      ended([user("count"), assistant("There are 4172 invoices.")], { runId: run }),
      place({ sessionKey: child, runId: run }),
    );
    await host.play(
      "subagent_ended",
      subagentEnded(outcome, { targetSessionKey: child, runId: run }),
      subagentContext({ requesterSessionKey: key }),
    );
    const next = await host.play(
      "before_prompt_build",
      prompt("nice weather"),
      place({ runId: "2" }),
    );
    assert.match(shown(next), /4172/);
    const later = await host.play(
      "before_prompt_build",
      prompt("nice weather again"),
      place({ runId: "3" }),
    );
    assert.doesNotMatch(shown(later), /4172/);
    assert.deepEqual(host.log, []);
  });
}
