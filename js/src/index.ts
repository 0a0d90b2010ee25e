/**
 * ChatSDK: chats, messages, streamed answers, feedback and memories of an agent
 * service. Begin with {@link ChatSDK}.
 *
 * @packageDocumentation
 */
export type * from "./answer-methods.js";
export type * from "./call-methods.js";
export type * from "./chat-methods.js";
export { ChatSDK } from "./client.js";
export type * from "./document-methods.js";
export { APIError, type APIErrorFields, type ErrorCode, type ErrorReason } from "./errors.js";
export type * from "./memories.js";
export type * from "./memory-methods.js";
export type * from "./options.js";
export { type AnswerStream } from "./stream.js";
export type * from "./tools.js";
export type * from "./types.js";
