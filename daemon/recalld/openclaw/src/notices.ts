/** What the host's log is told: a fault once, not once a prompt. */

export interface Logger {
  debug?(message: string): void;
  info?(message: string): void;
  warn?(message: string): void;
}

export class Notices {
  /** The newest of the host's. */
  logger: Logger = {};
  readonly #told = new Set<string>();
  /** Of what was told, the outages that go on. */
  readonly #lasting = new Set<string>();

  /** A warning the first time, a debug line when it comes back later, nothing while it lasts. */
  outage(kind: string, message: string): void {
    if (this.#lasting.has(kind)) return;
    this.#lasting.add(kind);
    if (this.#told.has(kind)) this.#write("debug", message);
    else this.once(kind, message);
  }

  /** The daemon answered: the next outage is a new one. */
  answered(): void {
    this.#lasting.clear();
  }

  once(kind: string, message: string): void {
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    this.#write("warn", message);
  }

  info(message: string): void {
    this.#write("info", message);
  }

  #write(level: "debug" | "info" | "warn", message: string): void {
    try {
      this.logger[level]?.(`recalld: ${message}`);
    } catch {
      // A logger that fails is the host's matter, and no reason to fail a prompt.
    }
  }
}
