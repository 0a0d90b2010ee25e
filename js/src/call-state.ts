import type { ToolCall } from "./tools.js";

/** Reports whether a call is not settled yet. */
export const isOpen = ({ status }: ToolCall): boolean => status === "awaiting" || status === "approved" || status === "running";

/** Reports whether an answer with these calls waits for a decision. */
export function waits(calls: Iterable<ToolCall>): boolean {
  const open = [...calls].filter(isOpen);
  return open.length > 0 && open.every(({ status }) => status === "awaiting");
}

/** Reports whether a call is an older state than the known one: a stream that is read again begins with old states. */
export function isOld(call: ToolCall, known: ToolCall): boolean {
  return isOpen(known) ? call.status === "awaiting" && known.status !== "awaiting" : isOpen(call);
}
