/** Events on their way to the daemon: in order, sent again until it took them, bounded. */
import { Pause } from "./client.js";
import { failed, request } from "./connection.js";
const MOST_EVENTS = 256;
const MOST_BYTES = 4 * 1_048_576;
/** Longer than the daemon needs for its disk; a hook stops waiting much earlier. */
const ACKNOWLEDGED_MS = 10_000;
/** Ends that an event may have caused itself, and how many of them it is given. */
const SUSPICIOUS = new Set(["closed", "garbage"]);
const MOST_ATTEMPTS = 10;
export class Outbox {
    #client;
    #notices;
    #pause = new Pause();
    #queue = [];
    #bytes = 0;
    #sending = false;
    #timer;
    /** Events pushed out by newer ones, and events the daemon would not take. */
    lost = { dropped: 0, refused: 0 };
    #droppedTold = 0;
    constructor(client, notices) {
        this.#client = client;
        this.#notices = notices;
    }
    get length() {
        return this.#queue.length;
    }
    /** Neither promise rejects. `once`: one attempt, now or never. */
    send(method, params, { once = false } = {}) {
        const message = request(method, params);
        let settle;
        let tried;
        const sent = {
            reply: new Promise((resolve) => (settle = resolve)),
            tried: new Promise((resolve) => (tried = resolve)),
        };
        this.#queue.push({ message, once, settle, tried, attempts: 0 });
        this.#bytes += message.bytes;
        this.#shorten();
        this.kick();
        return sent;
    }
    /** Try now. */
    kick() {
        if (this.#sending || this.#queue.length === 0)
            return;
        this.#sending = true;
        void this.#drain();
    }
    async #drain() {
        for (let entry = this.#queue[0]; entry !== undefined; entry = this.#queue[0]) {
            const reply = await this.#client.exchange(entry.message, ACKNOWLEDGED_MS, { holds: false });
            // While it was under way newer events may have pushed it out.
            if (this.#queue[0] !== entry)
                continue;
            if (reply.ok)
                this.#pause.reset();
            else if (reply.passing && again(entry, reply.fault))
                return this.#stumble(reply);
            else
                this.#refused(entry, reply);
            this.#remove(entry, reply);
        }
        this.#sending = false;
        this.#tellDropped();
    }
    /** Nobody takes events at present; a later event, a prompt or the timer tries again. */
    #stumble(reply) {
        this.#sending = false;
        for (const entry of this.#queue.filter((one) => one.once))
            this.#remove(entry, reply);
        for (const entry of this.#queue)
            entry.tried();
        if (this.#queue.length === 0 || this.#timer !== undefined)
            return;
        // Attempts in between do not make the pauses longer.
        this.#timer = setTimeout(() => {
            this.#timer = undefined;
            this.kick();
        }, this.#pause.next());
        this.#timer.unref();
    }
    #shorten() {
        while (this.#queue.length > MOST_EVENTS || this.#bytes > MOST_BYTES) {
            const oldest = this.#queue[0];
            if (oldest === undefined)
                return;
            this.lost.dropped += 1;
            this.#notices.once("dropped", "too many events wait for the daemon; the oldest are dropped");
            this.#remove(oldest, failed("refused", "dropped for newer events", false));
        }
    }
    /** The client tells of a plain refusal. */
    #refused(entry, { fault, detail }) {
        if (entry.once)
            return;
        this.lost.refused += 1;
        if (fault === "refused")
            return;
        this.#notices.once("given up", `an event is given up (daemon ${fault}: ${detail})`);
    }
    #remove(entry, reply) {
        const at = this.#queue.indexOf(entry);
        if (at < 0)
            return;
        this.#queue.splice(at, 1);
        this.#bytes -= entry.message.bytes;
        entry.settle(reply);
        entry.tried();
    }
    #tellDropped() {
        if (this.lost.dropped === this.#droppedTold)
            return;
        this.#droppedTold = this.lost.dropped;
        this.#notices.info(`${this.lost.dropped} events were dropped so far`);
    }
}
function again(entry, fault) {
    if (SUSPICIOUS.has(fault))
        entry.attempts += 1;
    return entry.attempts < MOST_ATTEMPTS;
}
