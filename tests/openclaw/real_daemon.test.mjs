/** Every hook in every shape against the real daemon. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { pause, timed } from "./support/daemon.mjs";
import { Host, restarted } from "./support/host.mjs";
import { PID, SOCKET, WORKSPACE, call } from "./support/real.mjs";
import {
  CHILD,
  MAIN,
  assistant,
  context,
  ended,
  prompt,
  sessionContext,
  sessionEnd,
  sessionStart,
  user,
} from "./support/shapes.mjs";

const QUESTION = "which port did we move the gateway to?";
let sessions = 0;

/** A host of its own, and a session that nobody used yet. */
function fresh() {
  restarted();
  const key = `${MAIN}:${++sessions}`;
  const place = (more = {}) =>
    context({ sessionKey: key, workspaceDir: WORKSPACE, runId: `${key}/run`, ...more });
  return { key, host: new Host({ socketPath: SOCKET }), place };
}

test("a prompt is given what the notes say, in English and Chinese", async () => {
  const { host, place } = fresh();
  const found = await host.play("before_prompt_build", prompt(QUESTION), place());
  assert.match(found.prependSystemContext, /<recall-context>.*9410.*<\/recall-context>/s);
  const chinese = await host.play(
    "before_prompt_build",
    prompt("我们上次定的压缩算法是什么？"),
    place({ runId: "zh" }),
  );
  assert.match(chinese.prependSystemContext, /zstd/);
  assert.equal(
    await host.play("before_prompt_build", prompt("thanks!"), place({ runId: "no" })),
    undefined,
  );
  assert.deepEqual(host.warnings(), []);
});

test("bc-30 the same is not given again, but to another attempt of the same run", async () => {
  const { host, place } = fresh();
  const first = await host.play("before_prompt_build", prompt(QUESTION), place());
  assert.deepEqual(await host.play("before_prompt_build", prompt(QUESTION), place()), first);
  const next = await host.play("before_prompt_build", prompt(QUESTION), place({ runId: "other" }));
  assert.doesNotMatch(next?.prependSystemContext ?? "", /9410/);
});

test("a gateway that restarted in a run is given the same by the daemon", async () => {
  const { host, place } = fresh();
  const first = await host.play("before_prompt_build", prompt(QUESTION), place());
  restarted();
  const again = await new Host({ socketPath: SOCKET }).play(
    "before_prompt_build",
    prompt(QUESTION, [user("a")]),
    place(),
  );
  assert.deepEqual(again, first);
});

test("the envelope that the host writes around words is no part of the question", async () => {
  const { host, place } = fresh();
  const wrapped = `Conversation info (untrusted metadata):\n\`\`\`json\n{"chat_id": "42"}\n\`\`\`\n\n${QUESTION}`;
  const found = await host.play("before_prompt_build", prompt(wrapped), place());
  assert.match(found.prependSystemContext, /9410/);
});

test("a turn is kept once, whatever how often the host tells it", async () => {
  const { key, host, place } = fresh();
  const told = ended([user("ship it on Friday"), assistant("It ships on Friday.")], {
    runId: `${key}/run`,
  });
  for (let times = 0; times < 3; times += 1) await host.play("agent_end", told, place());
  const said = createHash("sha256")
    .update(JSON.stringify(["ship it on Friday", "It ships on Friday."]))
    .digest("hex");
  const again = await call("session.turn", {
    session: { key },
    user: "x",
    assistant: "y",
    event_id: `openclaw:${key}/run:turn:${said}:true`,
  });
  assert.equal(again.duplicate, true);
  assert.deepEqual(host.warnings(), []);
});

test("the ends of sessions are taken for every reason", async () => {
  for (const reason of [
    "new",
    "reset",
    "idle",
    "daily",
    "compaction",
    "deleted",
    "shutdown",
    "restart",
    undefined,
  ]) {
    const { key, host, place } = fresh();
    const names = { sessionKey: key };
    await host.play(
      "session_start",
      sessionStart("c1"),
      sessionContext({ ...names, sessionId: "c1" }),
    );
    await host.play("before_prompt_build", prompt("hello there"), place());
    await host.play("session_end", sessionEnd(reason, names), sessionContext(names));
    await host.play(
      "session_start",
      sessionStart("c2", "c1"),
      sessionContext({ ...names, sessionId: "c2" }),
    );
    await host.play(
      "before_prompt_build",
      prompt("hello again"),
      place({ sessionId: "c2", runId: "2" }),
    );
    assert.deepEqual(host.log, []);
  }
});

test("a child's prompt is no question of the user's, and no turn of theirs is told", async () => {
  const { host, place } = fresh();
  const child = place({ sessionKey: `${CHILD}${sessions}` });
  const task =
    "[Subagent Context] You are a subagent.\n\n[Subagent Task]: which port did we move the gateway to?";
  assert.equal(await host.play("before_prompt_build", prompt(task), child), undefined);
  await host.play("agent_end", ended([user(task), assistant("9410")]), child);
  assert.deepEqual(host.log, []);
});

test("bc-29 a daemon that is stopped holds a prompt for its deadline, and is used again", async () => {
  const { host, place } = fresh();
  const quick = new Host({ socketPath: SOCKET, promptDeadlineMs: 400 });
  await quick.play("before_prompt_build", prompt("hello there"), place());
  process.kill(PID, "SIGSTOP");
  try {
    const slow = await timed(() =>
      quick.play("before_prompt_build", prompt(QUESTION), place({ runId: "1" })),
    );
    assert.equal(slow.result, undefined);
    assert.ok(slow.tookMs < 520, `took ${slow.tookMs} ms`);
    const next = await timed(() =>
      quick.play("before_prompt_build", prompt(QUESTION), place({ runId: "2" })),
    );
    assert.ok(next.tookMs < 50, `took ${next.tookMs} ms`);
    const told = await timed(() =>
      host.play("agent_end", ended([user("kept"), assistant("yes")]), place({ runId: "3" })),
    );
    assert.ok(told.tookMs < 1_120, `took ${told.tookMs} ms`);
  } finally {
    process.kill(PID, "SIGCONT");
  }
  await pause(300);
  // Another session: the daemon answered the first prompt after all, to nobody, as shown.
  const other = place({ runId: "4", sessionKey: `${MAIN}:after` });
  const found = await quick.play("before_prompt_build", prompt(QUESTION), other);
  assert.match(found.prependSystemContext, /9410/);
  assert.equal(quick.warnings().length, 1);
});

test("fifty prompts at once are all answered in their deadline", async () => {
  const { host, place } = fresh();
  const { result: answers, tookMs } = await timed(() =>
    Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        host.play(
          "before_prompt_build",
          prompt(QUESTION),
          place({ sessionKey: `${MAIN}:many:${at}`, runId: `m${at}` }),
        ),
      ),
    ),
  );
  const given = answers.filter((one) => /9410/.test(one?.prependSystemContext ?? "")).length;
  console.log(`${given} of 50 prompts at once were given the note, in ${Math.round(tookMs)} ms`);
  assert.ok(tookMs < 1_500 + 120, `took ${tookMs} ms`);
  assert.ok(given > 0);
});
