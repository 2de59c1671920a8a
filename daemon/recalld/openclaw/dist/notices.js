/** What the host's log is told: a fault once, not once a prompt. */
export class Notices {
    /** The newest of the host's. */
    logger = {};
    #told = new Set();
    /** Of what was told, the outages that go on. */
    #lasting = new Set();
    /** A warning the first time, a debug line when it comes back later, nothing while it lasts. */
    outage(kind, message) {
        if (this.#lasting.has(kind))
            return;
        this.#lasting.add(kind);
        if (this.#told.has(kind))
            this.#write("debug", message);
        else
            this.once(kind, message);
    }
    /** The daemon answered: the next outage is a new one. */
    answered() {
        this.#lasting.clear();
    }
    once(kind, message) {
        if (this.#told.has(kind))
            return;
        this.#told.add(kind);
        this.#write("warn", message);
    }
    info(message) {
        this.#write("info", message);
    }
    #write(level, message) {
        try {
            this.logger[level]?.(`recalld: ${message}`);
        }
        catch {
            // A logger that fails is the host's matter, and no reason to fail a prompt.
        }
    }
}
