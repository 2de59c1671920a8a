/**
 * One set of parts a process and daemon. The host loads a plugin several times into one process,
 * each time as modules of their own, and plays the hooks of one session at different ones of them.
 */
import { Client } from "./client.js";
import { Notices } from "./notices.js";
import { Outbox } from "./outbox.js";
import { Sessions } from "./sessions.js";
import { socketPath } from "./settings.js";
/** To be counted up with every change of `Shared`: an older one may live on in the process. */
const PLACE = Symbol.for("recalld.openclaw.2");
export function shared(settings, logger) {
    const everywhere = globalThis;
    const all = (everywhere[PLACE] ??= new Map());
    const name = settings.socketPath ?? "";
    const known = all.get(name) ?? made(settings);
    all.set(name, known);
    known.notices.logger = logger ?? {};
    return known;
}
function made(settings) {
    const notices = new Notices();
    const client = new Client(() => socketPath(settings, process.env), notices);
    return { notices, client, outbox: new Outbox(client, notices), sessions: new Sessions() };
}
