import { read } from "../bindings.js";
import { json } from "../native.js";
import type { Seen } from "./messages.js";

/**
 * Returns a function that passes on the events of a stream, and how much the page then has. It leaves out what the page
 * had when the stream began here: another worker has died, and the answer is read from its first word.
 */
export function unseen(had: Seen = { characters: 0, others: 0 }, give: (events: string, now: Seen) => void): (events: string) => void {
  let { characters, others } = had; // the page has them
  let characterSkips = characters;
  let otherSkips = others;
  return (events) => {
    const skips = characterSkips + otherSkips > 0;
    const rest: unknown[][] = [];
    for (const [type, ...values] of read<[string, ...unknown[]][]>(events)) {
      const kept = type === "chunk" ? textAfter(values as string[]) : eventsAfter(values);
      if (kept.length > 0) {
        rest.push([type, ...kept]);
      }
    }
    if (rest.length > 0) {
      give(skips ? json(rest) : events, { characters, others });
    }
  };

  function textAfter(texts: string[]): string[] {
    const kept: string[] = [];
    for (const text of texts) {
      const isNew = characterSkips < text.length || characterSkips === 0; // an empty text is an event, too
      const skipped = Math.min(characterSkips, text.length);
      characterSkips -= skipped;
      characters += text.length - skipped;
      if (isNew) {
        kept.push(text.slice(skipped));
      }
    }
    return kept;
  }

  function eventsAfter(values: unknown[]): unknown[] {
    const kept = values.slice(otherSkips);
    otherSkips -= values.length - kept.length;
    others += kept.length;
    return kept;
  }
}
