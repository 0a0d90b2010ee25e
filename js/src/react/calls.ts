import type { ToolCall } from "chatsdk";

import type { ChatMessage } from "./types.js";

const isOpen = ({ status }: ToolCall): boolean => status === "awaiting" || status === "approved" || status === "running";

/**
 * Tells whether an answer goes no further before somebody decides.
 *
 * @internal
 */
export function waits({ tool_calls: calls = [] }: ChatMessage): boolean {
  const open = calls.filter(isOpen);
  return open.length > 0 && open.every(({ status }) => status === "awaiting");
}

/**
 * The calls of an answer with one as it is now. A stream that is read again tells first what
 * was long ago.
 *
 * @internal
 */
export function withCall(calls: readonly ToolCall[] = [], call: ToolCall): ToolCall[] {
  const known = calls.find(({ id }) => id === call.id);
  if (known === undefined) {
    return [...calls, call];
  }
  const isOld = isOpen(known) ? call.status === "awaiting" && known.status !== "awaiting" : isOpen(call);
  return calls.map((one) => (one === known && !isOld ? call : one));
}
