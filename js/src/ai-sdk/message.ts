import type { ChatHistoryResponse, Message, Source } from "chatsdk";
import type { FileUIPart, SourceDocumentUIPart, SourceUrlUIPart, UIMessage } from "ai";

import { partOf, pieces } from "./tools.js";

/**
 * The metadata of a message: what the service says about it besides its text. A question also has
 * the metadata that was sent with it. All fields except `message_id` are as in {@link Message}.
 */
export interface ChatSDKMetadata extends Partial<Omit<Message,
  "id" | "role" | "content" | "sources" | "image_urls" | "tool_calls" | "reasoning" | "toString">> {
  /**
   * The service's id, which `sendFeedback` takes. The id of the UI message differs for a question
   * that this page sent, because the AI SDK makes that id.
   */
  message_id?: string;
  [field: string]: unknown;
}

/** The data parts of an answer. `onData` gets all three; only the first stays in the message. */
export type ChatSDKDataParts = {
  /** Structured data besides the text, as `onMessageObject` gets it. */
  "message-object": Record<string, unknown>;
  /** What the agent is looking up; not part of the answer. */
  "document-chunk": { text: string };
  /** The chat has been named. */
  "chat-name": { name: string };
};

/** A message as `useChat<ChatSDKMessage>` has it. */
export type ChatSDKMessage = UIMessage<ChatSDKMetadata, ChatSDKDataParts>;

/**
 * Makes the messages of `useChat({messages})` from a chat's history. If an answer is being written,
 * it is included with its text so far, and `resume: true` fetches the rest. A tool call is a
 * dynamic tool part, with the whole call as `callProviderMetadata.chatsdk`.
 *
 * @param history What `getChatHistory` returned.
 * @throws Nothing.
 * @example
 * ```ts
 * const shown = toUIMessages(await sdk.getChatHistory(chatId));
 * console.log(shown.map(({ id, parts }) => `${id}: ${parts.length}`));
 * ```
 */
export function toUIMessages(history: Pick<ChatHistoryResponse, "messages">): ChatSDKMessage[] {
  return history.messages.map((message, i) => {
    const question = history.messages[i - 1];
    if (question && message.role === "assistant") {
      if (message.stream_id) {
        remember(question.id, { id: message.id, isAnew: message.finish_reason !== undefined, hasFailed: false });
      } else {
        unfinished.delete(question.id);
      }
    }
    return {
      id: message.id,
      role: message.role,
      metadata: message.role === "user" ? { ...message.metadata, ...metadataOf(message) } : metadataOf(message),
      parts: [...thoughts(message), ...pieces(message).map((piece) => (typeof piece === "string" ? { type: "text" as const, text: piece }
        : partOf(piece))), ...attachments(message)],
    };
  });
}

/**
 * An answer of which an application may have only a part.
 *
 * @internal
 */
export interface Part {
  /** The id of the message that has the part. */
  id: string;
  /** The answer is written again, in the message with the id of the old one. */
  isAnew: boolean;
  /** Reading it failed here. The service may still be writing it. */
  hasFailed: boolean;
}

/**
 * The partial answers by their questions: a request for the rest gets the rest, even if the answer
 * has finished meanwhile. When the AI SDK resumes, it does not pass its messages to the transport.
 *
 * @internal
 */
export const unfinished = new Map<string, Part>();

/** How many are kept. On a server toUIMessages runs for all users, and nobody requests the rest there. */
const limit = 100;

/**
 * Stores a partial answer as the newest, and forgets the oldest.
 *
 * @internal
 */
export function remember(question: string, part: Part): void {
  unfinished.delete(question);
  unfinished.set(question, part);
  for (const oldest of unfinished.keys()) {
    if (unfinished.size <= limit) {
      break;
    }
    unfinished.delete(oldest);
  }
}

/** @internal */
export function metadataOf(message: Message): ChatSDKMetadata {
  const { id, role: _, content: __, sources: ___, image_urls: ____, tool_calls: _____, reasoning: ______, ...rest } = message;
  return { ...rest, message_id: id };
}

/** What the model thought, as a part. */
function thoughts({ reasoning: text }: Message): { type: "reasoning"; text: string }[] {
  return text ? [{ type: "reasoning", text }] : [];
}

/**
 * The content besides the text, in a shape that works as a part and as a chunk.
 *
 * @internal
 */
export function attachments({ sources, image_urls: images }: Message): (FileUIPart | SourceDocumentUIPart | SourceUrlUIPart)[] {
  return [
    ...(images ?? []).map((url) => ({ type: "file" as const, mediaType: "image/*", url })),
    ...(sources ?? []).map(sourcePart),
  ];
}

function sourcePart(source: Source): SourceDocumentUIPart | SourceUrlUIPart {
  const { title, url, passage_id: passage } = source;
  const providerMetadata = { chatsdk: { ...source } };
  return url
    ? { type: "source-url", sourceId: passage || url, url, title, providerMetadata }
    : { type: "source-document", sourceId: passage, mediaType: "text/plain", title, providerMetadata };
}
