import type { Message, ToolCall } from "chatsdk";

import { isOld, waits } from "../call-state.js";
import type { ChatMessage } from "./types.js";

/**
 * An answer that is being written.
 *
 * @internal
 */
export class Draft {
  /** The message without its text; `content` is the text that was known before. */
  #message: ChatMessage;
  #text = "";
  #thought = "";
  #shown: ChatMessage | undefined;

  /** `instead` shows until some text arrives, and again after a failure: an older version and what follows it. */
  constructor(message: ChatMessage, readonly instead: readonly ChatMessage[] = []) {
    this.#message = message;
  }

  get id(): string | undefined {
    return this.#message.id;
  }

  get key(): string {
    return this.#message.key;
  }

  /** Whether it has called tools. */
  get calls(): boolean {
    return this.#message.tool_calls !== undefined;
  }

  /** Whether it waits for a decision. */
  get waits(): boolean {
    return waits(this.#message.tool_calls ?? []);
  }

  /** The message to show; undefined until there is some text, reasoning or a call. It stays the same object until something changes. */
  get shown(): ChatMessage | undefined {
    if (this.#text !== "" || this.#thought !== "" || this.#message.tool_calls !== undefined) {
      const { content, reasoning = "" } = this.#message;
      this.#shown ??= {
        ...this.#message, content: longer(content, this.#text), ...(reasoning + this.#thought !== "" && { reasoning: longer(reasoning, this.#thought) }),
      };
    }
    return this.#shown;
  }

  add(type: "chunk" | "reasoning", text: string): void {
    if (type === "chunk") {
      this.#text += text;
    } else {
      this.#thought += text;
    }
    this.#shown = undefined;
  }

  call(call: ToolCall): void {
    this.merge({ tool_calls: withCall(this.#message.tool_calls, call) });
  }

  /** What a message object says: all sources so far, and images that come to those before. */
  tell(fields: Partial<ChatMessage>): void {
    const { image_urls: before = [] } = this.#message;
    const more = fields.image_urls?.filter((image) => !before.some((other) => nameOf(other) === nameOf(image)));
    this.merge({ ...fields, ...(more && { image_urls: [...before, ...more] }) });
  }

  merge(fields: Partial<ChatMessage>): void {
    this.#message = { ...this.#message, ...fields };
    this.#shown = undefined;
  }

  /** The complete answer. */
  completed(message: Message): ChatMessage {
    const { key, siblings } = this.#message;
    return { ...message, ...(siblings && { siblings }), key };
  }
}

/** An image has another signature in its address each half hour. */
function nameOf(address: string): string | undefined {
  return address.split("?")[0];
}

/** What was known before, until more of it has come again. */
const longer = (known: string, text: string): string => (text.length < known.length ? known : text);

/**
 * The calls of an answer, with one replaced by its current state.
 *
 * @internal
 */
export function withCall(calls: readonly ToolCall[] = [], call: ToolCall): ToolCall[] {
  const known = calls.find(({ id }) => id === call.id);
  if (known === undefined) {
    return [...calls, call];
  }
  return calls.map((one) => (one === known && !isOld(call, known) ? call : one));
}
