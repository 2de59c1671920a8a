/** What the daemon has to tell in a heartbeat of the host, and in no prompt of the user's. */
import { request } from "./connection.js";
import { text } from "./fields.js";
import { runOf } from "./parts.js";
export const HEARTBEAT = "heartbeat";
/** Hosts that have this hook play it for heartbeats alone. */
export async function heartbeatPromptContribution(parts, event, context) {
    const found = await signals(parts, "contribution", event, context);
    if (found !== undefined)
        return { appendContext: found };
}
/** For hosts without that hook. */
export async function heartbeatPrompt(parts, event, context) {
    const found = await signals(parts, "prompt", event, context);
    if (found !== undefined)
        return { prependSystemContext: found };
}
/** The signals for this run, at whichever of its hooks asked first; the same at a new attempt. */
async function signals(parts, place, event, context) {
    if (!parts.settings.heartbeat)
        return undefined;
    const session = parts.sessions.of(event, context);
    if (session === undefined)
        return undefined;
    const run = runOf(event, context);
    const held = session.heartbeat;
    if (run !== undefined && held?.run === run) {
        return held.place === place ? held.context : undefined;
    }
    const asked = ask(parts, session);
    session.heartbeat = { run, place, context: asked };
    return asked;
}
async function ask(parts, session) {
    const params = { agent: session.agent ?? "main", analyze: parts.settings.heartbeatAnalyze };
    const message = request("heartbeat.tick", params);
    const reply = await parts.client.exchange(message, parts.settings.heartbeatDeadlineMs);
    if (!reply.ok)
        return undefined;
    const told = reply.result;
    const block = text(told.context);
    const act = text(told.act_id);
    if (block === undefined || act === undefined)
        return undefined;
    parts.outbox.send("heartbeat.delivered", { act_id: act, ok: true });
    return block;
}
