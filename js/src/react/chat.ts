import type { Message, SendMessageOptions, StreamEvent, StreamStart, ToolCall, ToolCallResponse } from "chatsdk";

import { newKey } from "../arguments.js";
import { give } from "../callbacks.js";
import { waits } from "../call-state.js";
import { Answer } from "./answer.js";
import { decided } from "./decision.js";
import { Frame } from "./frame.js";
import { Path } from "./path.js";
import { asks, fieldsOf, isIdle, isRunning, questionOf, Questions, runningOf } from "./questions.js";
import type { ChatActions, ChatMessage, ChatState, SendOptions, UseChatOptions } from "./types.js";

/**
 * One chat, for useSyncExternalStore. It reads while it has subscribers. When the last one leaves,
 * the service finishes the answer. The constructor has no effects, because React may discard the
 * object.
 *
 * @internal
 */
export class ChatStore {
  readonly actions: ChatActions;
  /** The state before anything has loaded, also on the server. */
  readonly initial: ChatState;
  /** The callbacks of the last render, and whether to ask for reasoning. */
  listeners: Pick<UseChatOptions, "onFinish" | "onError" | "onMessageObject" | "reasoning"> = {};

  readonly #sdk: UseChatOptions["sdk"];
  readonly #subscribers = new Set<() => void>();
  readonly #frame = new Frame(() => this.#flush());
  readonly #path: Path;
  /** The state without its messages, and the state that was shown last. */
  #state: Omit<ChatState, "messages">;
  #shown: ChatState;
  #isOpen = false;
  /** The history is loaded, or there is none. */
  #isLoaded: boolean;
  #answer: Answer | undefined;
  #running: Promise<Message | undefined> | undefined;
  #again: () => Promise<Message | undefined> = async () => undefined;
  readonly #asked = new Questions();

  constructor({ sdk, chatId, initialMessages }: UseChatOptions) {
    this.#sdk = sdk;
    this.#isLoaded = chatId === undefined;
    this.#path = new Path(initialMessages ?? []);
    this.#state = { chatId, chatName: undefined, status: this.#isLoaded ? "ready" : "loading", error: undefined, activity: undefined };
    this.initial = this.#shown = { ...this.#state, messages: this.#path.messages };
    this.actions = {
      send: async (text, options) => this.#send(text, options),
      edit: async (messageId, text, options) => this.#edit(messageId, text, options),
      // onClick={regenerate} passes an event.
      regenerate: async (messageId) => this.#answerAnew(typeof messageId === "string" ? messageId : undefined),
      selectBranch: async (messageId) => this.#select(messageId),
      approve: async (callId, options) => this.#decide(callId, () => this.#sdk.approveToolCall(callId, options)),
      deny: async (callId, reason) => this.#decide(callId, () => this.#sdk.denyToolCall(callId, reason)),
      resend: async (key) => this.#resend(key),
      discard: (key) => this.#discard(key),
      retry: async () => (this.#state.status === "error" ? this.#again() : undefined),
      stop: async () => this.#stop(),
    };
  }

  /** A subscriber that comes back at once has not left: StrictMode subscribes, leaves and subscribes. */
  readonly subscribe = (subscriber: () => void): (() => void) => {
    this.#subscribers.add(subscriber);
    this.#open();
    return () => {
      this.#subscribers.delete(subscriber);
      queueMicrotask(() => this.#close());
    };
  };

  readonly snapshot = (): ChatState => this.#shown;

  /** Whether a component with these options shows the same chat. */
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

  /** The service has the whole chat, so loading it loses nothing. */
  get #isKept(): boolean {
    return this.#state.chatId !== undefined && this.#path.isKept;
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

  /** Shows the history, or the path through a message if one is named, and follows an answer that is being written. */
  async #read(answer: Answer, messageId?: string): Promise<void> {
    const { chatId = "" } = this.#state;
    for (let isDone = false; !isDone; ) {
      const { name, messages } = await this.#sdk.getChatHistory(chatId, { messageId, signal: answer.signal });
      answer.signal.throwIfAborted();
      this.#isLoaded = true;
      this.#path.load(messages);
      this.#set({ chatName: name });
      const running = runningOf(this.#path.messages);
      isDone = running === undefined || ((await this.#follow(answer, chatId, running)) && !this.#path.messages.some(isRunning));
    }
  }

  /** Follows an answer that was begun elsewhere. Reports whether it was still being written. */
  #follow(answer: Answer, chatId: string, running: ChatMessage): Promise<boolean> {
    const isNew = running.finish_reason === undefined;
    if (isNew) {
      this.#path.follow(running);
    } else {
      this.#path.answerAnew(running, true);
    }
    this.#again = () => this.#carryOn(running.id, ({ finish_reason: reason }) => !isNew || reason === "error");
    this.#show({ status: waits(running.tool_calls ?? []) ? "waiting" : isNew && running.content !== "" ? "streaming" : "submitted" });
    return answer.resume(chatId, running.id ?? "", running.stream_id ?? "");
  }

  #send(text: string, options: SendOptions | undefined): Promise<Message | undefined> {
    this.#check("send");
    // It follows the answer that the user reads, even if the chat's path has changed.
    return this.#ask(questionOf(text, options), { idempotencyKey: newKey(), parentId: this.#path.answerId, ...asks(this.listeners), ...options });
  }

  #edit(messageId: string, text: string, options: SendOptions | undefined): Promise<Message | undefined> {
    this.#check("edit");
    const old = this.#path.find("edit", messageId, "user");
    const { image_urls: images } = old;
    return this.#ask({ ...(images && { image_urls: images }), ...questionOf(text, options) }, { idempotencyKey: newKey(), ...asks(this.listeners),
      ...options, edits: messageId }, old);
  }

  /** Sends a question. With the same key it sends the question again. It replaces an old question if one is given. */
  #ask(question: ChatMessage, options: SendMessageOptions, old?: ChatMessage): Promise<Message | undefined> {
    this.#again = () => this.#ask(question, options, old);
    const { chatId } = this.#state;
    this.#asked.add({ question, options, old });
    this.#path.ask(question, old);
    return this.#run("submitted", (answer) => {
      this.#path.begin();
      return answer.send(question.content, { ...options, chatId });
    });
  }

  /** Sends a question again, with its key, behind what was sent since. */
  #resend(key: string): Promise<Message | undefined> {
    this.#check("resend");
    const { question, options, old } = this.#asked.unsent("resend", key, this.#path);
    return old === undefined
      ? this.#ask(question, { ...options, parentId: this.#path.answerId ?? options.parentId })
      : this.#ask(question, options, this.#path.find("resend", old.id, "user"));
  }

  #discard(key: string): void {
    this.#asked.unsent("discard", key, this.#path);
    if (this.#path.asks(key)) { // it is what failed last; else what is on its way, and another failure, stay
      this.#path.keep();
      this.#again = async () => undefined;
      this.#set({ status: "ready", error: undefined });
    }
    this.#path.forget(key);
    this.#show({});
  }

  #answerAnew(messageId: string | undefined): Promise<Message | undefined> {
    this.#check("regenerate");
    const old = this.#path.find("regenerate", messageId, "assistant");
    return this.#run("submitted", (answer) => this.#regenerate(answer, old));
  }

  #regenerate(answer: Answer, old: ChatMessage): Promise<void> {
    this.#path.answerAnew(old);
    this.#again = () => this.#carryOn(old.id, () => true); // it stays on the path until a newer answer changes the path
    this.#show({ status: "submitted", activity: undefined });
    return answer.regenerate(this.#state.chatId ?? "", old.id ?? "", this.listeners.reasoning === true);
  }

  /**
   * Reads the state of an answer. If it is on the path and still open, it is written again. Both
   * are one reading: leaving or stopping ends both.
   */
  #carryOn(messageId: string | undefined, isOpen: (answer: ChatMessage) => boolean): Promise<Message | undefined> {
    this.#again = () => this.#carryOn(messageId, isOpen);
    return this.#run("loading", async (answer) => {
      await this.#read(answer);
      answer.signal.throwIfAborted();
      const message = this.#path.get(messageId);
      if (message !== undefined && isOpen(message) && !answer.isStopping) {
        await this.#regenerate(answer, message);
      }
    });
  }

  #select(messageId: string): Promise<Message | undefined> {
    this.#checkLoaded("selectBranch");
    if (this.#answer?.isOnItsWay) {
      throw new Error("useChat: selectBranch: a message is on its way to the service; wait for the status \"streaming\", or stop() it");
    }
    return this.#lead(messageId, newKey());
  }

  /** Changes the path to go through a message. The service finishes an answer that is being written on another path. */
  #lead(messageId: string, idempotencyKey: string): Promise<Message | undefined> {
    this.#again = () => this.#lead(messageId, idempotencyKey);
    this.#path.keep();
    this.#answer?.leave();
    return this.#run("loading", async (answer) => {
      const { chatId = "" } = this.#state;
      await this.#sdk.selectBranch(chatId, messageId, { idempotencyKey, signal: answer.signal });
      await this.#read(answer, messageId);
    });
  }

  /** Sends a decision, and shows the result. */
  async #decide(callId: string, post: () => Promise<ToolCallResponse>): Promise<ToolCall> {
    const call = await decided(this.#sdk, callId, post);
    this.#path.call(call);
    this.#reckon();
    if (isIdle(this.#state.status) && this.#path.draft?.id !== call.message_id) {
      void this.#carryOnWaiting(); // that answer continues, but it is not the one that was read
    }
    return call;
  }

  /** Continues to read the other waiting answers of the path. */
  #carryOnWaiting(): Promise<Message | undefined> {
    this.#again = () => this.#load();
    return this.#run("waiting", (answer) => this.#read(answer, this.#path.answerId));
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    await this.#answer?.stop();
    await running;
  }

  #check(name: string): void {
    const { status } = this.#state;
    if (!isIdle(status)) {
      throw new Error(`useChat: ${name}: status is "${status}", want "ready", "waiting" or "error"${status === "loading" ? "" : "; stop() ends the answer"}`);
    }
    this.#checkLoaded(name);
    this.#path.show();
  }

  #checkLoaded(name: string): void {
    if (!this.#isLoaded) {
      throw new Error(`useChat: ${name}: the chat was not loaded; retry() loads it`);
    }
  }

  /** Reads something to its end. Only one reading runs at a time. */
  #run(status: ChatState["status"], work: (answer: Answer) => Promise<void>): Promise<Message | undefined> {
    const answer: Answer = new Answer(this.#sdk, (event) => {
      if (this.#answer === answer) {
        this.#take(event);
      }
    });
    this.#answer?.leave(); // an answer that waits continues to wait
    this.#answer = answer;
    this.#path.leave();
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
      return undefined; // the subscriber has left and come back since, and the chat was loaded again
    }
    this.#answer = undefined;
    if (answer.isLeft) {
      this.#leaveOff();
    } else if (failure === undefined) {
      this.#end("ready");
      if (runningOf(this.#path.messages) !== undefined) {
        void this.#carryOnWaiting();
      }
    } else {
      this.#fail(failure.error, answer);
    }
    if (answer.message !== undefined) {
      give(this.listeners.onFinish, answer.message);
    }
    return answer.message;
  }

  /** When a subscriber comes back, the state may be old: it is loaded again before anything is decided. */
  #leaveOff(): void {
    this.#isLoaded = !this.#isKept;
    this.#end(this.#isLoaded ? "ready" : "loading");
  }

  #take(event: StreamEvent): void {
    const { draft } = this.#path;
    if (draft === undefined) {
      return;
    }
    switch (event.type) {
      case "start":
        this.#identify(event);
        break;
      case "chunk":
      case "reasoning":
        draft.add(event.type, event.text);
        this.#set({ status: "streaming" });
        break;
      case "tool_call":
        this.#path.call(event.call);
        this.#reckon();
        break;
      case "message_object":
        draft.tell(fieldsOf(event.object));
        give(this.listeners.onMessageObject, event.object);
        break;
      case "document_chunk":
        this.#set({ activity: event.text });
        break;
      case "chat_name":
        this.#set({ chatName: event.name });
        break;
      case "complete":
        this.#path.complete(event.message);
    }
    this.#frame.request();
  }

  /** Updates, from its calls, whether the answer that is read waits. */
  #reckon(): void {
    const { draft } = this.#path;
    if (draft?.calls) {
      this.#set({ status: draft.waits ? "waiting" : "streaming" });
    }
    this.#frame.request();
  }

  /** The service has the question. */
  #identify(start: StreamStart): void {
    if (this.#path.identify(start)) {
      const { chat_id: chatId, message_id: answerId } = start;
      this.#set({ chatId });
      this.#again = () => this.#carryOn(answerId, ({ finish_reason: reason }) => reason === "error");
    }
  }

  /** Shows the part of an answer that failed, or the old content, and the possible actions. */
  #fail(failure: unknown, answer: Answer): void {
    const error = failure instanceof Error ? failure : new Error(String(failure));
    const isWithdrawn = answer.isStopping && answer.isOnItsWay && (error.name === "AbortError" || ("status" in error && error.status === 404));
    this.#path.breakOff();
    if (isWithdrawn) {
      this.#path.withdraw();
      this.#end("ready");
      return;
    }
    this.#path.mark();
    this.#end("error", error);
    give(this.listeners.onError, error);
  }

  #end(status: ChatState["status"], error?: Error): void {
    this.#show({ status, error, activity: undefined });
  }

  #set(fields: Partial<Omit<ChatState, "messages">>): void {
    this.#state = { ...this.#state, ...fields };
  }

  #show(fields: Partial<Omit<ChatState, "messages">>): void {
    this.#set(fields);
    this.#frame.cancel();
    this.#flush();
  }

  #flush(): void {
    if (this.#path.show()) {
      this.#set({ activity: undefined });
    }
    this.#shown = { ...this.#state, messages: this.#path.messages };
    this.#subscribers.forEach((subscriber) => subscriber());
  }
}
