/** What the hooks share: what they work with, how they tell the daemon, whose run it is. */
import { createHash, randomUUID } from "node:crypto";
import { fields, text, within } from "./fields.js";
import { isForeign } from "./messages.js";
import { onTheWire } from "./sessions.js";
/** Runs that no user asked for: what they say is neither a question to memory nor a turn. */
const HOST_TRIGGERS = new Set(["heartbeat", "cron", "memory"]);
/** How the host hands a child's result to its parent. */
const ANNOUNCE = "subagent_announce";
/** Hand an event over; wait a little for the daemon to take it. Not taken, it stays queued. */
export async function tell(parts, session, method, params, id = randomUUID()) {
    const event = {
        session: onTheWire(session),
        at: new Date().toISOString(),
        event_id: eventId(id),
    };
    const sent = parts.outbox.send(method, { ...event, ...params });
    await within(sent.tried, parts.settings.eventDeadlineMs);
}
export function eventId(id) {
    const named = `openclaw:${id}`;
    if (named.length <= 256)
        return named;
    return `openclaw:${digest(id)}`;
}
export function digest(value) {
    return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
export function runOf(event, context) {
    return text(event["runId"]) ?? text(context["runId"]);
}
/** Whether nobody asked for this run, or somebody who is not the user. */
export function byTheHost(session, run, context) {
    if (HOST_TRIGGERS.has(context["trigger"]))
        return true;
    const provenance = fields(context["inputProvenance"]);
    if (run !== undefined && isForeign(provenance)) {
        const announces = provenance["sourceTool"] === ANNOUNCE;
        const child = announces ? text(provenance["sourceSessionKey"]) : undefined;
        session.hostRun = { id: run, child };
    }
    // The end of a run does not say again whose words began it.
    return isForeign(provenance) || (run !== undefined && session.hostRun?.id === run);
}
