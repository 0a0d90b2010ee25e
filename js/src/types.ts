import type { APIError } from "./errors.js";

/** How a {@link ChatSDK} reaches the service, and as whom. */
export interface ChatSDKConfig {
  /** The service's address, such as `"https://api.example.com"`; it may have a path. */
  baseUrl: string;
  /** The project. */
  projectId: string;
  /**
   * In a page: the user's access token, or a function that gives it, now or
   * later. The function is asked before each request.
   */
  accessToken?: string | (() => string | Promise<string>) | undefined;
  /** On a server: acts as the project's administrator. Needs `apiSecret`. */
  apiKey?: string | undefined;
  /** On a server: the secret beside `apiKey`. It does not belong into a page. */
  apiSecret?: string | undefined;
  /** On a server, beside `apiKey`: acts as exactly this user. */
  userId?: string | undefined;
  /** Where `chatsdk.wasm` is served. Default: beside the script. */
  wasmURL?: string | URL | undefined;
  /** Lets `apiSecret` stand in a page, where anybody can read it. Default: false. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** A named conversation. Fields that the SDK does not know are kept. */
export interface Chat {
  chat_id: string;
  /** `"Untitled"` when none was given. */
  name: string;
  /** Documents that the chat draws on. */
  document_keys?: string[];
  /** Seconds since the Unix epoch. */
  created_at: number;
  /** Seconds since the Unix epoch; in {@link ListChatsResponse} alone. */
  updated_at?: number;
}

/** The answer to `createChat`. */
export interface CreateChatResponse extends Chat {
  /** As it was given. */
  metadata?: Record<string, unknown>;
  /** The owner; absent when an API key made the chat for nobody. */
  user_id?: string;
}

/** One page of chats, newest activity first. */
export interface ListChatsResponse {
  chats: Chat[];
  /** The `cursor` of the next page; absent on the last one. */
  next_cursor?: number;
  has_more: boolean;
}

/** A chat with all its messages, oldest first. */
export interface ChatHistoryResponse {
  /** The same as `chat_id`. */
  id: string;
  chat_id: string;
  name: string;
  created_at: number;
  document_keys?: string[];
  messages: Message[];
}

/** A passage of a document that an answer draws on. */
export interface Source {
  document_key: string;
  title: string;
  snippet: string;
  score: number;
  passage_id: string;
  /** UTF-16 offsets in the document's text. */
  start: number;
  end: number;
  url?: string;
}

/**
 * One message. Used as a string it is its text: `${message}`. A copy of it
 * (JSON, `structuredClone`, spread) is plain data; there use `content`.
 */
export interface Message {
  id: string;
  chat_id: string;
  role: "user" | "assistant";
  /** The text. */
  content: string;
  /** Seconds since the Unix epoch. */
  created_at: number;
  /** Best first. */
  sources?: Source[];
  /** Absolute addresses. */
  image_urls?: string[];
  /** true is thumbs up, false is thumbs down. */
  feedback?: boolean;
  metadata?: Record<string, unknown>;
  model_name?: string;
  agent_id?: string;
  /** Why the answer ended; absent while it is being written. */
  finish_reason?: "stop" | "stopped" | "length" | "error";
  /** Memories that stood in the prompt of this answer. */
  memory_ids?: string[];
  is_test?: boolean;
  /** The stream of an answer that is being written. */
  stream_id?: string;
  toString(): string;
}

/** The whole answer to a message. */
export interface SendMessageResponse {
  message: Message;
  chat_id: string;
  message_id: string;
  /** The name that this exchange gave to an untitled chat. */
  chat_name?: string;
}

/** An agent that the caller may use. */
export interface Agent {
  id: string;
  name: string;
  type: AgentType;
  /** The model that it asks when the message names none. */
  model?: string;
}

/** The agents, the default one first, and the models that a message may name. */
export interface ListAgentsResponse {
  agents: Agent[];
  models: string[];
}

/** How the user likes things, who and what they are and have, or what is going on. */
export type MemoryType = "preference" | "fact" | "context";

/** Only an approved memory is used. */
export type MemoryStatus = "pending" | "approved" | "rejected";

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
  /** When a pending memory is rejected by itself. */
  expires_at?: number;
  /** The message it was detected in; absent, as the next two, when that chat was deleted. */
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
  /** Detection is on. */
  memory_enabled: boolean;
  /** How many memories a user may have. */
  max_memories: number;
  /** What is detected is approved without a review. */
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
export interface ListMemoriesResponse {
  /** By user id. */
  memories_by_user: Record<string, Memory[]>;
  total_users: number;
  total_memories: number;
}

/** The memories that wait for a review, newest first. */
export interface ListPendingMemoriesResponse {
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
  /** How many went. */
  deleted: number;
}

/** How many memories there are, by status, and of how many users. */
export interface MemoryStats {
  total: number;
  approved: number;
  pending: number;
  rejected: number;
  users: number;
}

/** An access token for a user. */
export interface AccessToken {
  access_token: string;
  /** Seconds since the Unix epoch. */
  expires_at: number;
}

/** Manner of an answer. `"document_agent"` answers from documents alone. */
export type AgentType = "chat_agent" | "document_agent" | (string & {});

/** A model, one of `models` of {@link ListAgentsResponse}. */
export type ModelName = string;

/** Options of `createChat` beyond its parameters. */
export interface CreateChatOptions {
  /** Kept with the chat: anything that JSON can say. */
  metadata?: Record<string, unknown> | undefined;
}

/** Options of a message. One that is left out sends nothing, and the service's default holds. */
export interface SendMessageOptions {
  /** The chat. Default: a new one, which the answer names. */
  chatId?: string | undefined;
  /** Manner of this answer. Default: the agent's. */
  agentType?: AgentType | undefined;
  /** The agent. Default: the first that the caller may use. */
  agentId?: string | undefined;
  /** Documents to search. Default: the chat's, else the agent's, else all. */
  documentKeys?: readonly string[] | undefined;
  /** Sent with the message, as they are. */
  images?: readonly Blob[] | undefined;
  /** Kept with the message: anything that JSON can say. */
  metadata?: Record<string, unknown> | undefined;
  /** The model. Default: the agent's. */
  modelName?: ModelName | undefined;
  /** Searches documents. `false` keeps `documentKeys` from turning it on. */
  useKnowledgebase?: boolean | undefined;
  /** Marks the message as a test. Default: false. */
  isTest?: boolean | undefined;
  /** Searches the web. Default: false. */
  googleSearch?: boolean | undefined;
  /** How the answer should look. */
  formatInstructions?: string | undefined;
  /** Asks without what was said before. Default: false. */
  ignoreChatHistory?: boolean | undefined;
  /** A JSON text whose shape the answer is to have. */
  exampleJson?: string | undefined;
  /** Asks for the answer in one piece. Default: false. `sendMessage` always does. */
  skipStream?: boolean | undefined;
}

/**
 * What a streamed answer is handed to, one event at a time and in order. A
 * callback that throws is reported as an uncaught error and ends nothing.
 */
export interface StreamCallbacks {
  /** The next piece of the answer. */
  onChunk?: ((chunk: string) => void) | undefined;
  /** Structured data beside the text, for example `{image_urls: […]}`. */
  onMessageObject?: ((messageObject: Record<string, unknown>) => void) | undefined;
  /** The whole answer. Never called for one that was cut. */
  onComplete?: ((message: Message) => void) | undefined;
  /** The stream failed. Without it the promise is rejected. */
  onError?: ((error: APIError) => void) | undefined;
  /** The chat got a name. */
  onChatNameUpdate?: ((chatName: string) => void) | undefined;
  /** What is being looked up, in a few words; not part of the answer. */
  onDocumentChunk?: ((chunk: string) => void) | undefined;
  /** Called once at the end, after a failure too. */
  onMessageEnd?: (() => void) | undefined;
}

/** Options and callbacks of `sendMessageStream`. */
export interface SendMessageStreamOptions extends SendMessageOptions, StreamCallbacks {}

/** Whose token `createAccessToken` mints. */
export interface AccessTokenOptions {
  userId: string;
  /** Default: `"user"`. */
  role?: "user" | "admin" | undefined;
  /** Agents that the user may use; `[]` is none. Default: all. */
  agents?: readonly string[] | undefined;
  /** Seconds, 1 to 86400. Default: 3600. */
  expiresIn?: number | undefined;
}

/** What `updateMemorySettings` changes. What is left out stays as it is. */
export interface MemorySettingsOptions {
  /** Turns detection on or off. What was approved is used either way. */
  memoryEnabled?: boolean | undefined;
  /** How many memories a user may have, 1 to 1000. */
  maxMemories?: number | undefined;
  /** Approves what is detected without a review. */
  autoApprove?: boolean | undefined;
  /** The types that are detected; `[]` is none. */
  memoryTypes?: readonly MemoryType[] | undefined;
}

/** What narrows `listUserMemories`. */
export interface ListUserMemoriesOptions {
  /** Default: every status. */
  status?: MemoryStatus | undefined;
  /** Default: every type. */
  type?: MemoryType | undefined;
}

/** What narrows `listMemories`. */
export interface ListMemoriesOptions extends ListUserMemoriesOptions {
  /** Default: every user. Who is no administrator may name only themselves. */
  userId?: string | undefined;
}

/** What narrows `listPendingMemories`. */
export interface ListPendingMemoriesOptions {
  /** Default: every agent that the caller may use. */
  agentId?: string | undefined;
  /** Default: every user. Who is no administrator may name only themselves. */
  userId?: string | undefined;
}
