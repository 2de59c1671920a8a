/** The plugin's settings, and where the daemon listens. */
import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { fields, text } from "./fields.js";
/** The limits of the manifest, for hosts that do not check them. */
const LIMITS_MS = {
    promptDeadlineMs: { least: 100, most: 10_000, usual: 1_500 },
    // All sessions that end at a shutdown share 2 s.
    eventDeadlineMs: { least: 50, most: 1_800, usual: 1_000 },
    // A model alone may take 15 s; the host's own limit for a hook is as long by default.
    heartbeatDeadlineMs: { least: 100, most: 60_000, usual: 10_000 },
};
export function readSettings(config) {
    const given = fields(config);
    return {
        socketPath: text(given["socketPath"]),
        promptDeadlineMs: milliseconds(given, "promptDeadlineMs"),
        eventDeadlineMs: milliseconds(given, "eventDeadlineMs"),
        heartbeat: given["heartbeat"] !== false,
        heartbeatAnalyze: given["heartbeatAnalyze"] === true,
        heartbeatDeadlineMs: milliseconds(given, "heartbeatDeadlineMs"),
    };
}
function milliseconds(given, key) {
    const { least, most, usual } = LIMITS_MS[key];
    const value = given[key];
    if (typeof value !== "number" || !Number.isFinite(value))
        return usual;
    return Math.min(most, Math.max(least, Math.round(value)));
}
/**
 * The path to connect to: the setting, the environment, else the daemon's usual place.
 * Throws where the usual place is a folder of somebody else's.
 */
export function socketPath(settings, environment) {
    const named = settings.socketPath ??
        text(environment["RECALLD_SOCKET"]) ??
        text(environment["RECALLD_SERVER__SOCKET"]);
    if (named !== undefined)
        return named.startsWith("~/") ? homedir() + named.slice(1) : named;
    const runtime = environment["XDG_RUNTIME_DIR"] ?? "";
    if (runtime.startsWith("/"))
        return `${runtime.replace(/\/+$/, "")}/recalld/recalld.sock`;
    return `${ours(`/tmp/recalld-${process.getuid?.() ?? 0}`)}/recalld.sock`;
}
/** Anyone may make a folder under /tmp first, and would be told every prompt. */
export function ours(folder, uid = process.getuid?.()) {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found === undefined)
        throw new Error(`${folder} is not there`);
    if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
        throw new Error(`${folder} is not a folder of this user alone`);
    }
    return folder;
}
