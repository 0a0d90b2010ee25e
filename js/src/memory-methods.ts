import type {
  AnswersOfMemoryResponse, ApproveMemoryOptions, CreateMemoryOptions, DecideMemoriesOptions, DecideMemoriesResponse, DeleteUserMemoriesResponse,
  GetMemoryStatsOptions, ListErasuresResponse, ListMemoriesOptions, ListMemoriesResponse, ListPendingMemoriesOptions, ListPendingMemoriesResponse,
  ListUserMemoriesOptions, ListUserMemoriesResponse, MemoriesOfSourceOptions, Memory, MemoryActionResponse, MemorySettings, MemorySettingsOptions,
  MemorySettingsResponse, MemoryStats, UpdateMemoryOptions, UserMemories,
} from "./memories.js";
import type { CallOptions, PageOptions, Paged, Unpaged, WriteOptions } from "./options.js";

/** The methods of a ChatSDK for what an agent remembers of its users. */
export interface MemoryMethods {
  /**
   * Returns the memory settings of an agent.
   *
   * @param agentId The agent's id.
   * @param options The options of a call.
   * @throws {APIError} `ENTITY_NOT_FOUND` if the caller may use no such agent.
   * @example
   * ```ts
   * const { memory_enabled: isOn } = await sdk.getMemorySettings(agentId);
   * console.log(isOn);
   * ```
   */
  getMemorySettings(agentId: string, options?: CallOptions): Promise<MemorySettings>;

  /**
   * Changes the settings that you pass, and returns all settings. Only for administrators of the agent.
   *
   * @param agentId The agent's id.
   * @param settings The settings to change, and the options of a call.
   * @throws {APIError} `PERMISSION_DENIED` if the caller does not administer the agent.
   * @example
   * ```ts
   * await sdk.updateMemorySettings(agentId, { memoryEnabled: true, memoryTypes: ["preference"] });
   * ```
   */
  updateMemorySettings(agentId: string, settings: MemorySettingsOptions): Promise<MemorySettingsResponse>;

  /**
   * Returns the memories of an agent, grouped by user, newest first. Callers who do not administer the agent get only their own.
   *
   * @param agentId The agent's id.
   * @param options Which memories, which page, and the options of a call.
   * @throws {APIError} `PERMISSION_DENIED` if the caller names another user without administering the agent.
   * @example
   * ```ts
   * const { memories_by_user: byUser } = await sdk.listMemories(agentId, { status: "approved" });
   * console.log(byUser["ana"]?.map((memory) => memory.memory_content));
   * ```
   */
  listMemories(agentId: string, options?: ListMemoriesOptions): Promise<ListMemoriesResponse>;

  /**
   * Returns a page of the memories of one user, newest first.
   *
   * @param agentId The agent's id.
   * @param userId The user's id.
   * @param options The page's `cursor` or `limit`, which memories, and the options of a call.
   * @throws {APIError} `PERMISSION_DENIED` if the caller is another user and does not administer the agent.
   * @example
   * ```ts
   * const { memories, next_cursor: next } = await sdk.listUserMemories(agentId, "ana", { limit: 50 });
   * console.log(memories.length, next);
   * ```
   */
  listUserMemories(agentId: string, userId: string, options: ListUserMemoriesOptions & Paged): Promise<ListUserMemoriesResponse>;
  /**
   * Returns the memories of one user, newest first: at most 1,000. If there are more, `has_more` of the array is true.
   *
   * @param agentId The agent's id.
   * @param userId The user's id.
   * @param options Which memories, and the options of a call.
   * @throws {APIError} `PERMISSION_DENIED` if the caller is another user and does not administer the agent.
   * @example
   * ```ts
   * const memories = await sdk.listUserMemories(agentId, "ana", { type: "preference" });
   * console.log(memories.map((memory) => memory.memory_content));
   * ```
   */
  listUserMemories(agentId: string, userId: string, options?: ListUserMemoriesOptions & Unpaged): Promise<UserMemories>;
  /**
   * Returns the memories of one user, newest first. With `cursor` or `limit` the result is a page.
   * Without them it is an array of at most 1,000, whose `has_more` is true if there are more.
   *
   * @param agentId The agent's id.
   * @param userId The user's id.
   * @param options Which memories, which page, and the options of a call.
   * @throws {APIError} `PERMISSION_DENIED` if the caller is another user and does not administer the agent.
   * @example
   * ```ts
   * const limit = page.hidden ? 10 : undefined;
   * const found = await sdk.listUserMemories(agentId, "ana", { limit });
   * console.log("memories" in found ? found.memories : found);
   * ```
   */
  listUserMemories(agentId: string, userId: string, options?: ListUserMemoriesOptions): Promise<ListUserMemoriesResponse | UserMemories>;

  /**
   * Returns the memories that are waiting for a review, newest first.
   *
   * @param options Whose memories, which page, and the options of a call.
   * @throws {APIError} `PERMISSION_DENIED` if the caller names another user without administering the agent.
   * @example
   * ```ts
   * const { approvals, total } = await sdk.listPendingMemories({ limit: 20 });
   * console.log(`${approvals.length} of ${total}`);
   * ```
   */
  listPendingMemories(options?: ListPendingMemoriesOptions): Promise<ListPendingMemoriesResponse>;

  /**
   * Returns the memories that were detected in a message or a chat, grouped by user, newest first. A deleted chat has none.
   *
   * @param agentId The agent's id.
   * @param options The message or the chat, which page, and the options of a call.
   * @throws {APIError} `ENTITY_NOT_FOUND` if the caller may use no such agent.
   * @example
   * ```ts
   * const { total_memories: total } = await sdk.memoriesOfSource(agentId, { chatId });
   * console.log(total);
   * ```
   */
  memoriesOfSource(agentId: string, options: MemoriesOfSourceOptions): Promise<ListMemoriesResponse>;

  /**
   * Approves a pending memory. Memories that it contradicts are no longer used. It also approves
   * a superseded memory again, once the memory that superseded it is no longer in use.
   *
   * @param memoryId The memory's id.
   * @param options Another statement, and the options of a call that counts once.
   * @throws {APIError} `CONFLICT` for any other memory, `PERMISSION_DENIED` if the caller may not review it.
   * @example
   * ```ts
   * const { superseded } = await sdk.approveMemory(memoryId, { memoryContent: "User lives in Lyon" });
   * console.log(superseded);
   * ```
   */
  approveMemory(memoryId: string, options?: ApproveMemoryOptions): Promise<MemoryActionResponse>;

  /**
   * Rejects a pending memory for good.
   *
   * @param memoryId The memory's id.
   * @param options The options of a call that counts once.
   * @throws {APIError} `CONFLICT` if it is already decided or has expired, `PERMISSION_DENIED` if the caller may not review it.
   * @example
   * ```ts
   * await sdk.rejectMemory(memoryId);
   * ```
   */
  rejectMemory(memoryId: string, options?: WriteOptions): Promise<MemoryActionResponse>;

  /**
   * Approves or rejects up to 500 memories, and returns a result for each. If one cannot be decided, the others still are.
   *
   * @param options The memories, what to do with them, and the options of a call that counts once.
   * @throws {APIError} `PERMISSION_DENIED` if the caller may review none. What fails for one memory is in its result.
   * @example
   * ```ts
   * const { results } = await sdk.decideMemories({ action: "approve", memoryIds: [memoryId] });
   * console.log(results.filter(({ status }) => status !== 200));
   * ```
   */
  decideMemories(options: DecideMemoriesOptions): Promise<DecideMemoriesResponse>;

  /**
   * Adds an approved memory for a user. Only for administrators of the agent.
   *
   * @param agentId The agent's id.
   * @param userId The user's id.
   * @param memory The statement and its type, and the options of a call that counts once.
   * @throws {APIError} `CONFLICT` if a pending or approved memory says the same, `PERMISSION_DENIED` if the caller does not administer
   * the agent, `QUOTA_EXCEEDED` if the user has as many memories as allowed.
   * @example
   * ```ts
   * await sdk.createMemory(agentId, "ana", { memoryContent: "User prefers short answers", memoryType: "preference" });
   * ```
   */
  createMemory(agentId: string, userId: string, memory: CreateMemoryOptions): Promise<Memory>;

  /**
   * Changes the text of a pending or approved memory, which keeps its first text as `original_content`. Only for the agent's administrators.
   *
   * @param memoryId The memory's id.
   * @param memory The new statement and its type, and the options of a call.
   * @throws {APIError} `CONFLICT` if the memory is rejected or another one says the same, `PERMISSION_DENIED` if the caller does not
   * administer the agent.
   * @example
   * ```ts
   * await sdk.updateMemory(memoryId, { memoryContent: "User lives in Lyon", memoryType: "fact" });
   * ```
   */
  updateMemory(memoryId: string, memory: UpdateMemoryOptions): Promise<Memory>;

  /**
   * Returns a page of the answers that had a memory in their prompt, newest first. Answers of deleted chats are not listed.
   *
   * @param memoryId The memory's id.
   * @param options Which page, and the options of a call.
   * @throws {APIError} `ENTITY_NOT_FOUND` if the caller may see no such memory.
   * @example
   * ```ts
   * const { answers } = await sdk.answersOfMemory(memoryId);
   * console.log(answers.map((answer) => answer.chat_id));
   * ```
   */
  answersOfMemory(memoryId: string, options?: PageOptions): Promise<AnswersOfMemoryResponse>;

  /**
   * Returns a page of receipts for the deletions of an agent's memories, newest first. Only for administrators of the agent.
   *
   * @param agentId The agent's id.
   * @param options Which page, and the options of a call.
   * @throws {APIError} `PERMISSION_DENIED` if the caller does not administer the agent.
   * @example
   * ```ts
   * const { erasures } = await sdk.listErasures(agentId, { limit: 10 });
   * console.log(erasures.map(({ kind, at }) => `${kind} ${new Date(at * 1000).toISOString()}`));
   * ```
   */
  listErasures(agentId: string, options?: PageOptions): Promise<ListErasuresResponse>;

  /**
   * Deletes a memory of any status for good.
   *
   * @param memoryId The memory's id.
   * @param options The options of a call.
   * @throws {APIError} `ENTITY_NOT_FOUND` if the caller may see no such memory.
   * @example
   * ```ts
   * await sdk.deleteMemory(memoryId);
   * ```
   */
  deleteMemory(memoryId: string, options?: CallOptions): Promise<void>;

  /**
   * Counts the memories of an agent. For one user it also returns how much of the prompt they take.
   * Callers who do not administer the agent get only the counts of their own memories.
   *
   * @param agentId The agent's id.
   * @param options Whose memories, and the options of a call.
   * @throws {APIError} `PERMISSION_DENIED` if the caller names another user without administering the agent.
   * @example
   * ```ts
   * const { approved, room } = await sdk.getMemoryStats(agentId, { userId: "ana" });
   * console.log(approved, room?.left_out);
   * ```
   */
  getMemoryStats(agentId: string, options?: GetMemoryStatsOptions): Promise<MemoryStats>;

  /**
   * Deletes all memories that an agent has of a user, for good.
   *
   * @param agentId The agent's id.
   * @param userId The user's id.
   * @param options The options of a call.
   * @throws {APIError} `PERMISSION_DENIED` if the caller is another user and does not administer the agent.
   * @example
   * ```ts
   * const { deleted } = await sdk.deleteUserMemories(agentId, "ana");
   * console.log(deleted);
   * ```
   */
  deleteUserMemories(agentId: string, userId: string, options?: CallOptions): Promise<DeleteUserMemoriesResponse>;
}
