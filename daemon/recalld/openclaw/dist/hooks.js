/** What each of the host's hooks means to the daemon. */
import { clipped, list, text } from "./fields.js";
import { heartbeatPromptContribution } from "./heartbeat.js";
import { lastTurn } from "./messages.js";
import { byTheHost, digest, runOf, tell } from "./parts.js";
import { beforePromptBuild, begin } from "./prompts.js";
import { withoutUser } from "./sessions.js";
/** One row a hook. */
export const HOOKS = [
    { name: "before_prompt_build", options: { priority: 20 }, handle: beforePromptBuild },
    { name: "heartbeat_prompt_contribution", handle: heartbeatPromptContribution },
    { name: "agent_end", handle: agentEnd },
    { name: "before_compaction", handle: beforeCompaction },
    { name: "after_compaction", handle: afterCompaction },
    { name: "before_reset", handle: beforeReset },
    { name: "session_start", handle: sessionStart },
    { name: "session_end", handle: sessionEnd },
    { name: "subagent_ended", handle: subagentEnded },
];
const OUTCOMES = new Set([
    "ok",
    "error",
    "timeout",
    "killed",
    "reset",
    "deleted",
]);
const RESULT_UNITS = 4_000;
async function agentEnd(parts, event, context) {
    const session = parts.sessions.of(event, context);
    if (session === undefined)
        return;
    const run = runOf(event, context);
    const success = event["success"] !== false;
    const turn = lastTurn(list(event["messages"]));
    session.lastReply = turn === undefined ? undefined : clipped(turn.assistant, RESULT_UNITS);
    if (byTheHost(session, run, context)) {
        const child = session.hostRun?.id === run ? session.hostRun?.child : undefined;
        if (success && child !== undefined)
            parts.sessions.at(child).delivered = true;
        return;
    }
    // A sub-agent's task is not the user's objective; its result reaches the parent by its end.
    if (turn === undefined || withoutUser(session))
        return;
    const said = digest([turn.user, turn.assistant]);
    // A run that failed before a word was said ends with the words of the one before.
    if (!success && session.said === said)
        return;
    session.said = said;
    // One run may end several times, once an attempt, and the same end may come twice.
    const told = { ...turn, success, ...(run === undefined ? {} : { run_id: run.slice(0, 256) }) };
    await tell(parts, session, "session.turn", told, run && `${run}:turn:${said}:${success}`);
}
async function beforeCompaction(parts, event, context) {
    await compact(parts, event, context, "before");
}
async function afterCompaction(parts, event, context) {
    const session = parts.sessions.of(event, context);
    // The rest of the run lost what its first prompt was given.
    if (session !== undefined)
        session.compactions += 1;
    await compact(parts, event, context, "after");
}
async function compact(parts, event, context, phase) {
    const session = parts.sessions.of(event, context);
    if (session === undefined || withoutUser(session))
        return;
    const trigger = context["trigger"] === "manual" ? "manual" : "auto";
    await tell(parts, session, "session.compact", { phase, trigger });
}
async function beforeReset(parts, event, context) {
    const session = parts.sessions.of(event, context);
    if (session === undefined || withoutUser(session))
        return;
    const reason = event["reason"] === "new" ? "new" : "reset";
    over(session, text(context["sessionId"]), reason);
    await tell(parts, session, "session.reset", { reason });
}
async function sessionStart(parts, event, context) {
    const session = parts.sessions.of(event, context);
    if (session === undefined || withoutUser(session))
        return;
    const conversation = text(event["sessionId"]) ?? text(context["sessionId"]);
    // The first prompt may have come before this hook.
    if (session.begun !== undefined && session.conversation === conversation)
        return;
    // The conversation that the host calls resumed is the one this one replaces.
    const otherwise = text(event["resumedFrom"]) === undefined ? "startup" : "new";
    begin(parts, session, conversation, otherwise);
}
async function sessionEnd(parts, event, context) {
    const session = parts.sessions.of(event, context);
    if (session === undefined || withoutUser(session))
        return;
    const reason = text(event["reason"]) ?? "unknown";
    over(session, text(event["sessionId"]), reason);
    await tell(parts, session, "session.end", { reason: reason.slice(0, 1_024) });
}
function over(session, conversation, reason) {
    // The host reads files before it tells: the next conversation may have begun by then.
    if (session.conversation !== undefined && session.conversation !== conversation)
        return;
    session.begun = undefined;
    session.conversation = undefined;
    session.recovery = undefined;
    session.given = undefined;
    session.ended = reason;
}
async function subagentEnded(parts, event, context) {
    const child = text(event["targetSessionKey"]);
    const parent = text(context["requesterSessionKey"]) ?? text(context["sessionKey"]);
    // Reset and deleted children may come without a parent: there is nobody to tell.
    if (child === undefined || parent === undefined || parent === child)
        return;
    const session = parts.sessions.at(parent);
    const known = parts.sessions.at(child);
    const error = text(event["error"]);
    const result = error === undefined ? text(known.lastReply) : clipped(error, RESULT_UNITS);
    const { delivered } = known;
    known.lastReply = undefined;
    known.delivered = false;
    // The parent has answered to it already: it waits for nobody.
    if (delivered)
        return;
    const told = { child, outcome: outcome(event), ...(result === undefined ? {} : { result }) };
    const run = runOf(event, {});
    await tell(parts, session, "subagent.end", told, run && `${run}:subagent:${told.outcome}`);
}
function outcome(event) {
    const named = event["outcome"];
    if (named === undefined && event["error"] === undefined)
        return "ok";
    return OUTCOMES.has(named) ? String(named) : "error";
}
