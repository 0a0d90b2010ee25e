import type { ToolCall } from "./tools.js";

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

/** Part of a list that the service gives in pages. A service of the first version gives neither field. */
export interface Page {
  /** The `cursor` of the next page; absent on the last one. */
  next_cursor?: string;
  /** There is a next page. */
  has_more: boolean;
}

/** A chat with its messages, oldest first: the newest 1,000 unless the options say otherwise. */
export interface ChatHistoryResponse {
  /** The same as `chat_id`. */
  id: string;
  chat_id: string;
  name: string;
  created_at: number;
  document_keys?: string[];
  /** The metadata of `createChat`. */
  metadata?: Record<string, unknown>;
  messages: Message[];
  /** There are older messages. Pass the id of the first of these as `before` to get them. */
  has_more: boolean;
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
  /** Memories that were in the prompt of this answer. */
  memory_ids?: string[];
  is_test?: boolean;
  /** The stream of an answer that is being written. */
  stream_id?: string;
  /** The message before: the question of an answer, or the answer before a question. Absent if there is none. */
  parent_id?: string;
  /** The messages with the same parent, itself among them, oldest first; absent if there is no other. */
  siblings?: string[];
  /** The calls of tools in an answer, in order; absent if there is none. */
  tool_calls?: ToolCall[];
  toString(): string;
}

/** Where a chat's path leads now. */
export interface SelectBranchResponse {
  /** The last message of the path. */
  message_id: string;
}

/** The whole answer to a message. */
export interface SendMessageResponse {
  message: Message;
  chat_id: string;
  message_id: string;
  /** The name that this exchange gave to an untitled chat. */
  chat_name?: string;
  /**
   * Set if the answer waits for a decision about a call, or has waited long for a call. Its
   * message has no `finish_reason` then, and `resumeStream` brings the rest.
   */
  stream_id?: string;
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

/** An access token for a user. */
export interface AccessToken {
  access_token: string;
  /** Seconds since the Unix epoch. */
  expires_at: number;
}

/** The manner of an answer. `"document_agent"` answers only from documents. */
export type AgentType = "chat_agent" | "document_agent" | (string & {});

/** A model, one of `models` of {@link ListAgentsResponse}. */
export type ModelName = string;

/** How a stream begins. */
export interface StreamStart {
  /** Absent if the service answered in one piece. */
  stream_id?: string;
  chat_id: string;
  /** The answer. */
  message_id: string;
  /** The question. */
  user_message_id?: string;
}

/** One event of {@link AnswerStream}. */
export type StreamEvent =
  | ({ type: "start" } & StreamStart)
  /** The next piece of the answer. */
  | { type: "chunk"; text: string }
  /** Structured data beside the text. */
  | { type: "message_object"; object: Record<string, unknown> }
  /** A call of a tool, first when it is made, and again at each change. */
  | { type: "tool_call"; call: ToolCall }
  /** What is being looked up; not part of the answer. */
  | { type: "document_chunk"; text: string }
  /** The chat got a name. */
  | { type: "chat_name"; name: string }
  /** The whole answer. */
  | { type: "complete"; message: Message }
  | { type: "end" };

/** What became of an answer that was stopped. */
export interface StopReceipt {
  /** False if the answer had already finished or failed. */
  stopped: boolean;
  /** The answer in its final form. */
  message: Message;
  /** The id of the stream's last event. */
  last_event_id: number;
  /** The length of the answer's text in UTF-8. */
  bytes: number;
  /** The IEEE checksum of the text, eight hex digits. */
  crc32: string;
}

/** The answer to `uploadDocument`. */
export interface UploadDocumentResponse {
  message: string;
  /** What `documentKeys` name. */
  document_key: string;
  /** `"queued"` until it has been read. */
  status: DocumentStatus;
  /** The size of the file in bytes. */
  size: number;
}

/** Only a synced document is searched. */
export type DocumentStatus = "queued" | "synced" | "failed";

/** An uploaded document, without its text. */
export interface ListedDocument {
  /** What `documentKeys` name. */
  content_key: string;
  /** The title in the document; until it is read, the file's name. */
  title: string;
  /** The file's name. */
  name: string;
  doc_type: "text" | "markdown" | "html" | "pdf";
  status: DocumentStatus;
  /** Why it failed, in words for people. */
  error?: string;
  /** The owner; absent for a document of the project. */
  user_id?: string;
  /** Seconds since the Unix epoch. */
  upload_date: number;
  /** The size of the file in bytes. */
  size: number;
  metadata?: Record<string, unknown>;
}

/** A page of documents, newest first. */
export interface ListDocumentsResponse extends Page {
  docs: ListedDocument[];
  /** How many there are on all pages. */
  total: number;
}

/** A document with its text, which is plain and untrusted. */
export interface Document {
  document_key: string;
  title: string;
  /** The part that was asked for; empty until it has been read. */
  text: string;
  /** Where `text` begins in the whole text, in UTF-16 units, as `slice` takes them. */
  start: number;
  /** Where `text` ends in the whole text, in the same units. */
  end: number;
  /** The length of the whole text, in the same units. */
  length: number;
  passages: Passage[];
}

/** A part of a document that answers draw on. */
export interface Passage {
  /** `passage_id` of a {@link Source}. */
  id: string;
  /** The headings that it stands under, the outermost first. */
  heading_path: string[];
  /** UTF-16 offsets in the document's text, as `slice` takes them. */
  start: number;
  end: number;
}
