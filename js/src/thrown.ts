/**
 * Reading what a page threw or returned. It may be any value: a getter may throw, and a revoked proxy throws
 * at each question.
 */

/** A property of a value, if it is a string. */
export function textOf(value: unknown, property: string): string | undefined {
  try {
    const text = (value as Record<string, unknown>)[property];
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value is an instance of a class. */
export function isA<T>(value: unknown, type: abstract new (...args: never[]) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}
