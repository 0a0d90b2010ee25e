import type { ToolCall, ToolCallResponse } from "chatsdk";

import type { ChatClient } from "./types.js";

/**
 * The state of a call after a decision is sent. If somebody else decided first, that decision counts.
 *
 * @internal
 */
export async function decided(sdk: ChatClient, callId: string, post: () => Promise<ToolCallResponse>): Promise<ToolCall> {
  try {
    return (await post()).call;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "CONFLICT") {
      return sdk.getToolCall(callId);
    }
    throw error;
  }
}
