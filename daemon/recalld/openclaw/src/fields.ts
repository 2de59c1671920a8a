/** Values from outside, taken for nothing until looked at. */

export type Fields = Readonly<Record<string, unknown>>;

/** The object itself; an empty one for anything else. */
export function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A string with something in it, else undefined. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** At most `limit` UTF-16 units: of a longer text its head and its tail. */
export function clipped(value: string, limit: number): string {
  if (value.length <= limit) return value;
  const half = Math.floor((limit - CUT.length) / 2);
  return value.slice(0, half) + CUT + value.slice(value.length - half);
}

const CUT = "\n[…]\n";

/** `promise`, or undefined after `limitMs`. Never rejects. */
export async function within<T>(promise: Promise<T>, limitMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, limitMs));
  });
  try {
    return await Promise.race([promise.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
