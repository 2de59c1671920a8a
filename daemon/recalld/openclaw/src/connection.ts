/** One connection to the daemon: JSON-RPC, an object a line. */

import { connect, type Socket } from "node:net";

import { fields, isFields, text, type Fields } from "./fields.js";

/** The daemon refuses longer lines. */
export const MAX_LINE_BYTES = 262_144;
/** Its replies keep to the same bound; twice that is somebody else speaking. */
const MAX_REPLY_BYTES = 2 * MAX_LINE_BYTES;
/** Old registrations of a reloaded plugin hold no connection for longer than this. */
const IDLE_MS = 60_000;
const NEWLINE = 10;
/** Busy, unavailable, shutting down: the same words may be taken later. */
const PASSING_CODES: ReadonlySet<unknown> = new Set([-32001, -32002, -32003]);

/** `resting`: nothing was sent, since the daemon hung a moment ago. */
export type Fault = "absent" | "hung" | "resting" | "garbage" | "closed" | "refused" | "too_long";

export type Reply =
  | { readonly ok: true; readonly result: Fields }
  | {
      readonly ok: false;
      readonly fault: Fault;
      readonly detail: string;
      readonly passing: boolean;
    };

export function failed(fault: Fault, detail: string, passing = true): Reply {
  return { ok: false, fault, detail, passing };
}

/** A request as it goes over the wire; one id for life, so that it may be sent again. */
export interface Request {
  readonly id: number;
  readonly line: string;
  readonly bytes: number;
}

let lastId = 0;

export function request(method: string, params: Fields): Request {
  const id = ++lastId;
  const line = JSON.stringify({ jsonrpc: "2.0", id, method, params }, wellFormed) + "\n";
  return { id, line, bytes: Buffer.byteLength(line) };
}

/** Half a character, as hosts leave when they cut text, is no JSON for the daemon. */
function wellFormed(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

type Settle = (reply: Reply) => void;

export class Connection {
  readonly #socket: Socket;
  readonly #onEnd: () => void;
  readonly #waiting = new Map<number, Settle>();
  #held: Buffer = Buffer.alloc(0);
  #reached = false;
  #ended = false;

  constructor(path: string, onEnd: () => void, idleMs = IDLE_MS) {
    this.#onEnd = onEnd;
    this.#socket = connect({ path });
    // The host ends when it wants to; hooks that wait hold it by their own timers.
    this.#socket.unref();
    this.#socket.on("connect", () => (this.#reached = true));
    this.#socket.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#socket.on("error", (error) => this.#lost(error.message));
    this.#socket.on("close", () => this.#lost("the daemon closed the connection"));
    this.#socket.setTimeout(idleMs, () => {
      if (this.#waiting.size === 0) this.end("closed", "idle");
    });
  }

  /** Settled exactly once. */
  ask(message: Request, settle: Settle): void {
    this.#waiting.set(message.id, settle);
    this.#socket.write(message.line);
  }

  /** Everything that waits fails with this; the socket is gone. */
  end(fault: Fault, detail: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    this.#socket.destroy();
    for (const settle of this.#waiting.values()) settle(failed(fault, detail));
    this.#waiting.clear();
  }

  #lost(detail: string): void {
    this.end(this.#reached ? "closed" : "absent", detail);
  }

  #read(chunk: Buffer): void {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    let at = this.#held.indexOf(NEWLINE);
    while (at >= 0 && !this.#ended) {
      const line = this.#held.toString("utf8", 0, at);
      this.#held = this.#held.subarray(at + 1);
      if (line.trim() !== "") this.#take(line);
      at = this.#held.indexOf(NEWLINE);
    }
    if (this.#held.length > MAX_REPLY_BYTES) this.end("garbage", "a reply without end");
  }

  #take(line: string): void {
    const message = parsed(line);
    if (message === undefined) return this.end("garbage", "a line that is no JSON object");
    const { id, result, error } = message;
    // It could not tell which of our lines it cannot read.
    if (id === null) return this.end("garbage", text(fields(error)["message"]) ?? "no reason");
    const settle = typeof id === "number" ? this.#waiting.get(id) : undefined;
    // Notifications, and answers nobody waits for.
    if (settle === undefined) return;
    if (!isFields(result) && !isFields(error))
      return this.end("garbage", "a reply without a result");
    this.#waiting.delete(id as number);
    settle(isFields(result) ? { ok: true, result } : refusal(fields(error)));
  }
}

function parsed(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function refusal(error: Fields): Reply {
  const detail = `${text(error["message"]) ?? "no reason"} (${String(error["code"])})`;
  return failed("refused", detail, PASSING_CODES.has(error["code"]));
}
