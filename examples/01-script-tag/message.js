import { picture } from "./attachments.js";
import { Body } from "./body.js";
import { Branches } from "./branches.js";
import { isParked } from "./call.js";
import { openEditor } from "./editor.js";
import { MarkdownText } from "./markdown.js";
import { UsedMemories } from "./memories.js";
import { copyOf, part } from "./page.js";
import { showSources } from "./sources.js";
import { GrowingText } from "./text.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Message} Message */

/** The state of an answer that has ended, and the text under it, by its finish_reason. */
const ends = {
  stop: ["complete"],
  stopped: ["stopped", "Stopped."],
  error: ["incomplete", "Interrupted: this answer is incomplete."],
  length: ["incomplete", "Cut off: the model reached its length limit."],
};

/** A message of a chat. */
export class MessageView {
  /** The message's id. @type {string | undefined} */
  id;
  #page;
  #body;
  /** Only for an answer. @type {UsedMemories | undefined} */
  #used;
  /** What the model thought, folded. Only for an answer. @type {GrowingText | undefined} */
  #thoughts;
  /** The message as the service has it. @type {Message | undefined} */
  #message;
  #isLooking = false;
  #branches = new Branches();

  /** @param {"user" | "assistant"} role @param {import("./page.js").Page} page */
  constructor(role, page) {
    this.#page = page;
    this.element = copyOf(role);
    this.#body = new Body(part(this.element, "body"), page, role === "assistant" ? MarkdownText : GrowingText);
    part(this.element, "actions").append(this.#branches.element);
    if (role === "assistant") {
      this.#used = new UsedMemories(part(this.element, "used"), page);
      this.#thoughts = new GrowingText(part(this.element, "thoughts"), page.grew);
      this.#become(["waiting"]);
      this.#sign();
      part(this.element, "feedback").addEventListener("click", (/** @type {any} */ event) => this.#rate(event.target));
    }
  }

  get text() {
    return this.#body.value;
  }

  /** The addresses of its images on the service. */
  get addresses() {
    return this.#message?.image_urls ?? [];
  }

  /** The id of its previous version (-1) or its next (1). @param {number} step */
  sibling(step) {
    return this.#branches.next(step);
  }

  /** Sets the id. Only histories list the versions, so an elder version is passed in. @param {string} id @param {MessageView} [elder] */
  identify(id, elder) {
    this.element.dataset.message = this.id = id;
    if (elder === undefined) {
      this.#branches.show({ id });
    } else {
      this.#branches.standBeside(elder.#branches, id);
    }
  }

  /** Lets the user edit the text in its place. @param {(text: string) => void} send @param {string} [text] what was written before */
  edit(send, text = this.text) {
    openEditor(this.element, text, send);
  }

  /** Marks a question that the service does not have. Without a way to send it again, takes the mark away. @param {() => void} [again] */
  unsent(again) {
    this.element.toggleAttribute("data-unsent", again !== undefined);
    part(this.element, "unsent").hidden = again === undefined;
    part(this.element, "unsent").querySelector("button").onclick = again ?? null;
  }

  /** Puts the focus on an arrow; if that one is disabled, on the other. @param {"before" | "after"} action */
  focusArrow(action) {
    this.#branches.focus(action);
  }

  /** It waits for a decision. */
  get isParked() {
    return this.element.dataset.state === "parked";
  }

  /** It is not complete yet. */
  get isOpen() {
    return ["waiting", "writing", "parked"].includes(this.element.dataset.state);
  }

  /** @param {string} chunk */
  append(chunk) {
    this.#body.append(chunk);
    if (this.element.dataset.state === "waiting" || this.isParked || this.#isLooking) {
      this.#become(["writing"]);
    }
  }

  /** How much of what the model thought is shown, in UTF-16 units. */
  get thought() {
    return this.#thoughts?.value.length ?? 0;
  }

  /** Shows what the model thinks, when it is unfolded. @param {string} text */
  think(text) {
    part(this.element, "reasoning").hidden &&= text === "";
    this.#thoughts?.append(text);
  }

  /** Shows a call of the answer. @param {import("../../dist/chatsdk.d.ts").ToolCall} call */
  call(call) {
    this.#body.call(call);
    this.reckon();
  }

  /** Updates, from its calls, whether it waits for a decision. */
  reckon() {
    if (this.isOpen) {
      this.#become([isParked(this.#body.calls) ? "parked" : "writing"]);
    }
  }

  /** Shows images, which are files of the page or addresses of the service. @param {readonly (File | string)[]} images */
  showImages(images) {
    const element = part(this.element, "images");
    if (images.length === element.childElementCount) {
      return; // the service sends new addresses for the same images with each answer
    }
    element.hidden = images.length === 0;
    element.replaceChildren(...images.map((image, i) => thumbnail(image, `Image ${i + 1} of ${images.length}`)));
    this.#page.grew();
  }

  /** Shows images beside those that an answer has. @param {unknown} images as the service lists them */
  addImages(images) {
    const shown = [...part(this.element, "images").querySelectorAll("a")].map((link) => link.href);
    const isShown = (/** @type {string} */ image) => shown.some((other) => new URL(other).pathname === new URL(image).pathname);
    if (Array.isArray(images) && images.every((image) => /^https?:/.test(image))) {
      this.showImages([...shown, ...images.filter((image) => !isShown(image))]);
    }
  }

  /** Shows the sources of an answer. @param {unknown} sources as the service lists them */
  showSources(sources) {
    if (Array.isArray(sources)) {
      showSources(part(this.element, "sources"), sources, this.#page.passage);
      this.#page.grew();
    }
  }

  /** Shows what the agent is doing, until more text arrives. @param {string} what */
  lookUp(what) {
    this.#isLooking = what !== "";
    part(this.element, "status").textContent = what;
    this.#page.grew();
  }

  /** Keeps the text of an interrupted answer. */
  breakOff() {
    this.#body.set(this.text, this.#body.calls);
    this.#become(ends.error);
  }

  /** Shows the message as the service has it. @param {Message} message */
  show(message) {
    this.#message = message;
    this.identify(message.id);
    this.#branches.show(message);
    this.#body.set(message.content, message.tool_calls);
    this.showImages(message.image_urls ?? []);
    if (message.role === "assistant") {
      this.#sign(message.agent_id, message.model_name);
      part(this.element, "reasoning").hidden = !message.reasoning;
      this.#thoughts?.set(message.reasoning ?? "");
      this.showSources(message.sources ?? []);
      this.#end(message);
    }
  }

  /** @param {Message} message */
  #end({ content, finish_reason: reason, feedback, memory_ids: ids = [], agent_id: agent, tool_calls: calls = [] }) {
    const open = isParked(calls) ? "parked" : content !== "" || calls.length > 0 ? "writing" : "waiting";
    this.#become(reason === undefined ? [open] : ends[reason] ?? ends.stop);
    part(this.element, "feedback").hidden = reason === undefined || reason === "error";
    this.#press(feedback);
    this.#used?.show(agent, ids);
    this.#page.grew();
  }

  /** @param {string[]} state waiting, writing, parked, complete, stopped or incomplete, and the mark under it */
  #become([state = "", mark = ""]) {
    this.element.dataset.state = state;
    this.element.ariaBusy = String(state === "waiting" || state === "writing");
    part(this.element, "mark").textContent = mark;
    this.lookUp("");
  }

  /** Shows who answers. @param {string} [agentId] @param {string} [model] */
  #sign(agentId, model = "") {
    const name = this.#page.agents.name(agentId);
    this.element.ariaLabel = name;
    part(this.element, "agent").textContent = name;
    part(this.element, "model").textContent = model;
  }

  /** @param {boolean | undefined} feedback */
  #press(feedback) {
    this.element.querySelector("[data-action=up]").ariaPressed = String(feedback === true);
    this.element.querySelector("[data-action=down]").ariaPressed = String(feedback === false);
  }

  /** Shows the thumb at once, and takes it back if the service refuses it. @param {Element} target */
  async #rate(target) {
    const action = target.closest("button")?.dataset.action;
    const message = this.#message;
    if (action === undefined || message === undefined) {
      return;
    }
    const feedback = action === "up";
    this.#press(feedback);
    try {
      await this.#page.sdk.sendFeedback(message.id, message.chat_id, feedback);
      message.feedback = feedback;
    } catch (error) {
      this.#press(message.feedback);
      this.#page.failed(error, message.chat_id, "Your rating was not stored.");
    }
  }
}

/** An image. If it has an address, it is a link to the full size. @param {File | string} image @param {string} alt */
function thumbnail(image, alt) {
  const element = document.createElement("a");
  if (typeof image === "string") {
    [element.href, element.target, element.rel] = [image, "_blank", "noopener"];
  }
  element.append(picture(image, alt));
  return element;
}
