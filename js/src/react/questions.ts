import type { SendMessageOptions, Source } from "chatsdk";

import { waits } from "../call-state.js";
import { type Path, written } from "./path.js";
import type { ChatMessage, ChatStatus, SendOptions, UseChatOptions } from "./types.js";

/**
 * A question, and how it was sent.
 *
 * @internal
 */
export interface Asked {
  question: ChatMessage;
  options: SendMessageOptions;
  /** The question that it is to replace. */
  old?: ChatMessage | undefined;
}

/**
 * The questions that this page has sent, by their keys.
 *
 * @internal
 */
export class Questions {
  readonly #asked = new Map<string, Asked>();

  add(asked: Asked): void {
    this.#asked.set(asked.question.key, asked);
  }

  /** A question that is marked unsent, for the action with this name. */
  unsent(action: string, key: string, path: Path): Asked {
    const asked = this.#asked.get(key);
    if (asked === undefined || !path.messages.some((message) => message.key === key && message.unsent)) {
      throw new Error(`useChat: ${action}: no message with the key ${key} is marked unsent`);
    }
    return asked;
  }
}

/**
 * Whether a question may be sent.
 *
 * @internal
 */
export const isIdle = (status: ChatStatus): boolean => status === "ready" || status === "waiting" || status === "error";

/**
 * Whether an answer is being written.
 *
 * @internal
 */
export const isRunning = ({ stream_id: id }: ChatMessage): boolean => id !== undefined && id !== "";

/**
 * The answer to read next: the last one that is being written, preferably one that does not wait.
 *
 * @internal
 */
export function runningOf(messages: readonly ChatMessage[]): ChatMessage | undefined {
  const running = messages.filter(isRunning);
  return running.filter(({ tool_calls: calls = [] }) => !waits(calls)).at(-1) ?? running.at(-1);
}

/**
 * Whether a question asks for reasoning, if the component says so.
 *
 * @internal
 */
export function asks({ reasoning }: Pick<UseChatOptions, "reasoning">): Pick<SendOptions, "reasoning"> {
  return reasoning === undefined ? {} : { reasoning };
}

/**
 * A question in the form in which it is sent.
 *
 * @internal
 */
export function questionOf(text: string, options: SendOptions | undefined): ChatMessage {
  return { ...written("user", text), ...(options?.images && { images: options.images }) };
}

/**
 * The fields of a message object that belong to its message. A provider's own object may have other things under these names.
 *
 * @internal
 */
export function fieldsOf({ sources, image_urls: images }: Record<string, unknown>): Partial<ChatMessage> {
  const isSource = (value: unknown): value is Source => typeof value === "object" && value !== null;
  return {
    ...(Array.isArray(sources) && sources.every(isSource) && { sources }),
    ...(Array.isArray(images) && images.every((image) => typeof image === "string") && { image_urls: images }),
  };
}
