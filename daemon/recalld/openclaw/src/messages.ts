/** What was said, out of the host's messages. */

import { clipped, fields, list, text } from "./fields.js";

const SPEAKERS: ReadonlySet<unknown> = new Set(["user", "assistant"]);
/** Other sessions and the host itself, in the role of the user. */
const FOREIGN: ReadonlySet<unknown> = new Set(["inter_session", "internal_system"]);
const TEXT_BLOCKS: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text"]);
/** Of a line of 256 KiB: room for the rest, for escapes, and for letters of three bytes. */
const TURN_BYTES = 230_000;
/** Units a text is cut to, from the widest that fits. */
const WIDTHS = [100_000, 30_000, 10_000, 5_000] as const;

export interface Speech {
  readonly role: string;
  readonly content: string;
  readonly at?: string;
}

export interface Turn {
  readonly user: string;
  readonly assistant: string;
  readonly messages?: readonly Speech[];
}

/** Whether the host says that these words are not the user's. */
export function isForeign(provenance: unknown): boolean {
  return FOREIGN.has(fields(provenance)["kind"]);
}

/** The text of a string or of text blocks; tool calls, results and pictures are none. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map(fields)
    .filter((block) => TEXT_BLOCKS.has(block["type"]))
    .map((block) => text(block["text"]) ?? "")
    .join("\n")
    .trim();
}

/**
 * The last exchange: the user's last words and the assistant's last words after them. Steps in
 * between come along as `messages`. Undefined: nobody said anything.
 */
export function lastTurn(messages: readonly unknown[]): Turn | undefined {
  const said = sinceTheUser(messages);
  const [first] = said;
  if (first === undefined) return undefined;
  const user = first.role === "user" ? first.content : "";
  const last = said.at(-1);
  const assistant = last?.role === "assistant" ? last.content : "";
  const whole = said.length > 2 ? said : undefined;
  return fitted(user, assistant, whole);
}

/** From the end back to words of the user's; everything where they said nothing. */
function sinceTheUser(messages: readonly unknown[]): Speech[] {
  const said: Speech[] = [];
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const one = speech(messages[at]);
    if (one === undefined) continue;
    said.unshift(one);
    if (one.role === "user") break;
  }
  return said;
}

function speech(message: unknown): Speech | undefined {
  const { role, content, timestamp, provenance } = fields(message);
  if (!SPEAKERS.has(role) || isForeign(provenance)) return undefined;
  const said = text(textOf(content));
  if (said === undefined) return undefined;
  const at = moment(timestamp);
  return { role: String(role), content: said, ...(at === undefined ? {} : { at }) };
}

function moment(timestamp: unknown): string | undefined {
  const known = typeof timestamp === "number" || typeof timestamp === "string";
  const at = known ? new Date(timestamp) : undefined;
  return at === undefined || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** As much of it as one line takes: the steps go first, then the middle of long texts. */
function fitted(user: string, assistant: string, messages: readonly Speech[] | undefined): Turn {
  const whole = { user, assistant, ...(messages === undefined ? {} : { messages }) };
  if (bytes(whole) <= TURN_BYTES) return whole;
  const cut = WIDTHS.map((width) => ({
    user: clipped(user, width),
    assistant: clipped(assistant, width),
  }));
  return cut.find((turn) => bytes(turn) <= TURN_BYTES) ?? { user: "", assistant: "" };
}

function bytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
