/** What was said, out of the host's messages. */
import { clipped, fields, list, text } from "./fields.js";
const SPEAKERS = new Set(["user", "assistant"]);
/** Other sessions and the host itself, in the role of the user. */
const FOREIGN = new Set(["inter_session", "internal_system"]);
const TEXT_BLOCKS = new Set(["text", "input_text", "output_text"]);
/** Of a line of 256 KiB: room for the rest, for escapes, and for letters of three bytes. */
const TURN_BYTES = 230_000;
/** Units a text is cut to, from the widest that fits. */
const WIDTHS = [100_000, 30_000, 10_000, 5_000];
/** Whether the host says that these words are not the user's. */
export function isForeign(provenance) {
    return FOREIGN.has(fields(provenance)["kind"]);
}
/** The text of a string or of text blocks; tool calls, results and pictures are none. */
export function textOf(content) {
    if (typeof content === "string")
        return content;
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
export function lastTurn(messages) {
    const said = sinceTheUser(messages);
    const [first] = said;
    if (first === undefined)
        return undefined;
    const user = first.role === "user" ? first.content : "";
    const last = said.at(-1);
    const assistant = last?.role === "assistant" ? last.content : "";
    const whole = said.length > 2 ? said : undefined;
    return fitted(user, assistant, whole);
}
/** From the end back to words of the user's; everything where they said nothing. */
function sinceTheUser(messages) {
    const said = [];
    for (let at = messages.length - 1; at >= 0; at -= 1) {
        const one = speech(messages[at]);
        if (one === undefined)
            continue;
        said.unshift(one);
        if (one.role === "user")
            break;
    }
    return said;
}
function speech(message) {
    const { role, content, timestamp, provenance } = fields(message);
    if (!SPEAKERS.has(role) || isForeign(provenance))
        return undefined;
    const said = text(textOf(content));
    if (said === undefined)
        return undefined;
    const at = moment(timestamp);
    return { role: String(role), content: said, ...(at === undefined ? {} : { at }) };
}
function moment(timestamp) {
    const known = typeof timestamp === "number" || typeof timestamp === "string";
    const at = known ? new Date(timestamp) : undefined;
    return at === undefined || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
/** As much of it as one line takes: the steps go first, then the middle of long texts. */
function fitted(user, assistant, messages) {
    const whole = { user, assistant, ...(messages === undefined ? {} : { messages }) };
    if (bytes(whole) <= TURN_BYTES)
        return whole;
    const cut = WIDTHS.map((width) => ({
        user: clipped(user, width),
        assistant: clipped(assistant, width),
    }));
    return cut.find((turn) => bytes(turn) <= TURN_BYTES) ?? { user: "", assistant: "" };
}
function bytes(value) {
    return Buffer.byteLength(JSON.stringify(value));
}
