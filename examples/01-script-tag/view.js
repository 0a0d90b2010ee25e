import { Answer } from "./answer.js";
import { failure } from "./errors.js";
import { MessageView } from "./message.js";
import { copyOf } from "./page.js";
import { Question } from "./question.js";
import { Showing } from "./showing.js";

/**
 * @typedef {import("../../dist/chatsdk.d.ts").Message} Message
 * @typedef {import("./errors.js").Way} Way
 */

/** One chat and its messages. */
export class ChatView {
  element = document.createElement("div");
  /** A message can be sent when it is ready. @type {"loading" | "failed" | "ready" | "writing"} */
  state = "ready";

  /** The messages that the service knows, by id. @type {Map<string, MessageView>} */
  messages = new Map();

  /** The answer that is being written, and where it shows. @type {Answer | undefined} */
  #answer;
  /** @type {Showing | undefined} */
  #showing;
  /** @type {Element | undefined} */
  #failure;
  /** Counts what replaces the messages, so that a history that comes too late is told. */
  #turn = 0;

  /** @param {import("./page.js").Page} page @param {string} id is empty before the first message of a new chat. */
  constructor(page, id) {
    this.page = page;
    this.id = id;
    this.element.className = "view";
    this.element.addEventListener("click", (/** @type {any} */ { target }) => {
      const view = this.messages.get(target.closest("article")?.dataset.message);
      view && this.#act(target.closest("[data-action]")?.dataset.action, view);
    });
    this.#show([]);
  }

  /** Whether it holds what the service's history does not. */
  get isUnique() {
    return this.state === "writing" ? !this.#answer?.isBegun : this.state === "ready" && this.#failure !== undefined;
  }

  get isEmpty() {
    return this.state === "ready" && this.element.querySelector(".empty") !== null;
  }

  get isStopping() {
    return this.#answer?.isStopping === true;
  }

  /**
   * Shows the history, and follows an answer that is being written. Gives the
   * last message, unless it was followed.
   */
  async load() {
    this.#become("loading");
    return this.#look();
  }

  /** Does what a button of a message is for. @param {string | undefined} action @param {MessageView} view */
  #act(action, view) {
    if (action === "before" || action === "after") {
      void this.#select(view, action);
    } else if (action === "edit" && this.state === "ready") {
      view.edit((text) => this.#edit(view, text));
    } else if (action === "regenerate" && this.state === "ready") {
      void this.#regenerate(view);
      this.page.focus();
    }
  }

  /** Shows what another page has written, unless a question is being edited. */
  refresh() {
    if (this.state === "ready" && this.id !== "" && this.#failure === undefined && this.element.querySelector(".editor") === null) {
      void this.#look();
    }
  }

  /** Leaves an answer that is being written to itself. */
  leave() {
    this.#turn++;
    this.#answer?.leave();
  }

  /** Comes back to a message that had not got to the service when one left. */
  enter() {
    if (this.#answer !== undefined) {
      this.#answer.isLeft = false;
    }
  }

  /** Stops the answer that is being written. */
  stop() {
    this.#answer?.stop();
    this.page.changed(this);
  }

  /** Says that the answer does not come, and is asked for again. */
  reconnecting() {
    this.#showing?.lookUp("Reconnecting …");
  }

  /** Sends a message and shows its answer as it comes. @param {string} text @param {File[]} images */
  async send(text, images) {
    this.element.querySelector(".empty")?.remove();
    const question = new Question(this.page, text, images);
    question.put(this.element);
    await this.#ask(question);
  }

  /** Sends another version of a question, which stands in its place. @param {MessageView} old @param {string} text */
  #edit(old, text) {
    this.#forgetFailure();
    const question = new Question(this.page, text, [], old);
    question.put(this.element);
    this.page.jump();
    void this.#ask(question);
  }

  /** Asks, or with the same key asks again. @param {Question} question */
  async #ask(question) {
    const showing = new Showing(this, { question });
    await this.#write(showing, async (answer) => {
      if (this.id === "") {
        await this.page.create(this, answer.signal);
      }
      this.page.used(this.id);
      await answer.send(question.text, {
        chatId: this.id, ...question.options, ...this.page.choices.options(this.id), ...question.upload((what) => showing.lookUp(what)),
      });
    }, (error, answer) => {
      if (answer.isBegun) {
        this.#breakOff(error, showing, showing.id);
      } else {
        showing.undo();
        this.#notSent(error, answer, question);
      }
    });
  }

  /**
   * What can be done with a message that the service does not have, as far as
   * the page knows.
   * @param {any} error @param {Answer} answer @param {Question} question
   */
  #notSent(error, answer, question) {
    const putBack = () => {
      this.#forgetFailure();
      question.takeBack();
      const { old } = question;
      if (old !== undefined && (answer.isStopping || error.status !== 404)) {
        old.edit((text) => this.#edit(old, text), question.text);
        return;
      }
      if (this.element.childElementCount === 0) {
        this.#show([]);
      }
      if (error.status === 404 && !answer.isStopping) {
        this.page.deleted(this.id);
      }
      this.page.putBack(question.text, question.images);
    };
    if (answer.isStopping && (error.name === "AbortError" || error.status === 404)) {
      putBack();
    } else {
      const isGone = error.status === 404;
      const retry = isGone ? [] : this.#ways(error, () => this.#ask(question));
      const edit = isGone ? "Ask in a new chat" : "Edit the message";
      this.#fail(error, [...retry, ["edit", edit, putBack]]);
    }
  }

  /** Has an answer written anew. @param {MessageView} old */
  async #regenerate(old) {
    const { id = "" } = old;
    const showing = new Showing(this, { old });
    await this.#write(showing, (answer) => {
      this.page.used(this.id);
      return answer.regenerate(this.id, id);
    }, (error, answer) => {
      showing.undo();
      if (answer.isBegun || !answer.isStopping || error.status !== 404) {
        this.#fail(error, this.#ways(error, () => this.#carryOn(id, () => true)));
      }
    });
  }

  /**
   * Shows the branch of another version of a message. An answer that is being
   * written on the one that showed goes on; a question on its way would be lost.
   * @param {MessageView} view @param {"before" | "after"} action
   */
  async #select(view, action) {
    const id = view.sibling(action === "before" ? -1 : 1);
    if (id === undefined || this.#answer?.isBegun === false) {
      return;
    }
    const turn = ++this.#turn;
    const { top } = view.element.getBoundingClientRect();
    const hadFocus = document.activeElement?.closest(".branches") != null;
    this.#answer?.leave();
    this.#answer = this.#showing = undefined;
    this.#become("loading");
    try {
      const { sdk } = this.page;
      const [{ messages }] = await Promise.all([sdk.getChatHistory(this.id, { messageId: id }), sdk.selectBranch(this.id, id)]);
      if (turn === this.#turn) {
        this.#show(messages);
        const shown = this.messages.get(id);
        if (shown !== undefined) {
          hadFocus && shown.focusArrow(action);
          this.page.stay(shown.element, top);
        }
        await this.#settle(messages);
      }
    } catch (error) {
      if (turn === this.#turn) {
        this.#fail(error, this.#ways(error, () => this.#select(view, action)));
        this.#become("ready");
      }
    }
  }

  /** Follows an answer that was begun elsewhere. @param {Message} message */
  async #follow({ id, stream_id: streamId = "", finish_reason: reason }) {
    const view = this.messages.get(id);
    const showing = new Showing(this, reason === undefined ? { view } : { old: view });
    let isTold = true;
    const isWhole = await this.#write(showing, async (answer) => {
      isTold = (await answer.resume(this.id, id, streamId)) === true;
    }, (error) => {
      if (reason === undefined) {
        this.#breakOff(error, showing, id);
      } else {
        showing.undo();
        this.#fail(error, this.#ways(error, () => this.load()));
      }
    });
    if (isWhole) {
      const last = await this.#look(id); // there may be another one
      if (last !== undefined && !isTold) {
        this.page.answered(last);
      }
    }
  }

  /**
   * Reads an answer to its end. It tells whether that came while somebody looked.
   * @param {Showing} showing @param {(answer: Answer) => Promise<unknown>} begin
   * @param {(error: any, answer: Answer) => void} failed
   */
  async #write(showing, begin, failed) {
    this.#turn++;
    this.#forgetFailure();
    const answer = (this.#answer = new Answer(this.page.sdk, (event) => showing.take(event)));
    this.#showing = showing;
    this.#become("writing");
    let isWhole = true;
    try {
      await begin(answer);
    } catch (error) {
      isWhole = false;
      if (this.#answer === answer && (!answer.isLeft || !answer.isBegun)) {
        failed(error, answer);
      }
    }
    if (this.#answer !== answer) {
      return false; // another branch shows
    }
    this.#answer = this.#showing = undefined;
    this.#become("ready");
    return isWhole;
  }

  /** Keeps what came of an answer, and shows what can be done. @param {any} error @param {Showing} showing @param {string | undefined} id */
  #breakOff(error, showing, id) {
    showing.breakOff();
    this.#fail(error, this.#ways(error, () => this.#carryOn(id, (view) => view.element.dataset.state === "incomplete")));
  }

  /**
   * Looks what has become of an answer, and has it written anew where the path has
   * it, and that is still to be done.
   * @param {string | undefined} id @param {(view: MessageView) => boolean} isOpen
   */
  async #carryOn(id, isOpen) {
    const last = await this.load();
    const view = this.messages.get(id ?? "");
    if (last !== undefined && view?.element.isConnected && isOpen(view)) {
      await this.#regenerate(view);
    }
  }

  /** @param {any} error @param {() => void} retry @returns {Way[]} */
  #ways(error, retry) {
    if (error.status === 404) {
      return [["home", "New chat", () => this.page.deleted(this.id)]];
    }
    return error.retryable || error.status === 401 ? [["retry", "Try again", retry]] : [];
  }

  /** Shows the history, that of the path through a message if one is named, unless something else came first. @param {string} [messageId] */
  async #look(messageId) {
    const turn = ++this.#turn;
    const isAsked = this.state === "loading";
    try {
      const [history] = await Promise.all([this.page.sdk.getChatHistory(this.id, { messageId }), this.page.agents.ready]);
      if (turn === this.#turn) {
        this.page.named(this.id, history.name);
        this.#show(history.messages);
        return await this.#settle(history.messages);
      }
    } catch (/** @type {any} */ error) {
      if (turn === this.#turn && (isAsked || error.status === 404)) {
        const ways = this.#ways(error, () => {});
        this.#fail(error, error.status === 404 ? ways : [["reload", "Reload", () => this.load()]]);
        this.#become("failed");
      }
    }
    return undefined;
  }

  /** Goes on with an answer that is being written; else gives the last message. @param {Message[]} messages */
  async #settle(messages) {
    const running = messages.findLast(({ stream_id: id }) => id);
    if (running !== undefined) {
      await this.#follow(running);
      return undefined;
    }
    this.#become("ready");
    return messages.at(-1);
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
    this.page.grew();
  }

  /** @param {Message} message */
  #message(message) {
    const view = this.messages.get(message.id) ?? new MessageView(message.role, this.page);
    this.messages.set(message.id, view);
    view.show(message);
    return view;
  }

  /** @param {any} error @param {Way[]} ways */
  #fail(error, ways) {
    this.#forgetFailure();
    this.element.append((this.#failure = failure(error, ways)));
    this.page.failed(error, this.id);
    this.page.grew();
  }

  #forgetFailure() {
    this.#failure?.remove();
    this.#failure = undefined;
  }

  /** @param {ChatView["state"]} state */
  #become(state) {
    this.state = state;
    this.element.dataset.state = state;
    this.page.changed(this);
  }
}
