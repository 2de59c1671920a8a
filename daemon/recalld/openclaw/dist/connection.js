/** One connection to the daemon: JSON-RPC, an object a line. */
import { connect } from "node:net";
import { fields, isFields, text } from "./fields.js";
/** The daemon refuses longer lines. */
export const MAX_LINE_BYTES = 262_144;
/** Its replies keep to the same bound; twice that is somebody else speaking. */
const MAX_REPLY_BYTES = 2 * MAX_LINE_BYTES;
/** Old registrations of a reloaded plugin hold no connection for longer than this. */
const IDLE_MS = 60_000;
const NEWLINE = 10;
/** Busy, unavailable, shutting down: the same words may be taken later. */
const PASSING_CODES = new Set([-32001, -32002, -32003]);
export function failed(fault, detail, passing = true) {
    return { ok: false, fault, detail, passing };
}
let lastId = 0;
export function request(method, params) {
    const id = ++lastId;
    const line = JSON.stringify({ jsonrpc: "2.0", id, method, params }, wellFormed) + "\n";
    return { id, line, bytes: Buffer.byteLength(line) };
}
/** Half a character, as hosts leave when they cut text, is no JSON for the daemon. */
function wellFormed(_, value) {
    return typeof value === "string" ? value.toWellFormed() : value;
}
export class Connection {
    #socket;
    #onEnd;
    #waiting = new Map();
    #held = Buffer.alloc(0);
    #reached = false;
    #ended = false;
    constructor(path, onEnd, idleMs = IDLE_MS) {
        this.#onEnd = onEnd;
        this.#socket = connect({ path });
        // The host ends when it wants to; hooks that wait hold it by their own timers.
        this.#socket.unref();
        this.#socket.on("connect", () => (this.#reached = true));
        this.#socket.on("data", (chunk) => this.#read(chunk));
        this.#socket.on("error", (error) => this.#lost(error.message));
        this.#socket.on("close", () => this.#lost("the daemon closed the connection"));
        this.#socket.setTimeout(idleMs, () => {
            if (this.#waiting.size === 0)
                this.end("closed", "idle");
        });
    }
    /** Settled exactly once. */
    ask(message, settle) {
        this.#waiting.set(message.id, settle);
        this.#socket.write(message.line);
    }
    /** Everything that waits fails with this; the socket is gone. */
    end(fault, detail) {
        if (this.#ended)
            return;
        this.#ended = true;
        this.#onEnd();
        this.#socket.destroy();
        for (const settle of this.#waiting.values())
            settle(failed(fault, detail));
        this.#waiting.clear();
    }
    #lost(detail) {
        this.end(this.#reached ? "closed" : "absent", detail);
    }
    #read(chunk) {
        this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
        let at = this.#held.indexOf(NEWLINE);
        while (at >= 0 && !this.#ended) {
            const line = this.#held.toString("utf8", 0, at);
            this.#held = this.#held.subarray(at + 1);
            if (line.trim() !== "")
                this.#take(line);
            at = this.#held.indexOf(NEWLINE);
        }
        if (this.#held.length > MAX_REPLY_BYTES)
            this.end("garbage", "a reply without end");
    }
    #take(line) {
        const message = parsed(line);
        if (message === undefined)
            return this.end("garbage", "a line that is no JSON object");
        const { id, result, error } = message;
        // It could not tell which of our lines it cannot read.
        if (id === null)
            return this.end("garbage", text(fields(error)["message"]) ?? "no reason");
        const settle = typeof id === "number" ? this.#waiting.get(id) : undefined;
        // Notifications, and answers nobody waits for.
        if (settle === undefined)
            return;
        if (!isFields(result) && !isFields(error))
            return this.end("garbage", "a reply without a result");
        this.#waiting.delete(id);
        settle(isFields(result) ? { ok: true, result } : refusal(fields(error)));
    }
}
function parsed(line) {
    try {
        const value = JSON.parse(line);
        return isFields(value) ? value : undefined;
    }
    catch {
        return undefined;
    }
}
function refusal(error) {
    const detail = `${text(error["message"]) ?? "no reason"} (${String(error["code"])})`;
    return failed("refused", detail, PASSING_CODES.has(error["code"]));
}
