/** What the daemon has to tell in a heartbeat of the host, and in no prompt of the user's. */

import { request } from "./connection.js";
import { text, type Fields } from "./fields.js";
import { runOf, type Parts } from "./parts.js";
import type { Addition } from "./prompts.js";
import type { Session } from "./sessions.js";

/** A memory as the daemon tells it. */
export interface Memory {
  readonly id: string;
  readonly content: string;
  readonly type: string;
  readonly state: string;
  readonly created_at: string;
}

export interface SearchResult {
  readonly memory: Memory;
  readonly similarity: number;
  readonly score: number;
}

/** Of the past, what belongs to one of the signals. */
export interface Related extends SearchResult {
  readonly signal_id: string;
  readonly age: string;
  readonly session: string | null;
}

/** The part of the answer to `heartbeat.tick` that a host has a use for. */
export interface HeartbeatContextResult {
  readonly should_act: boolean;
  readonly decision_reason: string;
  readonly message: string;
  /** The block that is placed; it holds what is related. */
  readonly context: string;
  readonly act_id: string | null;
  readonly related_context?: readonly Related[];
}

/** The heartbeat's own prompt is the host's speech: what stands behind it is not the user's. */
export interface Contribution {
  readonly appendContext: string;
}

export const HEARTBEAT = "heartbeat";

/** Hosts that have this hook play it for heartbeats alone. */
export async function heartbeatPromptContribution(
  parts: Parts,
  event: Fields,
  context: Fields,
): Promise<Contribution | void> {
  const found = await signals(parts, "contribution", event, context);
  if (found !== undefined) return { appendContext: found };
}

/** For hosts without that hook. */
export async function heartbeatPrompt(
  parts: Parts,
  event: Fields,
  context: Fields,
): Promise<Addition | void> {
  const found = await signals(parts, "prompt", event, context);
  if (found !== undefined) return { prependSystemContext: found };
}

/** The signals for this run, at whichever of its hooks asked first; the same at a new attempt. */
async function signals(parts: Parts, place: string, event: Fields, context: Fields) {
  if (!parts.settings.heartbeat) return undefined;
  const session = parts.sessions.of(event, context);
  if (session === undefined) return undefined;
  const run = runOf(event, context);
  const held = session.heartbeat;
  if (run !== undefined && held?.run === run) {
    return held.place === place ? held.context : undefined;
  }
  const asked = ask(parts, session);
  session.heartbeat = { run, place, context: asked };
  return asked;
}

async function ask(parts: Parts, session: Session): Promise<string | undefined> {
  const params = { agent: session.agent ?? "main", analyze: parts.settings.heartbeatAnalyze };
  const message = request("heartbeat.tick", params);
  const reply = await parts.client.exchange(message, parts.settings.heartbeatDeadlineMs);
  if (!reply.ok) return undefined;
  const told = reply.result as Partial<HeartbeatContextResult>;
  const block = text(told.context);
  const act = text(told.act_id);
  if (block === undefined || act === undefined) return undefined;
  parts.outbox.send("heartbeat.delivered", { act_id: act, ok: true });
  return block;
}
