import type { Message, ToolCall } from "chatsdk";
import type { DynamicToolUIPart, UIMessage, UIMessageChunk } from "ai";

import { isOpen } from "../call-state.js";

/**
 * The texts of an answer and the calls between them, in order. The service separates two texts by
 * an empty line, which separate parts don't need.
 *
 * @internal
 */
export function pieces({ content, tool_calls: calls = [] }: Pick<Message, "content" | "tool_calls">): (string | ToolCall)[] {
  const all: (string | ToolCall)[] = [];
  let from = 0;
  for (const call of [...calls].sort((a, b) => a.at - b.at)) {
    all.push(content.slice(from, call.at), call);
    from = Math.max(from, call.at);
  }
  all.push(content.slice(from));
  return all.map((piece, i) => (typeof piece === "string" && i > 0 ? piece.replace(/^\n\n/, "") : piece)).filter((piece) => piece !== "");
}

/** The error text of a call that failed. */
function errorOf({ status, error }: ToolCall): string {
  return error ?? (status === "expired" ? "nobody decided in time, and it was not carried out" : "it was begun, and nobody knows what became of it");
}

const input = (call: ToolCall): unknown => JSON.parse(call.arguments);

/**
 * The part for the current state of a call.
 *
 * @internal
 */
export function partOf(call: ToolCall): DynamicToolUIPart {
  const { id, name: toolName, status, approval: who, reason } = call;
  const part = {
    type: "dynamic-tool" as const, toolName, toolCallId: id, input: input(call), providerExecuted: true, callProviderMetadata: { chatsdk: data(call) },
  };
  const decided = <Approved extends boolean>(approved: Approved) => ({ approval: { id, approved, ...(reason && { reason }) } });
  const granted = who === "never" ? {} : decided(true);
  switch (status) {
    case "awaiting":
      return { ...part, state: "approval-requested", approval: { id } };
    case "approved":
    case "running":
      return who === "never" ? { ...part, state: "input-available" } : { ...part, state: "approval-responded", ...decided(true) };
    case "done":
      return { ...part, state: "output-available", output: call.result ?? "", ...granted };
    case "denied":
      return { ...part, state: "output-denied", ...decided(false) };
    default:
      return { ...part, state: "output-error", errorText: errorOf(call), ...granted };
  }
}

/**
 * The chunks that turn the part of the call `before` into the current one.
 *
 * @internal
 */
export function chunksOf(call: ToolCall, before: ToolCall | undefined): UIMessageChunk[] {
  const { id: toolCallId, name: toolName, status, approval, reason } = call;
  const chunks: UIMessageChunk[] = [];
  if (before?.arguments !== call.arguments) {
    chunks.push({
      type: "tool-input-available", toolCallId, toolName, input: input(call), dynamic: true, providerExecuted: true, providerMetadata: { chatsdk: data(call) },
    });
  }
  if (before === undefined && (status === "awaiting" || status === "denied")) {
    chunks.push({ type: "tool-approval-request", approvalId: toolCallId, toolCallId });
  }
  const wasAsked = before?.status === "awaiting" || (before === undefined && status === "denied");
  if (wasAsked && status !== "awaiting" && approval !== "never") {
    chunks.push({ type: "tool-approval-response", approvalId: toolCallId, approved: status !== "denied", ...(reason && { reason }) });
  }
  if (status === "done") {
    chunks.push({ type: "tool-output-available", toolCallId, output: call.result ?? "", dynamic: true, providerExecuted: true });
  } else if (status === "denied") {
    chunks.push({ type: "tool-output-denied", toolCallId });
  } else if (!isOpen(call)) {
    chunks.push({ type: "tool-output-error", toolCallId, errorText: errorOf(call), dynamic: true, providerExecuted: true });
  }
  return chunks;
}

/** A call as JSON, without undefined fields. */
function data(call: ToolCall): Record<string, string | number | boolean> {
  return Object.fromEntries(Object.entries(call).filter(([, value]) => value !== undefined));
}

/**
 * The call in a part of a message; undefined in other parts.
 *
 * @internal
 */
export function callOf(part: UIMessage["parts"][number]): ToolCall | undefined {
  return part.type === "dynamic-tool" ? (part.callProviderMetadata?.["chatsdk"] as ToolCall | undefined) : undefined;
}

/**
 * The user's decisions in a message. It leaves out calls that were already decided when the message
 * was read.
 *
 * @internal
 */
export function decisions({ parts }: UIMessage): { id: string; approved: boolean; reason: string | undefined }[] {
  return parts.flatMap((part) => {
    if (part.type !== "dynamic-tool" || part.state !== "approval-responded" || (callOf(part)?.status ?? "awaiting") !== "awaiting") {
      return [];
    }
    const { id, approved, reason } = part.approval;
    return [{ id, approved, reason }];
  });
}
