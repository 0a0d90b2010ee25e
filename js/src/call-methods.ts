import type { CallOptions, WriteOptions } from "./options.js";
import type { ApproveToolCallOptions, ListToolCallsOptions, ListToolCallsResponse, ToolCall, ToolCallResponse } from "./tools.js";

/** The methods of a ChatSDK for the calls of tools, and for their approval. */
export interface CallMethods {
  /**
   * Returns a page of the tool calls that the caller may see, newest first.
   *
   * @param options Which calls, which page, and the options of a call.
   * @throws {APIError} `VALIDATION_ERROR` if no page gave this cursor.
   * @example
   * ```ts
   * const { tool_calls: waiting } = await sdk.listToolCalls({ status: "awaiting" });
   * console.log(waiting.map(({ name, arguments: args }) => `${name} ${args}`).join("\n"));
   * ```
   */
  listToolCalls(options?: ListToolCallsOptions): Promise<ListToolCallsResponse>;

  /**
   * Returns a tool call with its whole result.
   *
   * @param callId The call's id.
   * @param options The options of a call.
   * @throws {APIError} `ENTITY_NOT_FOUND` if the caller may see no such call.
   * @example
   * ```ts
   * const { status, result } = await sdk.getToolCall(callId);
   * console.log(status, result);
   * ```
   */
  getToolCall(callId: string, options?: CallOptions): Promise<ToolCall>;

  /**
   * Approves a tool call that is waiting for a decision. The call is then carried out once.
   *
   * @param callId The call's id.
   * @param options Other arguments, a reason, and the options of a call that counts once.
   * @throws {APIError} `CONFLICT` if it is already decided or has expired, `PERMISSION_DENIED` if only an administrator may decide it.
   * @example
   * ```ts
   * const { call } = await sdk.approveToolCall(callId, { arguments: { city: "Lyon" } });
   * console.log(call.status);
   * ```
   */
  approveToolCall(callId: string, options?: ApproveToolCallOptions): Promise<ToolCallResponse>;

  /**
   * Denies, for good, a tool call that is waiting for a decision.
   *
   * @param callId The call's id.
   * @param reason Told to the model, 1,000 characters at most. Default: none.
   * @param options The options of a call that counts once.
   * @throws {APIError} `CONFLICT` if it is already decided or has expired, `PERMISSION_DENIED` if only an administrator may decide it.
   * @example
   * ```ts
   * await sdk.denyToolCall(callId, "It is too expensive.");
   * ```
   */
  denyToolCall(callId: string, reason?: string, options?: WriteOptions): Promise<ToolCallResponse>;
}
