import type { CallOptions, PageOptions, WriteOptions } from "./options.js";
import type { Page } from "./types.js";

/** What the user prefers, a fact about the user, or what the user is doing at the moment. */
export type MemoryType = "preference" | "fact" | "context";

/** Only an approved memory is used. */
export type MemoryStatus = "pending" | "approved" | "rejected";

/**
 * Why a memory was not approved automatically. `"review"`: the agent approves nothing automatically, or the statement says more than
 * the user's words. `"foreign"`: the words may be somebody else's. `"instruction"`: it tells the assistant what to do, and not only
 * how to answer. `"address"`: it contains an address. `"close"`: it is close to another memory. `"deleted"`: a similar one was deleted.
 */
export type MemoryWait = "review" | "foreign" | "instruction" | "address" | "close" | "deleted";

/** Something that an agent remembers about a user. Times are seconds since the Unix epoch. */
export interface Memory {
  id: string;
  agent_id: string;
  user_id: string;
  /** A short statement, 300 characters at most. */
  memory_content: string;
  memory_type: MemoryType;
  /** How sure the detection is, from 0 to 1. */
  confidence_score: number;
  status: MemoryStatus;
  created_at: number;
  updated_at: number;
  approved_at?: number;
  rejected_at?: number;
  reject_reason?: "reviewer" | "expired" | "superseded";
  /**
   * The id of the user who approved or rejected it, `"api_key"` or `"auto_approve"`. Absent while it
   * is pending, and if nobody decided, for example because it expired.
   */
  decided_by?: string;
  /** The `memory_content` before the first edit. */
  original_content?: string;
  /** Who edited it last, as in `decided_by`. */
  edited_by?: string;
  edited_at?: number;
  /**
   * All edits, the oldest first; of more than 100, or 16 KiB of text, the first and the newest. Only administrators of the agent
   * get them.
   */
  edits?: MemoryEdit[];
  /** Whether the user said it, or an administrator wrote it. An older service leaves it out. */
  origin?: "user" | "administrator";
  /** Why it was not approved automatically. */
  waits_for?: MemoryWait;
  /** Ids of the memories that said nearly the same when it was detected. */
  close_to?: string[];
  /** The id of the memory that replaced this one. When that one is no longer in use, this one may be approved again. */
  superseded_by?: string;
  /** When a pending memory expires. */
  expires_at?: number;
  /** The chat it was detected in. This and the next three fields are absent if the chat was deleted. */
  source_chat_id?: string;
  /** The message it was detected in. */
  source_message_id?: string;
  /** The text of that message. Secrets in it are replaced by `•`. */
  triggering_message?: string;
  /** Where `triggering_message` says it, in the user's own words. */
  span?: Span;
  /** Ids of the approved memories that this one contradicts. */
  conflicts_with?: string[];
  /** Ids of pending memories, 20 at most, that this pending one contradicts. Only lists have it. */
  conflicts_with_pending?: string[];
}

/** An edit of a memory. */
export interface MemoryEdit {
  /** The text that the edit replaced. */
  text: string;
  /** Who edited, as in `decided_by`. */
  by: string;
  /** When, in seconds since the Unix epoch. */
  at: number;
}

/** A part of a text, in UTF-16 offsets, as `slice` takes them. */
export interface Span {
  start: number;
  end: number;
}

/** The memory settings of an agent. */
export interface MemorySettings {
  /** Whether detection is on. */
  memory_enabled: boolean;
  /** How many memories a user may have. */
  max_memories: number;
  /** Approves at once what is plainly the user's own statement. What may be somebody else's words still waits: see `waits_for`. */
  auto_approve: boolean;
  /** The types that are detected. */
  memory_types: MemoryType[];
}

/** The response to `updateMemorySettings`. */
export interface MemorySettingsResponse {
  success: boolean;
  message: string;
  /** All settings, after the change. */
  settings: MemorySettings;
}

/** The memories of an agent, grouped by user, newest first. */
export interface ListMemoriesResponse extends Page {
  /** By user id. */
  memories_by_user: Record<string, Memory[]>;
  total_users: number;
  total_memories: number;
}

/** A page of the memories of a user, newest first. */
export interface ListUserMemoriesResponse extends Page {
  memories: Memory[];
}

/** The memories of a user, newest first, at most 1,000. */
export interface UserMemories extends Array<Memory> {
  /** True if there are more: ask for pages to get them. Absent if these are all. */
  has_more?: true;
}

/** The memories that are waiting for a review, newest first. */
export interface ListPendingMemoriesResponse extends Page {
  approvals: Memory[];
  total: number;
}

/** The response to `approveMemory` and `rejectMemory`. */
export interface MemoryActionResponse {
  success: boolean;
  message: string;
  /** The memory after the decision. */
  memory: Memory;
  /** Ids of the memories that the approved one replaces. */
  superseded: string[];
}

/** The response to `deleteUserMemories`. */
export interface DeleteUserMemoriesResponse {
  success: boolean;
  message: string;
  /** How many were deleted. */
  deleted: number;
}

/** How many memories there are, in all and by status, and how many users have any. */
export interface MemoryStats {
  total: number;
  approved: number;
  pending: number;
  rejected: number;
  /** How many of the rejected ones another memory has replaced. An older service leaves it out. */
  superseded?: number;
  users: number;
  /** How much of the prompt they take; only in the counts of one user. */
  room?: MemoryRoom;
  /** How detection works and whether it fails; only in the counts of a whole agent, which only its administrators get. */
  detection?: MemoryDetection;
}

/** How memories are detected in the messages to an agent. */
export interface MemoryDetection {
  /** A language model, or the service's own rules (`"embedded"`), which understand only English. */
  detector: "embedded" | "model";
  /** How many messages still have to be examined, including those to try again. */
  waiting: number;
  /** The failures since the last message that was examined. Absent if there are none. */
  failure?: DetectionFailure;
}

/** The failures since the last message that was examined. */
export interface DetectionFailure {
  /** When the first failure happened, in seconds since the Unix epoch. */
  since: number;
  /** How many attempts to examine a message failed. The service tries each message five times. */
  failures: number;
  /** How many messages failed five times. With a model, the service then examines them without it. */
  given_up: number;
  /** The code of the last failure, as in {@link APIErrorFields}. */
  code: string;
  /** The HTTP status of the last refusal by the model's provider; absent if there was none. */
  status?: number;
}

/** How much of the prompt the approved memories of a user take. */
export interface MemoryRoom {
  /** The size that the prompt's section would have with all of them, in bytes of UTF-8. */
  used_bytes: number;
  /** The largest size of the section: a quarter of the context window of the agent's model. A long question leaves less. */
  room_bytes: number;
  /** How many memories do not fit. The oldest approved ones are left out first. */
  left_out: number;
}

/** The result for each memory, in the order of the request. */
export interface DecideMemoriesResponse {
  results: MemoryDecision[];
}

/** The result for one of several memories. */
export interface MemoryDecision {
  memory_id: string;
  /** The HTTP status that a single decision would get: 409 if it could not be decided, 404 if there is no such memory. */
  status: 200 | 404 | 409;
  /** Ids of the memories that the approved one replaces. */
  superseded?: string[];
}

/** The answers that had a memory in their prompt, newest first. Answers of deleted chats are not listed. */
export interface AnswersOfMemoryResponse extends Page {
  answers: MemoryAnswer[];
}

/** An answer that had a memory in its prompt. */
export interface MemoryAnswer {
  chat_id: string;
  message_id: string;
}

/** The deletions of an agent's memories, newest first. */
export interface ListErasuresResponse extends Page {
  erasures: Erasure[];
}

/** The receipt of a deletion. It contains none of the deleted text. */
export interface Erasure {
  /** One memory, all memories of a user, or a chat that memories came from. */
  kind: "memory" | "user" | "chat";
  /** Seconds since the Unix epoch. */
  at: number;
  /** The id of the user who requested the deletion, or `"api_key"`. */
  by: string;
  counts: ErasureCounts;
}

/** How much an {@link Erasure} removed. */
export interface ErasureCounts {
  /** How many memories were deleted. */
  memories: number;
  /** How many memories stay, but lost the message that they came from because its chat was deleted. */
  sources: number;
}

/** What `updateMemorySettings` changes. Settings that you leave out stay as they are. */
export interface MemorySettingsOptions extends CallOptions {
  /** Turns detection on or off. Approved memories are used either way. */
  memoryEnabled?: boolean | undefined;
  /** How many memories a user may have, 1 to 1000. */
  maxMemories?: number | undefined;
  /** Approves at once what is plainly the user's own statement. What may be somebody else's words still waits: see `waits_for`. */
  autoApprove?: boolean | undefined;
  /** The types to detect; `[]` means none. */
  memoryTypes?: readonly MemoryType[] | undefined;
}

/** Options of `listUserMemories`. */
export interface ListUserMemoriesOptions extends PageOptions {
  /** Default: every status. */
  status?: MemoryStatus | undefined;
  /** Default: every type. */
  type?: MemoryType | undefined;
}

/** Options of `listMemories`. */
export interface ListMemoriesOptions extends ListUserMemoriesOptions {
  /** Default: every user. Callers who do not administer the agent may name only themselves. */
  userId?: string | undefined;
}

/** Options of `listPendingMemories`. */
export interface ListPendingMemoriesOptions extends PageOptions {
  /** Default: every agent that the caller may use. */
  agentId?: string | undefined;
  /** Default: every user. Callers who do not administer the agent may name only themselves. */
  userId?: string | undefined;
}

/** Options of `getMemoryStats`. */
export interface GetMemoryStatsOptions extends CallOptions {
  /** The user whose memories are counted. Default: all users whom the caller may see. Callers who do not administer the agent may name only themselves. */
  userId?: string | undefined;
}

/** Options of `memoriesOfSource`: a message or a chat, not both. */
export type MemoriesOfSourceOptions = PageOptions & (
  | {
    /** The message of the user. */
    messageId: string;
    chatId?: undefined;
  }
  | {
    /** The chat, with all of its messages. */
    chatId: string;
    messageId?: undefined;
  }
);

/** Options of `approveMemory`. */
export interface ApproveMemoryOptions extends WriteOptions {
  /**
   * The statement to approve instead of the detected one: one line, 1 to 300 characters. The
   * memory keeps the detected one as `original_content`. Default: the detected statement.
   */
  memoryContent?: string | undefined;
}

/** What `updateMemory` changes. */
export interface UpdateMemoryOptions extends CallOptions {
  /** A short statement: one line, 1 to 300 characters, without secrets. */
  memoryContent: string;
  memoryType: MemoryType;
}

/** What `createMemory` creates. */
export interface CreateMemoryOptions extends UpdateMemoryOptions, WriteOptions {}

/** What `decideMemories` decides. */
export interface DecideMemoriesOptions extends WriteOptions {
  /** What to do with each memory. */
  action: "approve" | "reject";
  /** 1 to 500 ids, decided one by one in this order. */
  memoryIds: readonly string[];
}
