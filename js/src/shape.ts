/** What an answer must hold, in the words of Call.holds in sdk/calls.go, which checks the answers that do not pass. */

/** The first characters of the JSON of a value, by its type. */
const firsts: Partial<Record<string, string>> = { string: '"', number: "0", boolean: "t" };

/** Whether an answer holds what a shape names: `[chats` is a list of objects, `"id` a text. */
export function holds(answer: unknown, shape: string): boolean {
  const name = shape.slice(1);
  const value = name ? (answer as Record<string, unknown>)[name] : answer;
  return first(value) === shape[0] && (!Array.isArray(value) || value.every((item) => first(item) === "{"));
}

function first(value: unknown): string | undefined {
  return typeof value === "object" && value ? (Array.isArray(value) ? "[" : "{") : firsts[typeof value];
}
