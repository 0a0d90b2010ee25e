import { type Event, read } from "../bindings.js";
import { json } from "../native.js";
import type { Seen } from "../messages.js";

/**
 * Returns a function that passes on the events of a stream, and how much the page then has. It leaves out what the page
 * had when the stream began here: another worker has died, and the answer is read from its first word. It comes with the same
 * events again, or, if the service no longer has these, as one text with the last state of each tool call.
 */
export function unseen(had: Seen = { characters: 0, others: {} }, pass: (events: string, now: Seen) => void): (events: string) => void {
  let { start } = had;
  const seen: Record<string, number> = { ...had.others, chunk: had.characters };
  const due = { ...seen }; // to be left out
  return (events) => {
    const rest: unknown[][] = [];
    let left = false;
    for (const [type, ...values] of read<[Event[0], ...unknown[]][]>(events)) {
      const isText = type === "chunk" || type === "reasoning";
      left ||= isText && (due[type] ?? 0) > 0;
      const kept = isText ? textAfter(type, values as string[]) : values.filter((value) => isNew(type, value));
      left ||= kept.length < values.length;
      if (kept.length > 0) {
        rest.push([type, ...kept]);
      }
    }
    if (rest.length > 0) {
      const { chunk: characters = 0, ...others } = seen;
      pass(left ? json(rest) : events, { characters, others, ...(start && { start }) });
    }
  };

  function textAfter(type: "chunk" | "reasoning", texts: string[]): string[] {
    const kept: string[] = [];
    for (const text of texts) {
      const had = due[type] ?? 0;
      const isKept = had < text.length || had === 0; // an empty text is an event, too
      const skipped = Math.min(had, text.length);
      due[type] = had - skipped;
      seen[type] = (seen[type] ?? 0) + text.length - skipped;
      if (isKept) {
        kept.push(text.slice(skipped));
      }
    }
    return kept;
  }

  function isNew(type: Event[0], value: unknown): boolean {
    const { id, status } = (value ?? {}) as { id?: unknown; status?: unknown };
    const kind = type === "tool_call" ? json([type, id, status]) : type;
    if (type === "start") {
      start = value as NonNullable<Seen["start"]>;
    }
    if (due[kind]) {
      due[kind] -= 1;
      return false;
    }
    seen[kind] = (seen[kind] ?? 0) + 1;
    return true;
  }
}
