import { failure } from "./errors.js";
import { MessageView } from "./message.js";
import { copyOf } from "./page.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Message} Message */

/** Milliseconds between two looks at an answer that another page began. */
const interval = 2000;

/** One chat and its messages. An answer goes on into its element while another chat is shown. */
export class ChatView {
  element = document.createElement("div");
  /** A message can be sent when it is ready. @type {"loading" | "failed" | "ready" | "sending" | "following"} */
  state = "ready";

  #page;
  /** The messages that the service knows, by id. @type {Map<string, MessageView>} */
  #messages = new Map();
  /** @type {Element | undefined} */
  #failure;
  /** Counts what replaces the messages, so that a history that comes too late is told. */
  #turn = 0;
  #timer = 0;

  /** @param {import("./page.js").Page} page @param {string} id is empty before the first message of a new chat. */
  constructor(page, id) {
    this.#page = page;
    this.id = id;
    this.element.className = "view";
    this.#show([]);
  }

  /** Whether it holds what the service's history does not. */
  get isUnique() {
    return this.state === "sending" || (this.state === "ready" && this.#failure !== undefined);
  }

  get isEmpty() {
    return this.state === "ready" && this.element.querySelector(".empty") !== null;
  }

  /** Shows the history. */
  async load() {
    const turn = ++this.#turn;
    if (this.state !== "following") {
      this.#become("loading");
    }
    try {
      const [history] = await Promise.all([this.#page.sdk.getChatHistory(this.id), this.#page.agents.ready]);
      if (turn === this.#turn) {
        this.#page.named(this.id, history.name);
        this.#show(history.messages);
        this.#settle(history.messages);
      }
    } catch (/** @type {any} */ error) {
      if (turn === this.#turn) {
        const isGone = error.status === 404;
        this.#fail(error, [isGone ? ["home", "New chat", () => this.#page.deleted(this.id)] : ["reload", "Reload", () => this.load()]]);
        this.#become("failed");
      }
    }
  }

  /** Ends what is done for the eye alone. */
  leave() {
    clearTimeout(this.#timer);
    this.#turn++;
  }

  /** Sends a message and shows its answer as it comes. @param {string} text */
  async send(text) {
    this.#forgetFailure();
    this.element.querySelector(".empty")?.remove();
    const [question, answer] = [new MessageView("user", this.#page), new MessageView("assistant", this.#page)];
    question.append(text);
    this.element.append(question.element, answer.element);
    this.#become("sending");
    try {
      await this.#exchange(text, answer);
      this.#page.answered(this, answer.text);
    } catch (error) {
      this.#breakOff(error, question, answer);
    }
    this.#become("ready");
  }

  /** @param {string} text @param {MessageView} answer */
  async #exchange(text, answer) {
    if (this.id === "") {
      await this.#page.create(this);
    }
    this.#page.used(this.id);
    await this.#page.sdk.sendMessageStream(text, {
      chatId: this.id,
      onChunk: (chunk) => answer.append(chunk),
      onDocumentChunk: (what) => answer.lookUp(what),
      onChatNameUpdate: (name) => this.#page.named(this.id, name),
      onComplete: (message) => {
        this.#messages.set(message.id, answer);
        answer.show(message);
      },
    });
  }

  /**
   * Keeps what came of an answer, and shows what can be done.
   * @param {any} error @param {MessageView} question @param {MessageView} answer
   */
  #breakOff(error, question, answer) {
    const hasText = answer.text !== "";
    if (hasText) {
      answer.breakOff();
    } else {
      answer.element.remove();
    }
    /** @type {import("./errors.js").Way[]} */
    const ways = [[
      "retry", error.status === 404 ? "Ask in a new chat" : "Try again", () => this.#retry(error, question, hasText),
    ]];
    if (error.code === "STREAM_CUT") {
      ways.unshift(["reload", "Show the rest", () => this.load()]);
    }
    this.#fail(error, ways);
  }

  /**
   * Gives the text back, and shows what the service has kept.
   * @param {any} error @param {MessageView} question @param {boolean} wasAnswered
   */
  #retry(error, question, wasAnswered) {
    this.#forgetFailure();
    if (!wasAnswered) {
      question.element.remove();
    }
    if (error.status === 404) {
      this.#page.deleted(this.id);
    } else if (error.status !== 0 && this.id !== "") {
      void this.load();
    }
    this.#page.putBack(question.text);
  }

  /** Makes these the messages, and leaves those alone that are there. @param {Message[]} messages */
  #show(messages) {
    this.#forgetFailure();
    const shown = messages.map((message) => this.#message(message).element);
    if (shown.length === 0) {
      shown.push(copyOf("empty"));
    }
    if (shown.length !== this.element.childElementCount || shown.some((element, i) => element !== this.element.children[i])) {
      this.element.replaceChildren(...shown);
    }
    this.#page.grew();
  }

  /** @param {Message} message */
  #message(message) {
    const view = this.#messages.get(message.id) ?? new MessageView(message.role, this.#page);
    this.#messages.set(message.id, view);
    view.show(message);
    return view;
  }

  /** Comes back to an answer that is still being written. @param {Message[]} messages */
  #settle(messages) {
    const wasFollowing = this.state === "following";
    const isWriting = messages.some(({ role, finish_reason: reason }) => role === "assistant" && reason === undefined);
    this.#become(isWriting ? "following" : "ready");
    if (isWriting) {
      this.#timer = setTimeout(() => this.load(), interval);
    } else if (wasFollowing) {
      this.#page.answered(this, messages.at(-1)?.content ?? "");
    }
  }

  /** @param {any} error @param {import("./errors.js").Way[]} ways */
  #fail(error, ways) {
    this.#forgetFailure();
    this.element.append((this.#failure = failure(error, ways)));
    this.#page.failed(error, this.id);
    this.#page.grew();
  }

  #forgetFailure() {
    this.#failure?.remove();
    this.#failure = undefined;
  }

  /** @param {ChatView["state"]} state */
  #become(state) {
    this.state = state;
    this.element.dataset.state = state;
    this.#page.changed(this);
  }
}
