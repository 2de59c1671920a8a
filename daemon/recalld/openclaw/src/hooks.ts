/** What each of the host's hooks means to the daemon. */

import { createHash, randomUUID } from "node:crypto";

import type { Client } from "./client.js";
import { request } from "./connection.js";
import { clipped, list, text, within, type Fields } from "./fields.js";
import { lastTurn } from "./messages.js";
import type { Outbox } from "./outbox.js";
import { onTheWire, withoutUser, type Session, type Sessions } from "./sessions.js";
import type { Settings } from "./settings.js";

export interface Parts {
  readonly client: Client;
  readonly outbox: Outbox;
  readonly sessions: Sessions;
  readonly settings: Settings;
}

/** System context only: what is prepended to the prompt would become the user's speech. */
export interface Addition {
  readonly prependSystemContext: string;
}

export interface Hook {
  readonly name: string;
  readonly options?: { readonly priority: number };
  handle(parts: Parts, event: Fields, context: Fields): Promise<Addition | void>;
}

/** One row a hook; a hook for heartbeat turns is one more. */
export const HOOKS: readonly Hook[] = [
  { name: "before_prompt_build", options: { priority: 20 }, handle: beforePromptBuild },
  { name: "agent_end", handle: agentEnd },
  { name: "before_compaction", handle: beforeCompaction },
  { name: "after_compaction", handle: afterCompaction },
  { name: "before_reset", handle: beforeReset },
  { name: "session_start", handle: sessionStart },
  { name: "session_end", handle: sessionEnd },
  { name: "subagent_ended", handle: subagentEnded },
];

/** Runs that no user asked for: what they say is neither a question to memory nor a turn. */
const HOST_TRIGGERS: ReadonlySet<unknown> = new Set(["heartbeat", "cron", "memory"]);
const OUTCOMES: ReadonlySet<unknown> = new Set([
  "ok",
  "error",
  "timeout",
  "killed",
  "reset",
  "deleted",
]);
/** How a conversation begins after one that ended so. */
const SOURCES: Readonly<Record<string, string>> = {
  new: "new",
  reset: "clear",
  compaction: "compact",
};
const PROMPT_UNITS = 32_000;
const RESULT_UNITS = 4_000;
/** Of a prompt's deadline, what the beginning of a session may take. */
const START_SHARE = 0.2;
/** Of a prompt's deadline, what the daemon's answer needs to get here. */
const RETURN_MS = 100;
/** The protocol's limits of a budget. */
const BUDGET_MS = { least: 50, most: 60_000 } as const;

async function beforePromptBuild(parts: Parts, event: Fields, context: Fields) {
  const session = parts.sessions.of(event, context);
  const prompt = text(event["prompt"]);
  if (session === undefined || prompt === undefined || byTheHost(context)) return undefined;
  const run = runOf(event, context);
  const id = run === undefined ? undefined : `${run}:prompt:${session.compactions}`;
  // Another attempt of the same run, with another model or after a fault.
  if (id !== undefined && session.given?.id === id) return added(session.given.context);
  const until = performance.now() + parts.settings.promptDeadlineMs;
  const messages = list(event["messages"]);
  await begun(parts, session, context, messages.length > 0 ? "resume" : "startup");
  const reply = await parts.client.exchange(
    promptRequest(session, prompt, id, until),
    until - performance.now(),
  );
  const found = both(session, reply.ok ? reply.result : {});
  if (found === undefined) return undefined;
  if (id !== undefined) session.given = { id, context: found };
  return added(found);
}

function added(found: string): Addition {
  return { prependSystemContext: found };
}

/** Recovery first, then recall; what the session began with is given once. */
function both(session: Session, recall: Fields): string | undefined {
  const recovery = text(recall["recovery"]) ?? session.recovery;
  session.recovery = undefined;
  const shown = [withoutUser(session) ? undefined : recovery, text(recall["context"])];
  return text(shown.filter((part) => part !== undefined).join("\n\n"));
}

function promptRequest(session: Session, prompt: string, id: string | undefined, until: number) {
  const leftMs = Math.round(until - performance.now()) - RETURN_MS;
  return request("session.prompt", {
    session: onTheWire(session),
    text: clipped(prompt, PROMPT_UNITS),
    budget_ms: Math.min(BUDGET_MS.most, Math.max(BUDGET_MS.least, leftMs)),
    ...(id === undefined ? {} : { event_id: eventId(id) }),
  });
}

/** Tell the daemon once that the session begins, and give its answer a little time. */
async function begun(parts: Parts, session: Session, context: Fields, otherwise: string) {
  if (withoutUser(session)) return;
  if (session.begun === undefined) begin(parts, session, text(context["sessionId"]), otherwise);
  else parts.outbox.kick();
  await within(session.begun!, START_SHARE * parts.settings.promptDeadlineMs);
}

function begin(
  parts: Parts,
  session: Session,
  conversation: string | undefined,
  otherwise: string,
) {
  const source = SOURCES[session.ended ?? ""] ?? otherwise;
  session.conversation = conversation;
  session.recovery = undefined;
  const params = { session: onTheWire(session), source };
  const sent = parts.outbox.send("session.start", params, { once: true });
  const answered = sent.reply.then((reply) => {
    if (session.begun !== answered) return;
    // Told again with the next prompt.
    if (!reply.ok) session.begun = undefined;
    else {
      session.recovery = text(reply.result["recovery"]);
      session.ended = undefined;
    }
  });
  session.begun = answered;
}

async function agentEnd(parts: Parts, event: Fields, context: Fields) {
  const session = parts.sessions.of(event, context);
  const turn = lastTurn(list(event["messages"]));
  if (session === undefined || turn === undefined || byTheHost(context)) return;
  session.lastReply = clipped(turn.assistant, RESULT_UNITS);
  // A sub-agent's task is not the user's objective; its result reaches the parent by its end.
  if (withoutUser(session)) return;
  // One run may end several times, once an attempt, and the same end may come twice.
  const run = runOf(event, context);
  const success = event["success"] !== false;
  const said = digest([turn.user, turn.assistant]);
  // A run that failed before a word was said ends with the words of the one before.
  if (!success && session.said === said) return;
  session.said = said;
  const told = { ...turn, success, ...(run === undefined ? {} : { run_id: run.slice(0, 256) }) };
  await tell(parts, session, "session.turn", told, run && `${run}:turn:${said}:${success}`);
}

async function beforeCompaction(parts: Parts, event: Fields, context: Fields) {
  await compact(parts, event, context, "before");
}

async function afterCompaction(parts: Parts, event: Fields, context: Fields) {
  const session = parts.sessions.of(event, context);
  // The rest of the run lost what its first prompt was given.
  if (session !== undefined) session.compactions += 1;
  await compact(parts, event, context, "after");
}

async function compact(parts: Parts, event: Fields, context: Fields, phase: string) {
  const session = parts.sessions.of(event, context);
  if (session === undefined || withoutUser(session)) return;
  const trigger = context["trigger"] === "manual" ? "manual" : "auto";
  await tell(parts, session, "session.compact", { phase, trigger });
}

async function beforeReset(parts: Parts, event: Fields, context: Fields) {
  const session = parts.sessions.of(event, context);
  if (session === undefined || withoutUser(session)) return;
  const reason = event["reason"] === "new" ? "new" : "reset";
  over(session, text(context["sessionId"]), reason);
  await tell(parts, session, "session.reset", { reason });
}

async function sessionStart(parts: Parts, event: Fields, context: Fields) {
  const session = parts.sessions.of(event, context);
  if (session === undefined || withoutUser(session)) return;
  const conversation = text(event["sessionId"]) ?? text(context["sessionId"]);
  // The first prompt may have come before this hook.
  if (session.begun !== undefined && session.conversation === conversation) return;
  // The conversation that the host calls resumed is the one this one replaces.
  const otherwise = text(event["resumedFrom"]) === undefined ? "startup" : "new";
  begin(parts, session, conversation, otherwise);
}

async function sessionEnd(parts: Parts, event: Fields, context: Fields) {
  const session = parts.sessions.of(event, context);
  if (session === undefined || withoutUser(session)) return;
  const reason = text(event["reason"]) ?? "unknown";
  over(session, text(event["sessionId"]), reason);
  await tell(parts, session, "session.end", { reason: reason.slice(0, 1_024) });
}

function over(session: Session, conversation: string | undefined, reason: string): void {
  // The host reads files before it tells: the next conversation may have begun by then.
  if (session.conversation !== undefined && session.conversation !== conversation) return;
  session.begun = undefined;
  session.conversation = undefined;
  session.recovery = undefined;
  session.given = undefined;
  session.ended = reason;
}

async function subagentEnded(parts: Parts, event: Fields, context: Fields) {
  const child = text(event["targetSessionKey"]);
  const parent = text(context["requesterSessionKey"]) ?? text(context["sessionKey"]);
  // Reset and deleted children may come without a parent: there is nobody to tell.
  if (child === undefined || parent === undefined || parent === child) return;
  const session = parts.sessions.at(parent);
  const known = parts.sessions.at(child);
  const error = text(event["error"]);
  const result = error === undefined ? text(known.lastReply) : clipped(error, RESULT_UNITS);
  known.lastReply = undefined;
  const told = { child, outcome: outcome(event), ...(result === undefined ? {} : { result }) };
  const run = runOf(event, {});
  await tell(parts, session, "subagent.end", told, run && `${run}:subagent:${told.outcome}`);
}

function outcome(event: Fields): string {
  const named = event["outcome"];
  if (named === undefined && event["error"] === undefined) return "ok";
  return OUTCOMES.has(named) ? String(named) : "error";
}

/** Hand an event over; wait a little for the daemon to take it. Not taken, it stays queued. */
async function tell(
  parts: Parts,
  session: Session,
  method: string,
  params: Fields,
  id: string = randomUUID(),
): Promise<void> {
  const event = {
    session: onTheWire(session),
    at: new Date().toISOString(),
    event_id: eventId(id),
  };
  const sent = parts.outbox.send(method, { ...event, ...params });
  await within(sent.tried, parts.settings.eventDeadlineMs);
}

function eventId(id: string): string {
  const named = `openclaw:${id}`;
  if (named.length <= 256) return named;
  return `openclaw:${digest(id)}`;
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

function runOf(event: Fields, context: Fields): string | undefined {
  return text(event["runId"]) ?? text(context["runId"]);
}

function byTheHost(context: Fields): boolean {
  return HOST_TRIGGERS.has(context["trigger"]);
}
