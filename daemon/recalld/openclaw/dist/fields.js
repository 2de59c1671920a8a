/** Values from outside, taken for nothing until looked at. */
/** The object itself; an empty one for anything else. */
export function fields(value) {
    return isFields(value) ? value : {};
}
export function isFields(value) {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}
/** A string with something in it, else undefined. */
export function text(value) {
    return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
export function list(value) {
    return Array.isArray(value) ? value : [];
}
/** At most `limit` UTF-16 units: of a longer text its head and its tail. */
export function clipped(value, limit) {
    if (value.length <= limit)
        return value;
    const half = Math.floor((limit - CUT.length) / 2);
    return value.slice(0, half) + CUT + value.slice(value.length - half);
}
const CUT = "\n[…]\n";
/** `promise`, or undefined after `limitMs`. Never rejects. */
export async function within(promise, limitMs) {
    let timer;
    const late = new Promise((resolve) => {
        timer = setTimeout(() => resolve(undefined), Math.max(0, limitMs));
    });
    try {
        return await Promise.race([promise.catch(() => undefined), late]);
    }
    finally {
        clearTimeout(timer);
    }
}
