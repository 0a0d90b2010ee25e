import { type Event, read } from "../bindings.js";
import { json } from "../native.js";
import type { Seen } from "../messages.js";

/**
 * Returns a function that passes on the events of a stream, and how much the page then has. It leaves out what the page
 * had when the stream began here: another worker has died, and the answer is read from its first word. It comes with the same
 * events again, or, if the service no longer has these, as one text with the last state of each tool call.
 */
export function unseen(had: Seen = { characters: 0, others: {} }, give: (events: string, now: Seen) => void): (events: string) => void {
  let { characters, start } = had;
  const others = { ...had.others };
  let charactersLeft = characters; // to be left out
  const othersLeft = { ...others };
  return (events) => {
    const rest: unknown[][] = [];
    let left = false;
    for (const [type, ...values] of read<[Event[0], ...unknown[]][]>(events)) {
      left ||= charactersLeft > 0;
      const kept = type === "chunk" ? textAfter(values as string[]) : values.filter((value) => isNew(type, value));
      left ||= kept.length < values.length;
      if (kept.length > 0) {
        rest.push([type, ...kept]);
      }
    }
    if (rest.length > 0) {
      give(left ? json(rest) : events, { characters, others: { ...others }, ...(start && { start }) });
    }
  };

  function textAfter(texts: string[]): string[] {
    const kept: string[] = [];
    for (const text of texts) {
      const isKept = charactersLeft < text.length || charactersLeft === 0; // an empty text is an event, too
      const skipped = Math.min(charactersLeft, text.length);
      charactersLeft -= skipped;
      characters += text.length - skipped;
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
    if (othersLeft[kind]) {
      othersLeft[kind] -= 1;
      return false;
    }
    others[kind] = (others[kind] ?? 0) + 1;
    return true;
  }
}
