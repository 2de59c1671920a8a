/** Asks the daemon. Fails open: whatever goes wrong is a reply that says so, in time. */
import { Connection, MAX_LINE_BYTES, failed } from "./connection.js";
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** Doubles from `FIRST_PAUSE_MS` up to `LONGEST_PAUSE_MS`. */
export class Pause {
    #nextMs = FIRST_PAUSE_MS;
    next() {
        const pauseMs = this.#nextMs;
        this.#nextMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
        return pauseMs;
    }
    reset() {
        this.#nextMs = FIRST_PAUSE_MS;
    }
}
export class Client {
    #path;
    #notices;
    #pause = new Pause();
    #connection;
    #quietUntil = 0;
    /** `path` is asked at each connect: the daemon may move, and its folder may change hands. */
    constructor(path, notices) {
        this.#path = path;
        this.#notices = notices;
    }
    /**
     * The reply, or a failure within `deadlineMs`, connecting included. A daemon that let one
     * deadline pass is not waited for again until a pause has gone by. `holds`: whether the host's
     * process stays for the answer.
     */
    async exchange(message, deadlineMs, { holds = true } = {}) {
        if (message.bytes > MAX_LINE_BYTES)
            return failed("too_long", `${message.bytes} bytes`, false);
        if (performance.now() < this.#quietUntil)
            return failed("resting", "it hung a moment ago");
        const reply = await this.#asked(message, deadlineMs, holds);
        this.#note(reply);
        return reply;
    }
    #asked(message, deadlineMs, holds) {
        let connection;
        try {
            connection = this.#connection ??= this.#connected();
        }
        catch (error) {
            return Promise.resolve(failed("absent", String(error)));
        }
        return new Promise((resolve) => {
            const late = () => {
                this.#quietUntil = performance.now() + this.#pause.next();
                connection.end("hung", `no answer in ${Math.round(deadlineMs)} ms`);
            };
            const timer = setTimeout(late, Math.max(0, deadlineMs));
            if (!holds)
                timer.unref();
            connection.ask(message, (reply) => {
                clearTimeout(timer);
                resolve(reply);
            });
        });
    }
    #connected() {
        const connection = new Connection(this.#path(), () => {
            if (this.#connection === connection)
                this.#connection = undefined;
        });
        return connection;
    }
    #note(reply) {
        if (!reply.ok && reply.fault !== "refused") {
            const { fault, detail } = reply;
            this.#notices.outage(fault, `prompts go on without memory (daemon ${fault}: ${detail})`);
            return;
        }
        this.#pause.reset();
        this.#notices.answered();
        if (!reply.ok)
            this.#notices.once("refused", `the daemon refused a request: ${reply.detail}`);
    }
}
