import type { ToolCall } from "./tools.js";

/** A chat. Fields that this version of the SDK does not know are kept. */
export interface Chat {
  chat_id: string;
  /** `"Untitled"` if no name was given. */
  name: string;
  /** The keys of the documents that the chat's answers use. */
  document_keys?: string[];
  /** Seconds since the Unix epoch. */
  created_at: number;
  /** Seconds since the Unix epoch; only in {@link ListChatsResponse}. */
  updated_at?: number;
}

/** The response to `createChat`. */
export interface CreateChatResponse extends Chat {
  /** The metadata given to `createChat`. */
  metadata?: Record<string, unknown>;
  /** The owner; absent if an API key created the chat without a user. */
  user_id?: string;
}

/** One page of chats, newest activity first. */
export interface ListChatsResponse {
  chats: Chat[];
  /** The `cursor` of the next page; absent on the last one. */
  next_cursor?: number;
  has_more: boolean;
}

/** One page of a list. An older service leaves out both fields. */
export interface Page {
  /** The `cursor` of the next page; absent on the last one. */
  next_cursor?: string;
  /** Whether there is a next page. */
  has_more: boolean;
}

/** A chat with messages of its path, oldest first: all of them, or those that the options select, and fewer if
 * they are large: only `has_more` says whether there are older messages. */
export interface ChatHistoryResponse {
  /** The same as `chat_id`. */
  id: string;
  chat_id: string;
  name: string;
  created_at: number;
  document_keys?: string[];
  /** The metadata given to `createChat`. */
  metadata?: Record<string, unknown>;
  messages: Message[];
  /** Whether there are older messages. To get them, pass the id of the first message here as `before`. */
  has_more: boolean;
}

/** A passage of a document that an answer used. */
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
 * One message. Converted to a string, it is its text: `${message}`. A copy of it
 * (JSON, `structuredClone`, spread) is plain data and does not do that: use `content` there.
 */
export interface Message {
  id: string;
  chat_id: string;
  role: "user" | "assistant";
  /** The text. */
  content: string;
  /** Seconds since the Unix epoch. */
  created_at: number;
  /** The passages that the answer used, best first. */
  sources?: Source[];
  /** Absolute addresses of the images. */
  image_urls?: string[];
  /** True is thumbs up, false is thumbs down. */
  feedback?: boolean;
  metadata?: Record<string, unknown>;
  model_name?: string;
  agent_id?: string;
  /** Why the answer ended; absent while it is being written. */
  finish_reason?: "stop" | "stopped" | "length" | "error";
  /** The ids of the memories that were in the prompt of this answer. */
  memory_ids?: string[];
  is_test?: boolean;
  /** The id of the stream, while the answer is being written. */
  stream_id?: string;
  /** The id of the previous message: an answer's question, or the answer before a question. Absent for the first. */
  parent_id?: string;
  /** The ids of all messages with the same parent, including this one, oldest first. Absent if there is no other. */
  siblings?: string[];
  /** The tool calls in an answer, in order; absent if there are none. */
  tool_calls?: ToolCall[];
  /** How many tokens the answer took, after its end; absent if no provider says. */
  usage?: Usage;
  /** What the model did not get; absent if it got all. */
  left_out?: LeftOut;
  /** What the model thought before it answered; only in an answer that was asked for with `reasoning`. */
  reasoning?: string;
  toString(): string;
}

/** How many tokens the requests for an answer took, in all rounds. */
export interface Usage {
  /** Of all prompts. */
  input_tokens: number;
  /** Those of them that the provider had from earlier requests. */
  cached_tokens?: number;
  /** Of all that the model wrote, also what it thought. */
  output_tokens: number;
  /** Those of them that it thought. */
  reasoning_tokens?: number;
}

/** What a model did not get of a chat, because it did not fit or was refused. */
export interface LeftOut {
  /** Earlier messages. */
  messages?: number;
  /** Images of messages that it got. */
  images?: number;
  /** Tools that the agent has. */
  tools?: number;
}

/** Where the chat's path ends now. */
export interface SelectBranchResponse {
  /** The id of the last message of the path. */
  message_id: string;
}

/** The whole answer to a message. */
export interface SendMessageResponse {
  message: Message;
  chat_id: string;
  message_id: string;
  /** The name that the chat got while the answer was written, from this exchange or from a person. */
  chat_name?: string;
  /**
   * Set if the answer is still waiting: for a decision about a tool call, or for a call that takes
   * long. Its message has no `finish_reason` yet, and `resumeStream` delivers the rest.
   */
  stream_id?: string;
}

/** An agent that the caller may use. */
export interface Agent {
  id: string;
  name: string;
  type: AgentType;
  /** The model that the agent uses if the message names none. */
  model?: string;
  /** The models that a message to the agent may name, the one first that is used otherwise. Absent if no model is configured, and from older services. */
  models?: string[];
}

/** The agents, the default one first, and all models that are known; each agent has those that a message to it may name. */
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

/** How an agent answers. `"document_agent"` answers only from documents. */
export type AgentType = "chat_agent" | "document_agent" | (string & {});

/** A model: one of the `models` of the {@link Agent}. */
export type ModelName = string;

/** How a stream begins. */
export interface StreamStart {
  /** Absent if the service answered in one piece. */
  stream_id?: string;
  chat_id: string;
  /** The id of the answer. */
  message_id: string;
  /** The id of the question. */
  user_message_id?: string;
}

/** One event of {@link AnswerStream}. */
export type StreamEvent =
  | ({ type: "start" } & StreamStart)
  /** The next piece of the answer. */
  | { type: "chunk"; text: string }
  /** The next piece of what the model thinks. Not part of the answer. */
  | { type: "reasoning"; text: string }
  /** Structured data in addition to the text. */
  | { type: "message_object"; object: Record<string, unknown> }
  /** A tool call. The event comes when the agent makes the call, and again at each change. */
  | { type: "tool_call"; call: ToolCall }
  /** A few words about what the agent is looking up. Not part of the answer. */
  | { type: "document_chunk"; text: string }
  /** The chat has been named, or somebody has renamed it. */
  | { type: "chat_name"; name: string }
  /** The whole answer. */
  | { type: "complete"; message: Message }
  | { type: "end" };

/** The outcome of stopping an answer. */
export interface StopReceipt {
  /** False if the answer had already finished or failed. */
  stopped: boolean;
  /** The answer in its final form. */
  message: Message;
  /** The id of the stream's last event. */
  last_event_id: number;
  /** The length of the answer's text in bytes of UTF-8. */
  bytes: number;
  /** The CRC-32 (IEEE) of the answer's text, as eight hex digits. */
  crc32: string;
}

/** The response to `uploadDocument`. */
export interface UploadDocumentResponse {
  message: string;
  /** The document's key, for `documentKeys`. */
  document_key: string;
  /** `"queued"` until the service has read it. */
  status: DocumentStatus;
  /** The size of the file in bytes. */
  size: number;
}

/** Only a `"synced"` document is searched. */
export type DocumentStatus = "queued" | "synced" | "failed";

/** An uploaded document, without its text. */
export interface ListedDocument {
  /** The document's key, for `documentKeys`. */
  content_key: string;
  /** The title in the document, or the file's name until the service has read it. */
  title: string;
  /** The file's name. */
  name: string;
  doc_type:
    | ("text" | "markdown" | "html" | "pdf" | "docx" | "xlsx" | "pptx" | "odt" | "ods" | "odp" | "rtf" | "epub" | "csv" | "mail" | "json" | "code")
    | (string & {});
  /** In which the bytes of a text were read, for example "Shift_JIS"; absent until it is synced, and if its kind says how it is read. */
  encoding?: string;
  status: DocumentStatus;
  /** Why it failed, in a sentence that you can show. */
  error?: string;
  /** The owner; absent if the document belongs to the whole project. */
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
  /** The number of documents on all pages. */
  total: number;
}

/** A document with its text. The text is plain text that you should not trust. */
export interface Document {
  document_key: string;
  title: string;
  /** The part of the text that you asked for; empty until the service has read the document. */
  text: string;
  /** Where `text` begins in the whole text, in UTF-16 units, as `slice` takes them. */
  start: number;
  /** Where `text` ends in the whole text, in the same units. */
  end: number;
  /** The length of the whole text, in the same units. */
  length: number;
  passages: Passage[];
}

/** A part of a document. Answers use whole passages. */
export interface Passage {
  /** The `passage_id` in a {@link Source}. */
  id: string;
  /** The headings above the passage, the outermost first. */
  heading_path: string[];
  /** UTF-16 offsets in the document's text, as `slice` takes them. */
  start: number;
  end: number;
}
