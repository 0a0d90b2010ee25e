import { Answer } from "./answer.js";
import { isParked } from "./call.js";
import { Question } from "./question.js";
import { Showing } from "./showing.js";
import { Transcript } from "./transcript.js";

/**
 * @typedef {import("../../dist/chatsdk.d.ts").Message} Message
 * @typedef {import("./message.js").MessageView} MessageView
 * @typedef {import("./errors.js").Way} Way
 */

/** One chat and its messages. */
export class ChatView {
  /** The state. "parked": an answer waits for a decision about its calls. @type {"loading" | "failed" | "ready" | "writing" | "parked"} */
  state = "ready";

  /** The answer that is being written, and where it is shown. @type {Answer | undefined} */
  #answer;
  /** @type {Showing | undefined} */
  #showing;
  #transcript;
  /** Counts what replaces the messages, so that a history that arrives too late is noticed. */
  #turn = 0;

  /** @param {import("./page.js").Page} page @param {string} id is empty before the first message of a new chat. */
  constructor(page, id) {
    this.page = page;
    this.id = id;
    this.#transcript = new Transcript(page);
    this.element = this.#transcript.element;
    this.element.addEventListener("click", (/** @type {any} */ { target }) => {
      const view = this.messages.get(target.closest("article")?.dataset.message);
      view && this.#act(target.closest("[data-action]")?.dataset.action, view);
    });
  }

  /** The messages that the service knows, by id. */
  get messages() {
    return this.#transcript.messages;
  }

  /** Whether it has something that the service's history does not have. */
  get isUnique() {
    return this.state === "writing" ? !this.#answer?.isBegun : this.state === "ready" && this.#transcript.hasFailure;
  }

  /** A message can be sent. */
  get isFree() {
    return this.state === "ready" || this.state === "parked";
  }

  get isEmpty() {
    return this.state === "ready" && this.#transcript.isEmpty;
  }

  get isStopping() {
    return this.#answer?.isStopping === true;
  }

  /**
   * Shows the history, and follows an answer that is being written. Resolves to the last
   * message, unless it followed an answer.
   */
  async load() {
    this.#become("loading");
    return this.#look();
  }

  /** Does what a button of a message says. @param {string | undefined} action @param {MessageView} view */
  #act(action, view) {
    if (action === "before" || action === "after") {
      void this.#select(view, action);
    } else if (action === "edit" && this.isFree) {
      view.edit((text) => this.#edit(view, text));
    } else if (action === "regenerate" && this.isFree) {
      void this.#regenerate(view);
      this.page.focus();
    }
  }

  /** Shows changes that another page made, unless the user is editing. */
  refresh() {
    if (this.isFree && this.id !== "" && !this.#transcript.hasFailure && !this.#transcript.isEdited) {
      void this.#look();
    }
  }

  /** A call was decided, so its answer continues. Reads it, unless another one is being read. @param {import("../../dist/chatsdk.d.ts").ToolCall} call */
  decided({ message_id: id }) {
    this.messages.get(id)?.reckon();
    this.reckon();
    if (this.isFree && this.#showing?.id !== id) {
      void this.#look(this.#transcript.lastId);
    }
  }

  /** Updates whether the answer that is read waits for a decision. */
  reckon() {
    const state = this.#showing?.isParked ? "parked" : "writing";
    if (this.#answer !== undefined && this.state !== state) {
      this.#become(state);
    }
  }

  #leaveReading() {
    this.#answer?.leave();
    this.#answer = this.#showing = undefined;
  }

  /** Stops reading an answer. The service continues to write it. */
  leave() {
    this.#turn++;
    this.#answer?.leave();
  }

  /** Returns to the chat. The service may not have had the message when the user left. */
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

  /** Shows that the connection was lost and the page asks for the answer again. */
  reconnecting() {
    this.#showing?.lookUp("Reconnecting …");
  }

  /** Sends a message and shows its answer as it arrives. @param {string} text @param {File[]} images */
  async send(text, images) {
    this.element.querySelector(".empty")?.remove();
    const question = new Question(this.page, text, images);
    question.put(this.element);
    await this.#ask(question);
  }

  /** Sends another version of a question, which is shown in its place. @param {MessageView} old @param {string} text */
  #edit(old, text) {
    this.#transcript.forgetFailure();
    const question = new Question(this.page, text, [], old);
    question.put(this.element);
    this.page.jump();
    void this.#ask(question);
  }

  /** Sends a question that could not be sent again, behind what was sent since. @param {Question} question */
  #askAgain(question) {
    if (this.isFree) {
      question.putAgain(this.element);
      void this.#ask(question);
    }
  }

  /** Sends a question, or sends it again with the same key. @param {Question} question */
  async #ask(question) {
    question.view.unsent();
    const showing = new Showing(this, { question });
    const isWhole = await this.#write(showing, async (answer) => {
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
    this.#goOn(isWhole);
  }

  /** Reads another answer that was waiting, if there is one. @param {boolean} isWhole The answer that was read is whole. */
  #goOn(isWhole) {
    if (isWhole && this.#transcript.isOpen) {
      void this.#look(this.#transcript.lastId);
    }
  }

  /**
   * What the user can do about a message that, as far as the page knows, the service does
   * not have.
   * @param {any} error @param {Answer} answer @param {Question} question
   */
  #notSent(error, answer, question) {
    const putBack = () => {
      this.#transcript.forgetFailure();
      question.takeBack();
      const { old } = question;
      if (old !== undefined && (answer.isStopping || error.status !== 404)) {
        old.edit((text) => this.#edit(old, text), question.text);
        return;
      }
      if (this.element.childElementCount === 0) {
        this.#transcript.show([]);
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
      question.view.unsent(isGone ? undefined : () => this.#askAgain(question));
      const retry = isGone ? [] : this.#ways(error, () => this.#ask(question));
      const edit = isGone ? "Ask in a new chat" : "Edit the message";
      this.#fail(error, [...retry, ["edit", edit, putBack]]);
    }
  }

  /** Makes the service write another version of an answer. @param {MessageView} old */
  async #regenerate(old) {
    const { id = "" } = old;
    const showing = new Showing(this, { old });
    const isWhole = await this.#write(showing, (answer) => {
      this.page.used(this.id);
      return answer.regenerate(this.id, id);
    }, (error, answer) => {
      showing.undo();
      if (answer.isBegun || !answer.isStopping || error.status !== 404) {
        this.#fail(error, this.#ways(error, () => this.#carryOn(id, () => true)));
      }
    });
    this.#goOn(isWhole);
  }

  /**
   * Shows the branch of another version of a message. An answer that is being written on the
   * branch shown before continues; a question that is being sent would be lost.
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
    this.#leaveReading();
    this.#become("loading");
    try {
      const { sdk } = this.page;
      const [{ messages }] = await Promise.all([sdk.getChatHistory(this.id, { messageId: id }), sdk.selectBranch(this.id, id)]);
      if (turn === this.#turn) {
        this.#transcript.show(messages);
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

  /** Follows an answer that began elsewhere. @param {Message} message */
  async #follow({ id, stream_id: streamId = "", finish_reason: reason }) {
    const view = this.messages.get(id);
    const showing = new Showing(this, { isElsewhere: true, ...(reason === undefined ? { view } : { old: view }) });
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
      const last = await this.#look(id); // the service may be writing another answer
      if (last !== undefined && !isTold) {
        this.page.answered(last);
      }
    }
  }

  /**
   * Reads an answer to its end. Resolves to whether the whole answer was read in this view.
   * @param {Showing} showing @param {(answer: Answer) => Promise<unknown>} begin
   * @param {(error: any, answer: Answer) => void} failed
   */
  async #write(showing, begin, failed) {
    this.#turn++;
    this.#answer?.leave(); // an answer that waits continues to wait
    this.#transcript.forgetFailure();
    const answer = (this.#answer = new Answer(this.page.sdk, (event) => showing.take(event)));
    this.#showing = showing;
    this.#become(showing.isParked ? "parked" : "writing");
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
      return false; // another branch is shown now
    }
    this.#answer = this.#showing = undefined;
    this.#become("ready");
    return isWhole;
  }

  /** Keeps the text of an interrupted answer, and shows what the user can do. @param {any} error @param {Showing} showing @param {string | undefined} id */
  #breakOff(error, showing, id) {
    showing.breakOff();
    this.#fail(error, this.#ways(error, () => this.#carryOn(id, (view) => view.element.dataset.state === "incomplete")));
  }

  /**
   * Loads the chat again. If the answer is still on the path and still incomplete, makes the service write
   * it again.
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

  /** Shows the history, of the path through a message if one is given, unless something else was shown meanwhile. @param {string} [messageId] */
  async #look(messageId) {
    const turn = ++this.#turn;
    const isAsked = this.state === "loading";
    try {
      const [history] = await Promise.all([this.page.sdk.getChatHistory(this.id, { messageId }), this.page.agents.ready]);
      if (turn === this.#turn) {
        this.#leaveReading(); // a waiting answer is read until something newer arrives
        this.page.named(this.id, history.name);
        this.#transcript.show(history.messages);
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

  /** Follows an answer that is being written. If there is none, resolves to the last message. @param {Message[]} messages */
  async #settle(messages) {
    const open = messages.filter(({ stream_id: id }) => id);
    const running = open.findLast(({ tool_calls: calls = [] }) => !isParked(calls)) ?? open.at(-1);
    if (running !== undefined) {
      await this.#follow(running);
      return undefined;
    }
    this.#become("ready");
    return messages.at(-1);
  }

  /** @param {any} error @param {Way[]} ways */
  #fail(error, ways) {
    this.#transcript.fail(error, ways);
    this.page.failed(error, this.id);
  }

  /** @param {ChatView["state"]} state */
  #become(state) {
    this.state = state;
    this.element.dataset.state = state;
    this.page.changed(this);
  }
}
