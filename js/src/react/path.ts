import type { Message, StreamStart, ToolCall } from "chatsdk";

import { newKey } from "../arguments.js";
import { Draft, withCall } from "./draft.js";
import type { ChatMessage } from "./types.js";

/**
 * The messages of a chat's path as they are shown: those of the service, a question that is being
 * sent, and an answer that is being written.
 *
 * @internal
 */
export class Path {
  messages: readonly ChatMessage[];
  #draft: Draft | undefined;
  /** A question that, as far as we know, the service does not have, and the messages that it replaced. */
  #unsent: { question: ChatMessage; instead: readonly ChatMessage[] } | undefined;

  constructor(messages: readonly Message[]) {
    this.messages = keyed(messages, []);
  }

  /** The service has all messages. */
  get isKept(): boolean {
    return this.#unsent === undefined;
  }

  get draft(): Draft | undefined {
    return this.#draft;
  }

  /** The last answer whose id is known. */
  get answerId(): string | undefined {
    return this.messages.filter(({ role, id }) => role === "assistant" && id).at(-1)?.id;
  }

  /** Shows the messages of the service. */
  load(messages: readonly Message[]): void {
    this.keep();
    const left = this.messages.filter(({ unsent }) => unsent);
    this.messages = [...keyed(messages, this.messages), ...left];
  }

  /** Shows the current state of a call. */
  call(call: ToolCall): void {
    const message = this.get(call.message_id);
    if (this.#draft?.id === call.message_id) {
      this.#draft.call(call);
    } else if (message !== undefined) {
      this.#put({ ...message, tool_calls: withCall(message.tool_calls, call) });
    }
  }

  /** The message with this id, or the last one if none is named, for the action with this name. */
  find(action: string, messageId: string | undefined, role: ChatMessage["role"]): ChatMessage {
    const message = messageId === undefined ? this.messages.filter(isSent).at(-1) : this.get(messageId);
    if (message?.role !== role || message.id === undefined) {
      const which = messageId === undefined ? "the chat's last message" : `message ${messageId}`;
      throw new Error(`useChat: ${action}: ${which} is not ${role === "user" ? "a question" : "an answer"} on the path that is shown`);
    }
    return message;
  }

  get(messageId: string | undefined): ChatMessage | undefined {
    return this.messages.find(({ id }) => id === messageId);
  }

  /** Shows a question that is being sent, in place of an old one and of what follows it. Another one that was not sent stays. */
  ask(question: ChatMessage, old: ChatMessage | undefined): void {
    if (this.asks(question.key)) {
      this.withdraw();
    }
    this.keep();
    this.forget(question.key);
    const at = old === undefined ? this.messages.length : this.messages.indexOf(old);
    const rest = this.messages.slice(at);
    this.#unsent = { question, instead: rest.filter(isSent) };
    this.messages = [...this.messages.slice(0, at), ...rest.filter(({ unsent }) => unsent), question];
  }

  /** Drops a question that the service does not have. */
  withdraw(): void {
    if (this.#unsent !== undefined) {
      const { question: { key }, instead } = this.#unsent;
      this.#unsent = undefined;
      this.#putBack(key, instead);
    }
  }

  /** Marks a question that could not be sent. */
  mark(): void {
    if (this.#unsent !== undefined) {
      this.#put({ ...this.#unsent.question, unsent: true });
    }
  }

  /** Keeps a question that could not be sent, marked, behind what it would have replaced. */
  keep(): void {
    if (this.#unsent !== undefined) {
      const { question, instead } = this.#unsent;
      this.#unsent = undefined;
      this.#putBack(question.key, [...instead, { ...question, unsent: true }]);
    }
  }

  /** Whether this question is the last one that was asked, and the service does not have it. */
  asks(key: string): boolean {
    return this.#unsent?.question.key === key;
  }

  /** Stops showing a question that was not sent. */
  forget(key: string): void {
    this.messages = this.messages.filter((message) => message.key !== key || !message.unsent);
  }

  /** Begins to show the answer to a new question. */
  begin(): void {
    this.#draft = new Draft(written("assistant", ""));
  }

  /** Begins to show an answer that is already being written. */
  follow(answer: ChatMessage): void {
    this.keep(); // it is the answer to another question
    this.#draft = new Draft(answer);
  }

  /** Begins to show the replacement of an old answer and of what follows it, or only of the answer. */
  answerAnew(old: ChatMessage, isAlone = false): void {
    this.keep(); // it is the answer to another question
    const instead = isAlone ? [old] : this.messages.slice(this.messages.indexOf(old)).filter(isSent);
    this.#draft = new Draft({ ...written("assistant", ""), key: old.key }, instead);
  }

  /** Stops showing an answer that is being written. */
  leave(): void {
    this.show();
    this.#draft = undefined;
  }

  /** The service has the answer, and so the question. Reports whether that is new. */
  identify({ chat_id: chatId, message_id: answerId, user_message_id: id, stream_id: stream }: StreamStart): boolean {
    const draft = this.#draft;
    draft?.merge({ id: answerId, chat_id: chatId, ...(stream && { stream_id: stream }), ...besideOf(draft.instead[0], answerId) });
    if (this.#unsent === undefined) {
      return false;
    }
    const { question, instead } = this.#unsent;
    this.#unsent = undefined;
    this.#put({ ...question, ...(id !== undefined && { id, chat_id: chatId, ...besideOf(instead[0], id) }) });
    return true;
  }

  /** Shows the text of the answer so far. Reports whether there was some. */
  show(): boolean {
    const { shown, instead } = this.#draft ?? {};
    if (shown !== undefined) {
      this.#put(shown, instead);
    }
    return shown !== undefined;
  }

  /**
   * Shows the answer, or the old content if it was stopped before its first word: the service's
   * path is then the old one.
   */
  complete(message: Message): void {
    const draft = this.#draft;
    this.#draft = undefined;
    if (draft === undefined) {
      return;
    }
    if (draft.instead.length > 0 && message.finish_reason === "stopped" && message.content === "" && !message.tool_calls) {
      this.#putBack(draft.key, draft.instead);
    } else {
      this.#put(draft.completed(message), draft.instead);
    }
  }

  /** Shows the part of an answer that failed, or the old content. */
  breakOff(): void {
    const draft = this.#draft;
    this.#draft = undefined;
    if (draft !== undefined && draft.instead.length > 0) {
      this.#putBack(draft.key, draft.instead);
    } else if (draft?.shown !== undefined) {
      const { stream_id: _, ...shown } = draft.shown;
      this.#put({ ...shown, finish_reason: "error" });
    }
  }

  /** Puts a message in place of the one with its key and of those shown `instead`, or else at the end. */
  #put(message: ChatMessage, instead: readonly ChatMessage[] = []): void {
    const at = this.messages.findIndex(({ key }) => key === message.key);
    if (at < 0) {
      this.messages = [...this.messages, message];
    } else if (this.messages[at] !== message) {
      const rest = this.messages.slice(at + 1).filter((one) => !instead.includes(one));
      this.messages = [...this.messages.slice(0, at), message, ...rest];
    }
  }

  /** Replaces the message with a key, and all messages after it but those that were not sent. */
  #putBack(key: string, others: readonly ChatMessage[]): void {
    const at = this.messages.findIndex((message) => message.key === key);
    if (at >= 0) {
      this.messages = [...this.messages.slice(0, at), ...others, ...this.messages.slice(at + 1).filter(({ unsent }) => unsent)];
    }
  }
}

/** Whether the service may have a message. Only this page has the others, so nothing replaces them. */
const isSent = ({ unsent }: ChatMessage): boolean => !unsent;

/**
 * A message that is made in the page.
 *
 * @internal
 */
export function written(role: ChatMessage["role"], content: string): ChatMessage {
  return { key: newKey(), role, content, created_at: Date.now() / 1000 };
}

/** The parent and the siblings of the message `id`, a new version of `elder`: the service reports siblings only in histories. */
function besideOf(elder: ChatMessage | undefined, id: string): Partial<ChatMessage> {
  if (elder?.id === undefined || elder.id === id) {
    return {};
  }
  const siblings = (elder.siblings ?? [elder.id]).filter((one) => one !== id);
  return { ...(elder.parent_id && { parent_id: elder.parent_id }), siblings: [...siblings, id] };
}

/** The messages of a history, with the keys that they had `before`. */
function keyed(history: readonly Message[], before: readonly ChatMessage[]): readonly ChatMessage[] {
  const keys = new Map(before.map(({ id, key }) => [id, key]));
  return history.map((message) => ({ ...message, key: keys.get(message.id) ?? message.id }));
}
