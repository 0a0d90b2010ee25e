import type { ToolCall } from "./tools.js";

/** Tells whether a call is not settled yet. */
export const isOpen = ({ status }: ToolCall): boolean => status === "awaiting" || status === "approved" || status === "running";

/** Tells whether an answer with these calls goes no further before somebody decides. */
export function waits(calls: Iterable<ToolCall>): boolean {
  const open = [...calls].filter(isOpen);
  return open.length > 0 && open.every(({ status }) => status === "awaiting");
}

/** Tells whether a call stood so before it came to what is known: a stream that is read again begins with what was long ago. */
export function isOld(call: ToolCall, known: ToolCall): boolean {
  return isOpen(known) ? call.status === "awaiting" && known.status !== "awaiting" : isOpen(call);
}
