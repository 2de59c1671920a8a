/** What a prompt is given, and how a conversation begins. */

import { request } from "./connection.js";
import { clipped, list, text, within, type Fields } from "./fields.js";
import { HEARTBEAT, heartbeatPrompt } from "./heartbeat.js";
import { byTheHost, eventId, runOf, type Parts } from "./parts.js";
import { onTheWire, withoutUser, type Session } from "./sessions.js";

/** System context only: what is prepended to the prompt would become the user's speech. */
export interface Addition {
  readonly prependSystemContext: string;
}

/** How a conversation begins after one that ended so. */
const SOURCES: ReadonlyMap<string | undefined, string> = new Map([
  ["new", "new"],
  ["reset", "clear"],
  ["compaction", "compact"],
]);
const PROMPT_UNITS = 32_000;
/** Of a prompt's deadline, what the beginning of a session may take. */
const START_SHARE = 0.2;
/** Of a prompt's deadline, what the daemon's answer needs to get here. */
const RETURN_MS = 100;
/** The protocol's limits of a budget. */
const BUDGET_MS = { least: 50, most: 60_000 } as const;

/** Recovery and recall for a prompt, in its deadline or not at all. */
export async function beforePromptBuild(
  parts: Parts,
  event: Fields,
  context: Fields,
): Promise<Addition | void> {
  if (context["trigger"] === HEARTBEAT) return heartbeatPrompt(parts, event, context);
  const session = parts.sessions.of(event, context);
  const prompt = text(event["prompt"]);
  const run = runOf(event, context);
  if (session === undefined || byTheHost(session, run, context) || prompt === undefined) return;
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
  if (found === undefined) return;
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

/** Tell that a conversation begins; what it is given waits for its first prompt. */
export function begin(
  parts: Parts,
  session: Session,
  conversation: string | undefined,
  otherwise: string,
) {
  const source = SOURCES.get(session.ended) ?? otherwise;
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
