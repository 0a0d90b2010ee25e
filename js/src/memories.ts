import type { CallOptions, PageOptions, WriteOptions } from "./options.js";
import type { Page } from "./types.js";

/** How the user likes things, who and what they are and have, or what is going on. */
export type MemoryType = "preference" | "fact" | "context";

/** Only an approved memory is used. */
export type MemoryStatus = "pending" | "approved" | "rejected";

/**
 * Why a memory was not approved automatically. `"review"`: the agent approves nothing automatically, or the statement goes beyond the
 * user's words; `"foreign"`: it may be somebody else's words; `"instruction"`: it tells the assistant what to do, beyond the manner
 * of its answers; `"address"`: it holds an address; `"close"`: it is close to another memory; `"deleted"`: a similar one was deleted.
 */
export type MemoryWait = "review" | "foreign" | "instruction" | "address" | "close" | "deleted";

/** Something that an agent remembers of a user. Times are seconds since the Unix epoch. */
export interface Memory {
  id: string;
  agent_id: string;
  user_id: string;
  /** A short statement, 300 characters at most. */
  memory_content: string;
  memory_type: MemoryType;
  /** From 0 to 1. */
  confidence_score: number;
  /** As of now. */
  status: MemoryStatus;
  created_at: number;
  updated_at: number;
  approved_at?: number;
  rejected_at?: number;
  reject_reason?: "reviewer" | "expired" | "superseded";
  /**
   * The id of the user who approved or rejected it, `"api_key"` or `"auto_approve"`. Absent while it
   * is pending, and if nobody decided.
   */
  decided_by?: string;
  /** The `memory_content` before the first edit. */
  original_content?: string;
  /** Who edited it last, as in `decided_by`. */
  edited_by?: string;
  edited_at?: number;
  /** Whether the user said it, or an administrator wrote it. A service of the first version does not tell. */
  origin?: "user" | "administrator";
  /** Why it was not approved automatically. */
  waits_for?: MemoryWait;
  /** Ids of the memories that said nearly the same when it was detected. */
  close_to?: string[];
  /** The memory whose approval took this one out of use. When that one is no longer in use, this one may be approved again. */
  superseded_by?: string;
  /** When a pending memory expires. */
  expires_at?: number;
  /** The chat it was detected in; absent, as the next three, when that was deleted. */
  source_chat_id?: string;
  /** The message it was detected in. */
  source_message_id?: string;
  /** The text of that message. Secrets in it stand as `•`. */
  triggering_message?: string;
  /** The user's own words in `triggering_message` that say it. */
  span?: Span;
  /** Ids of the approved memories that this one contradicts, as of now. */
  conflicts_with?: string[];
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
  /** Whether detected memories are approved without a review. */
  auto_approve: boolean;
  /** The types that are detected. */
  memory_types: MemoryType[];
}

/** The answer to `updateMemorySettings`. */
export interface MemorySettingsResponse {
  success: boolean;
  message: string;
  /** All of them, as they are now. */
  settings: MemorySettings;
}

/** The memories of an agent by user, newest first. */
export interface ListMemoriesResponse extends Page {
  /** By user id. */
  memories_by_user: Record<string, Memory[]>;
  total_users: number;
  total_memories: number;
}

/** A page of what an agent remembers of a user, newest first. */
export interface ListUserMemoriesResponse extends Page {
  memories: Memory[];
}

/** What an agent remembers of a user, newest first. */
export interface UserMemories extends Array<Memory> {
  /** True if there are more than these 1,000; the others come in pages. Absent if these are all. */
  has_more?: true;
}

/** The memories that wait for a review, newest first. */
export interface ListPendingMemoriesResponse extends Page {
  approvals: Memory[];
  total: number;
}

/** The answer to `approveMemory` and `rejectMemory`. */
export interface MemoryActionResponse {
  success: boolean;
  message: string;
  /** As it is now. */
  memory: Memory;
  /** Ids of the memories that the approval took out of use. */
  superseded: string[];
}

/** The answer to `deleteUserMemories`. */
export interface DeleteUserMemoriesResponse {
  success: boolean;
  message: string;
  /** How many were deleted. */
  deleted: number;
}

/** How many memories there are, by status, and of how many users. */
export interface MemoryStats {
  total: number;
  approved: number;
  pending: number;
  rejected: number;
  users: number;
  /** How full the prompt is; only for the counts of one user. */
  room?: MemoryRoom;
  /** How messages are examined; only for the counts of a whole agent, which only its administrators get. */
  detection?: MemoryDetection;
}

/** How the messages to an agent are examined. */
export interface MemoryDetection {
  /** A language model, or the rules of the service (`"embedded"`), which read only English. */
  detector: "embedded" | "model";
  /** How many messages are to be examined, or examined again. */
  waiting: number;
  /** Absent if the last message was examined without a failure. */
  failure?: DetectionFailure;
}

/** The failures since a message was examined last. */
export interface DetectionFailure {
  /** When the first one was, in seconds since the Unix epoch. */
  since: number;
  /** How often a message could not be examined. Each is tried five times. */
  failures: number;
  /** How many messages failed five times. With a model, the service then examines them without it. */
  given_up: number;
  /** What went wrong last, one of the codes of errors. */
  code: string;
  /** The HTTP status that the model's provider refused with last, absent if it gave none. */
  status?: number;
}

/** How much of the prompt the approved memories of a user take. */
export interface MemoryRoom {
  /** The size of the section that all of them make, in bytes of UTF-8. */
  used_bytes: number;
  /** The most that the section may take, a quarter of the window of the agent's model. A long question leaves less. */
  room_bytes: number;
  /** How many memories don't fit, the ones approved first. */
  left_out: number;
}

/** What became of each memory, in the order of the request. */
export interface DecideMemoriesResponse {
  results: MemoryDecision[];
}

/** What became of one of several memories. */
export interface MemoryDecision {
  memory_id: string;
  /** The HTTP status that a single decision would get: 409 if it could not be decided, 404 if there is no such memory. */
  status: 200 | 404 | 409;
  /** Ids of the memories that the approval took out of use. */
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

/** The receipt of a deletion. It holds nothing of what was deleted. */
export interface Erasure {
  /** One memory, all memories of a user, or a chat that memories came from. */
  kind: "memory" | "user" | "chat";
  /** Seconds since the Unix epoch. */
  at: number;
  /** The id of the user who deleted, or `"api_key"`. */
  by: string;
  counts: ErasureCounts;
}

/** How much an {@link Erasure} removed. */
export interface ErasureCounts {
  /** Memories that were deleted with their text. */
  memories: number;
  /** Memories that stay and lost the message that they came from, which went with its chat. */
  sources: number;
}

/** What `updateMemorySettings` changes. What is left out stays as it is. */
export interface MemorySettingsOptions extends CallOptions {
  /** Turns detection on or off. What was approved is used either way. */
  memoryEnabled?: boolean | undefined;
  /** How many memories a user may have, 1 to 1000. */
  maxMemories?: number | undefined;
  /** Approves what is detected without a review. */
  autoApprove?: boolean | undefined;
  /** The types that are detected; `[]` means none. */
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
   * The statement to approve in place of the one that was detected: on one line, 1 to 300
   * characters. The memory keeps the other as `original_content`. Default: the one that was detected.
   */
  memoryContent?: string | undefined;
}

/** What `updateMemory` changes. */
export interface UpdateMemoryOptions extends CallOptions {
  /** A short statement on one line, 1 to 300 characters, without secrets. */
  memoryContent: string;
  memoryType: MemoryType;
}

/** What `createMemory` makes. */
export interface CreateMemoryOptions extends UpdateMemoryOptions, WriteOptions {}

/** What `decideMemories` decides. */
export interface DecideMemoriesOptions extends WriteOptions {
  /** What is done with each. */
  action: "approve" | "reject";
  /** 1 to 500 ids, decided one by one in their order. */
  memoryIds: readonly string[];
}
