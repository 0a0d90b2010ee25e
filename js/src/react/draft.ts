import type { Message } from "chatsdk";

import type { ChatMessage } from "./types.js";

/**
 * An answer that is being written.
 *
 * @internal
 */
export class Draft {
  /** It, but for its text; `content` is what was known of that before. */
  #message: ChatMessage;
  #text = "";
  #shown: ChatMessage | undefined;

  /** `old` shows again if this one fails. */
  constructor(message: ChatMessage, readonly old?: ChatMessage) {
    this.#message = message;
  }

  /** Undefined until there is some of its text; the same object until something changes. */
  get shown(): ChatMessage | undefined {
    if (this.#text !== "") {
      const { content } = this.#message;
      this.#shown ??= { ...this.#message, content: this.#text.length < content.length ? content : this.#text };
    }
    return this.#shown;
  }

  add(text: string): void {
    this.#text += text;
    this.#shown = undefined;
  }

  merge(fields: Partial<ChatMessage>): void {
    this.#message = { ...this.#message, ...fields };
    this.#shown = undefined;
  }

  /** The answer, which is complete. */
  completed(message: Message): ChatMessage {
    return { ...message, key: this.#message.key };
  }
}

/**
 * Puts a message in the place of the one with its key, else at the end.
 *
 * @internal
 */
export function put(messages: readonly ChatMessage[], message: ChatMessage): readonly ChatMessage[] {
  const before = messages.find(({ key }) => key === message.key);
  if (before === undefined) {
    return [...messages, message];
  }
  return before === message ? messages : messages.map((one) => (one === before ? message : one));
}

/**
 * The messages of a history, with the keys that they have among those `before`.
 *
 * @internal
 */
export function keyed(history: readonly Message[], before: readonly ChatMessage[]): readonly ChatMessage[] {
  const keys = new Map(before.map(({ id, key }) => [id, key]));
  return history.map((message) => ({ ...message, key: keys.get(message.id) ?? message.id }));
}
