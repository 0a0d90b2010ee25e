import type { Message, SendMessageOptions, StreamEvent, StreamStart } from "chatsdk";

import { newKey } from "../arguments.js";
import { give } from "../callbacks.js";
import { Answer } from "./answer.js";
import { Draft, keyed, put } from "./draft.js";
import { Frame } from "./frame.js";
import type { ChatActions, ChatMessage, ChatState, SendOptions, UseChatOptions } from "./types.js";

/**
 * One chat, for useSyncExternalStore. It reads while somebody subscribes, and
 * leaves an answer to the service when nobody does. Making one does nothing, so
 * that React may throw it away.
 *
 * @internal
 */
export class ChatStore {
  readonly actions: ChatActions;
  /** As it is before anything has come, on the server too. */
  readonly initial: ChatState;
  /** Who is told of what, as of the last render. */
  told: Pick<UseChatOptions, "onFinish" | "onError" | "onMessageObject"> = {};

  readonly #sdk: UseChatOptions["sdk"];
  readonly #subscribers = new Set<() => void>();
  readonly #frame = new Frame(() => this.#flush());
  /** As it is, but for the draft, and as it was shown last. */
  #state: ChatState;
  #shown: ChatState;
  #isOpen = false;
  /** The history has come, or there is none. */
  #isLoaded: boolean;
  /** A message that the service does not have, as far as is known. */
  #unsent: ChatMessage | undefined;
  #answer: Answer | undefined;
  #draft: Draft | undefined;
  #running: Promise<Message | undefined> | undefined;
  #again: () => Promise<Message | undefined> = async () => undefined;

  constructor({ sdk, chatId, initialMessages }: UseChatOptions) {
    this.#sdk = sdk;
    this.#isLoaded = chatId === undefined;
    this.initial = this.#state = this.#shown = {
      chatId, chatName: undefined, messages: keyed(initialMessages ?? [], []), status: this.#isLoaded ? "ready" : "loading",
      error: undefined, activity: undefined,
    };
    this.actions = {
      send: async (text, options) => this.#send(text, options),
      regenerate: async () => this.#regenerateLast(),
      retry: async () => (this.#state.status === "error" ? this.#again() : undefined),
      stop: async () => this.#stop(),
    };
  }

  /** Who is back at once has not left: StrictMode subscribes, leaves and subscribes. */
  readonly subscribe = (subscriber: () => void): (() => void) => {
    this.#subscribers.add(subscriber);
    this.#open();
    return () => {
      this.#subscribers.delete(subscriber);
      queueMicrotask(() => this.#close());
    };
  };

  readonly snapshot = (): ChatState => this.#shown;

  /** Whether it is the same as of a component with these options. */
  is({ sdk, chatId }: UseChatOptions): boolean {
    return this.#sdk === sdk && chatId !== undefined && this.#state.chatId === chatId;
  }

  #open(): void {
    if (this.#isOpen) {
      return;
    }
    this.#isOpen = true;
    if (this.#answer?.enter() !== true && this.#isKept) {
      void this.#load();
    }
  }

  /** The service has all of it, so that loading it loses nothing. */
  get #isKept(): boolean {
    return this.#state.chatId !== undefined && this.#unsent === undefined;
  }

  #close(): void {
    if (this.#subscribers.size === 0 && this.#isOpen) {
      this.#isOpen = false;
      this.#answer?.leave();
    }
  }

  #load(): Promise<Message | undefined> {
    this.#again = () => this.#load();
    return this.#run("loading", (answer) => this.#read(answer));
  }

  /** Shows the history, and follows an answer that is being written. */
  async #read(answer: Answer): Promise<void> {
    const { chatId = "" } = this.#state;
    for (let isDone = false; !isDone; ) {
      const { name, messages } = await this.#sdk.getChatHistory(chatId, { signal: answer.signal });
      answer.signal.throwIfAborted();
      this.#isLoaded = true;
      this.#unsent = undefined;
      this.#set({ chatName: name, messages: keyed(messages, this.#state.messages) });
      const running = this.#state.messages.filter(isRunning).at(-1);
      isDone = running === undefined || ((await this.#follow(answer, chatId, running)) && !this.#state.messages.some(isRunning));
    }
  }

  /** Follows an answer that was begun elsewhere. Tells whether it was still being written. */
  #follow(answer: Answer, chatId: string, running: ChatMessage): Promise<boolean> {
    const isNew = running.finish_reason === undefined;
    this.#draft = isNew ? new Draft(running) : anew(running);
    this.#again = () => this.#carryOn((last) => last.id === running.id && (!isNew || last.finish_reason === "error"));
    this.#show({ status: isNew && running.content !== "" ? "streaming" : "submitted" });
    return answer.resume(chatId, running.stream_id ?? "");
  }

  #send(text: string, options: SendOptions | undefined): Promise<Message | undefined> {
    this.#check("send");
    const images = options?.images;
    // It follows the answer that its user reads, wherever the chat's path leads by now.
    const parentId = options?.edits === undefined ? this.#state.messages.filter(({ role, id }) => role === "assistant" && id).at(-1)?.id : undefined;
    return this.#ask({ ...written("user", text), ...(images && { images }) }, { idempotencyKey: newKey(), parentId, ...options });
  }

  /** Sends a message, or with the same key sends it again. */
  #ask(question: ChatMessage, options: SendMessageOptions): Promise<Message | undefined> {
    this.#set({ messages: [...this.#state.messages.filter((message) => message !== this.#unsent), question] });
    this.#unsent = question;
    this.#again = () => this.#ask(question, options);
    const { chatId } = this.#state;
    return this.#run("submitted", (answer) => {
      this.#draft = new Draft(written("assistant", ""));
      return answer.send(question.content, { ...options, chatId });
    });
  }

  #regenerateLast(): Promise<Message | undefined> {
    this.#check("regenerate");
    const last = this.#state.messages.at(-1);
    if (last?.role !== "assistant") {
      throw new Error("useChat: regenerate: the chat's last message is no answer");
    }
    return this.#run("submitted", (answer) => this.#regenerate(answer, last));
  }

  #regenerate(answer: Answer, old: ChatMessage): Promise<void> {
    const { chatId = "" } = this.#state;
    this.#draft = anew(old);
    this.#again = () => this.#carryOn((last) => last.id === old.id);
    this.#show({ status: "submitted", activity: undefined });
    return answer.regenerate(chatId, old.id ?? "");
  }

  /**
   * Looks what has become of an answer, and has it written anew where that is
   * still to be done. Both are one reading: who leaves or stops ends both.
   */
  #carryOn(isOpen: (last: ChatMessage) => boolean): Promise<Message | undefined> {
    this.#again = () => this.#carryOn(isOpen);
    return this.#run("loading", async (answer) => {
      await this.#read(answer);
      answer.signal.throwIfAborted();
      const last = this.#state.messages.at(-1);
      if (last !== undefined && isOpen(last) && !answer.isStopping) {
        await this.#regenerate(answer, last);
      }
    });
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    await this.#answer?.stop();
    await running;
  }

  #check(name: string): void {
    const { status } = this.#state;
    if (status !== "ready" && status !== "error") {
      throw new Error(`useChat: ${name}: status is "${status}", want "ready" or "error"${status === "loading" ? "" : "; stop() ends the answer"}`);
    }
    if (!this.#isLoaded) {
      throw new Error(`useChat: ${name}: the chat was not loaded; retry() loads it`);
    }
  }

  /** Reads something to its end. One thing runs at a time. */
  #run(status: ChatState["status"], work: (answer: Answer) => Promise<void>): Promise<Message | undefined> {
    const answer: Answer = new Answer(this.#sdk, (event) => {
      if (this.#answer === answer) {
        this.#take(event);
      }
    });
    this.#answer = answer;
    this.#draft = undefined;
    this.#show({ status, error: undefined, activity: undefined });
    this.#running = this.#finish(answer, work(answer));
    if (!this.#isOpen) {
      answer.leave();
    }
    return this.#running;
  }

  async #finish(answer: Answer, working: Promise<void>): Promise<Message | undefined> {
    const failure = await working.then(() => undefined, (error: unknown) => ({ error }));
    if (this.#answer !== answer) {
      return undefined; // somebody left, came back, and has loaded the chat since
    }
    this.#answer = undefined;
    if (answer.isLeft) {
      this.#leaveOff();
    } else if (failure === undefined) {
      this.#end("ready");
    } else {
      this.#fail(failure.error, answer);
    }
    if (answer.message !== undefined) {
      give(this.told.onFinish, answer.message);
    }
    return answer.message;
  }

  /** What there is may be old when somebody comes back: nothing is decided on it before it was loaded. */
  #leaveOff(): void {
    this.#isLoaded = !this.#isKept;
    this.#end(this.#isLoaded ? "ready" : "loading");
  }

  #take(event: StreamEvent): void {
    const draft = this.#draft;
    if (draft === undefined) {
      return;
    }
    switch (event.type) {
      case "start":
        draft.merge({ id: event.message_id, chat_id: event.chat_id });
        this.#identify(event);
        break;
      case "chunk":
        draft.add(event.text);
        this.#set({ status: "streaming" });
        break;
      case "message_object":
        draft.merge(fieldsOf(event.object));
        give(this.told.onMessageObject, event.object);
        break;
      case "document_chunk":
        this.#set({ activity: event.text });
        break;
      case "chat_name":
        this.#set({ chatName: event.name });
        break;
      case "complete":
        this.#set({ messages: put(this.#state.messages, draft.completed(event.message)) });
        this.#draft = undefined;
    }
    this.#frame.request();
  }

  /** The service has the question. */
  #identify({ chat_id: chatId, user_message_id: id, message_id: answerId }: StreamStart): void {
    if (this.#unsent !== undefined) {
      const question = { ...this.#unsent, ...(id !== undefined && { id, chat_id: chatId }) };
      this.#set({ chatId, messages: put(this.#state.messages, question) });
      this.#unsent = undefined;
      this.#again = () => this.#carryOn((last) => last.id === answerId && last.finish_reason === "error");
    }
  }

  /** Shows what there is of an answer that failed, or what there was before, and what can be done. */
  #fail(failure: unknown, answer: Answer): void {
    const error = failure instanceof Error ? failure : new Error(String(failure));
    const isWithdrawn = answer.isStopping && answer.isOnItsWay && (error.name === "AbortError" || ("status" in error && error.status === 404));
    const { old, shown } = this.#draft ?? {};
    this.#draft = undefined;
    const last = old ?? (shown && { ...shown, finish_reason: "error" });
    if (last !== undefined) {
      this.#set({ messages: put(this.#state.messages, last) });
    }
    if (isWithdrawn) {
      this.#set({ messages: this.#state.messages.filter((message) => message !== this.#unsent) });
      this.#unsent = undefined;
      this.#end("ready");
      return;
    }
    this.#end("error", error);
    give(this.told.onError, error);
  }

  #end(status: ChatState["status"], error?: Error): void {
    this.#show({ status, error, activity: undefined });
  }

  #set(fields: Partial<ChatState>): void {
    this.#state = { ...this.#state, ...fields };
  }

  #show(fields: Partial<ChatState>): void {
    this.#set(fields);
    this.#frame.cancel();
    this.#flush();
  }

  #flush(): void {
    const draft = this.#draft?.shown;
    if (draft !== undefined) {
      this.#set({ messages: put(this.#state.messages, draft), activity: undefined });
    }
    this.#shown = this.#state;
    this.#subscribers.forEach((subscriber) => subscriber());
  }
}

const isRunning = ({ stream_id: id }: ChatMessage): boolean => id !== undefined && id !== "";

function written(role: ChatMessage["role"], content: string): ChatMessage {
  return { key: newKey(), role, content, created_at: Date.now() / 1000 };
}

/** What takes the place of an old answer. */
function anew(old: ChatMessage): Draft {
  return new Draft({ ...written("assistant", ""), key: old.key }, old);
}

/** What a message object says of the message that it belongs to. */
function fieldsOf({ sources, image_urls: images }: Record<string, unknown>): Partial<ChatMessage> {
  return { ...(Array.isArray(sources) && { sources }), ...(Array.isArray(images) && { image_urls: images }) };
}
