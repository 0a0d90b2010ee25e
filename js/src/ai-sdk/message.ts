import type { ChatHistoryResponse, Message, Source } from "chatsdk";
import type { FileUIPart, SourceDocumentUIPart, SourceUrlUIPart, UIMessage } from "ai";

import { partOf, pieces } from "./tools.js";

/**
 * What the service tells of a message beside its text; of a question also what
 * was sent as its metadata. All but `message_id` as in {@link Message}.
 */
export interface ChatSDKMetadata extends Partial<Omit<Message, "id" | "role" | "content" | "sources" | "image_urls" | "tool_calls" | "toString">> {
  /**
   * The service's id, which `sendFeedback` takes. The UI message's own id is
   * another one of a question that was sent in this page, where the AI SDK gives it.
   */
  message_id?: string;
  [field: string]: unknown;
}

/** The data parts of an answer; `onData` gets all three, and only the first stays in the message. */
export type ChatSDKDataParts = {
  /** Structured data beside the text, as `onMessageObject` gets it. */
  "message-object": Record<string, unknown>;
  /** What is being looked up; not part of the answer. */
  "document-chunk": { text: string };
  /** The chat got a name. */
  "chat-name": { name: string };
};

/** A message as `useChat<ChatSDKMessage>` has it. */
export type ChatSDKMessage = UIMessage<ChatSDKMetadata, ChatSDKDataParts>;

/**
 * Makes the messages of `useChat({messages})` of a chat's history. An answer
 * that is being written is among them with its text so far; `resume: true`
 * brings the rest. A call of a tool is a dynamic tool part, with the whole call
 * as `callProviderMetadata.chatsdk`.
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
      parts: [...pieces(message).map((piece) => (typeof piece === "string" ? { type: "text" as const, text: piece } : partOf(piece))), ...attachments(message)],
    };
  });
}

/**
 * An answer of which an application may have a part alone.
 *
 * @internal
 */
export interface Part {
  /** Of the message that the part stands in. */
  id: string;
  /** It is written again, in the message with the id of the old one. */
  isAnew: boolean;
  /** Its reading failed here, which is not to say that the service gave it up. */
  hasFailed: boolean;
}

/**
 * Those answers by their questions: whoever asks for the rest gets it, though it
 * was finished meanwhile. The AI SDK tells a transport nothing of the messages
 * that it has when it resumes.
 *
 * @internal
 */
export const unfinished = new Map<string, Part>();

/** How many are kept: on a server toUIMessages runs for everybody, and nobody asks for the rest there. */
const limit = 100;

/**
 * Keeps a part as the newest; the oldest is forgotten.
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
  const { id, role: _, content: __, sources: ___, image_urls: ____, tool_calls: _____, ...rest } = message;
  return { ...rest, message_id: id };
}

/**
 * What stands beside the text, in a shape that is a part and a chunk alike.
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
