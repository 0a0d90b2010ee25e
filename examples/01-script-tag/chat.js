// The page: the chat that is shown, the address, and the message form.

import { Agents } from "./agents.js";
import { Attachments } from "./attachments.js";
import { spoken } from "./blocks.js";
import { Choices } from "./choices.js";
import { Documents } from "./documents.js";
import { failure, tell } from "./errors.js";
import { Follower } from "./follower.js";
import { isComposing } from "./keys.js";
import { ChatList } from "./list.js";
import { Memories } from "./memories.js";
import { announce, byId, drawer, notify } from "./page.js";
import { connect, forgetToken, userId } from "./session.js";
import { Passage } from "./sources.js";
import { restoreTheme } from "./tools.js";
import { ChatView } from "./view.js";

/** An answer with more characters than this is not read out when it ends. */
const longest = 1000;

const [message, messages] = [byId("message"), byId("messages")];
const hint = byId("hint").textContent;
const follower = new Follower(messages, byId("latest"));
const closeDrawer = drawer();

/** The chat that is shown, and other chats with something that the service does not have. @type {Map<string, ChatView>} */
const views = new Map();
/** Messages that have been typed but not sent, by chat. @type {Map<string, string>} */
const drafts = new Map();
/** @type {ChatView | undefined} */
let current;
/** Tells the other tabs of this browser in which chat an answer is being written. */
const tabs = new BroadcastChannel("chatsdk-demo");

/** @type {import("./page.js").Page} */
const page = {
  sdk: /** @type {any} */ (undefined), // set by start
  agents: /** @type {any} */ (undefined),
  memories: /** @type {any} */ (undefined),
  choices: /** @type {any} */ (undefined),
  passage: /** @type {any} */ (undefined),

  async create(view, signal) {
    const chat = await page.sdk.createChat(undefined, undefined, { signal });
    views.delete(view.id);
    view.id = chat.chat_id;
    views.set(view.id, view);
    page.choices.settle(view.id);
    list.raise(chat);
    list.mark(view.id, true); // the first message creates the chat
    if (view === current) {
      location.hash = view.id;
      list.select(view.id);
      page.choices.show(view.id);
      showName();
    }
  },

  used: (id) => list.raise({ chat_id: id, name: list.nameOf(id) || byId("title").textContent }),

  named(id, name) {
    list.name(id, name);
    if (id === current?.id) {
      showName(name);
    }
  },

  changed(view) {
    if (views.get(view.id) !== view) {
      return; // the user has left the chat
    }
    list.mark(view.id, view.state === "writing");
    if (view === current) {
      messages.ariaBusy = String(view.state === "loading");
      offer(view);
      follower.follow();
    } else if (!view.isUnique) {
      views.delete(view.id);
    }
  },

  begun: (id) => tabs.postMessage(id),

  answered({ content, finish_reason: reason }) {
    announce(reason === "stopped" ? "The answer was stopped." : content.length > longest ? "The answer is complete." : spoken(content));
  },

  grew: () => follower.follow(),

  jump: () => follower.jump(),

  stay: (element, top) => follower.stay(element, top),

  failed(error, id, what) {
    if (error.status === 401) {
      forgetToken();
    } else if (error.status === 404) {
      list.remove(id);
    }
    if (what !== undefined) {
      notify(tell(error, what));
    }
  },

  decided: (call) => views.get(call.chat_id)?.decided(call),

  putBack(text, images) {
    attachments.add(images);
    message.value = [text, message.value].filter(Boolean).join("\n");
    message.focus();
  },

  focus: keepFocus,

  deleted(id) {
    views.delete(id);
    drafts.delete(id);
    if (id === current?.id) {
      history.replaceState(null, "", location.pathname);
      show("");
    }
  },
};
const list = new ChatList(page);
const attachments = new Attachments(page, () => current);
/** @type {Documents | undefined} */
let documents;

/** Shows the button to send, or the one to stop an answer that is being written. @param {ChatView} view */
function offer({ state, isFree, isStopping }) {
  const [send, stop] = [byId("send"), byId("stop")];
  const isWriting = state === "writing";
  const hadFocus = document.activeElement === stop;
  send.disabled = !isFree;
  send.hidden = isWriting;
  stop.hidden = !isWriting;
  stop.disabled = isStopping;
  byId("hint").textContent = !isWriting ? hint : isStopping ? "Stopping …" : "Escape stops the answer.";
  if (hadFocus && (stop.hidden || stop.disabled)) {
    keepFocus();
  }
}

/** Shows a chat, or a new one if the id is empty. @param {string} id */
function show(id) {
  const isFirst = current === undefined;
  if (current !== undefined) {
    drafts.set(current.id, message.value);
    current.leave();
    if (!current.isUnique) {
      views.delete(current.id);
      list.mark(current.id, false);
    }
  }
  const known = views.get(id);
  known?.enter();
  current = known ?? new ChatView(page, id);
  views.set(id, current);
  messages.replaceChildren(current.element);
  if (!isFirst) { // keeps what was typed while the page loaded
    message.value = drafts.get(id) ?? "";
  }
  list.select(id);
  page.choices.show(id);
  showName();
  page.changed(current);
  follower.jump();
  if (known === undefined && id !== "") {
    void current.load();
  }
}

/** Shows the name of the chat. @param {string} [name] */
function showName(name = list.nameOf(current?.id ?? "")) {
  byId("title").textContent = name || (current?.id ? "Chat" : "New chat");
  document.title = name ? `${name} – ChatSDK` : "ChatSDK";
}

/** Shows the chat that the address names after the #. */
function route() {
  const id = location.hash.slice(1);
  closeDrawer();
  if (id !== current?.id) {
    show(id);
  }
  focusMessage();
}

/** Puts the focus on the message field, unless that would open a keyboard on the screen. */
function focusMessage() {
  if (matchMedia("(pointer: fine)").matches) {
    message.focus();
  }
}

/** Moves the focus away from a control that disappears. */
function keepFocus() {
  messages.focus();
  focusMessage();
}

/** @param {string} text */
function send(text) {
  if (current?.isFree && text.trim() !== "") {
    void current.send(text, attachments.take());
    follower.jump();
    return true;
  }
  return false;
}

function submit() {
  if (send(message.value)) {
    message.value = "";
  }
  message.focus();
}

let isCreating = false;

/** Creates a chat and shows it, unless an empty one is already shown. */
async function create() {
  closeDrawer();
  if (current === undefined || isCreating || (current.id !== "" && current.isEmpty)) {
    message.focus();
    return;
  }
  isCreating = true;
  try {
    const chat = await page.sdk.createChat();
    list.raise(chat);
    location.hash = chat.chat_id;
  } catch (error) {
    page.failed(error, "", "The chat was not created.");
  }
  isCreating = false;
}

/** Closes whatever covers the chat. If nothing does, stops the answer. */
function escape() {
  const isCovered = byId("main").inert || !byId("notice").hidden;
  notify("");
  closeDrawer();
  if (!isCovered && current?.state === "writing") {
    current.stop();
  }
}

/** Shows that the page asks for an answer again. @param {import("../../dist/chatsdk.d.ts").LogEntry} entry of a request */
function note({ operation, status, code }) {
  const isAnswer = operation === "sendMessageStream" || operation === "regenerateMessage" || operation === "resumeStream";
  if (isAnswer && code !== undefined && (status === 0 || status >= 500)) {
    current?.reconnecting();
  }
}

function listen() {
  addEventListener("hashchange", route);
  byId("new").addEventListener("click", create);
  byId("remembered").addEventListener("click", () => {
    closeDrawer();
    void page.memories?.open();
  });
  byId("documents-choice").addEventListener("click", () => documents?.open(current?.id ?? ""));
  byId("skip").addEventListener("click", () => message.focus());
  byId("form").addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    submit();
  });
  message.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && !event.shiftKey && !isComposing(event)) {
      event.preventDefault();
      submit();
    }
  });
  messages.addEventListener("click", (/** @type {any} */ { target }) => {
    if (target.dataset.action === "suggest") {
      send(target.textContent);
      focusMessage();
    }
  });
  byId("notice").querySelector("button").addEventListener("click", () => notify(""));
  byId("stop").addEventListener("click", () => current?.stop());
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !isComposing(event) && document.querySelector("dialog[open]") === null) {
      escape();
    }
  });
  tabs.addEventListener("message", ({ data: id }) => current?.id === id && current?.refresh());
  document.addEventListener("visibilitychange", () => document.hidden || current?.refresh());
}

async function start() {
  restoreTheme();
  listen();
  try {
    if (!("ChatSDK" in globalThis)) {
      throw new Error("/dist/chatsdk.js did not load; make build creates it");
    }
    ChatSDK.preload().catch(() => {}); // the first call reports the failure
    page.sdk = await connect(note);
  } catch (error) {
    messages.replaceChildren(failure(error, [["reload", "Reload", () => location.reload()]]));
    return;
  }
  page.agents = new Agents(page.sdk);
  page.memories = new Memories(page, userId);
  page.choices = new Choices(page.agents);
  page.passage = new Passage(page);
  documents = new Documents(page);
  show(location.hash.slice(1));
  void list.more();
  await page.agents.ready;
  page.choices.offer();
}

void start();
