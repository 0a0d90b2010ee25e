// The page: what is shown, where the address leads, and what is written.

import { Agents } from "./agents.js";
import { explain, failure } from "./errors.js";
import { Follower } from "./follower.js";
import { ChatList } from "./list.js";
import { Memories } from "./memories.js";
import { announce, byId, drawer, notify } from "./page.js";
import { connect, forgetToken, userId } from "./session.js";
import { ChatView } from "./view.js";

/** An answer with more characters than this is not read out at its end. */
const spoken = 1000;

const [message, messages] = [byId("message"), byId("messages")];
const hint = byId("hint").textContent;
const follower = new Follower(messages, byId("latest"));
const closeDrawer = drawer();

/** The chat that is shown, and others that know more than the service. @type {Map<string, ChatView>} */
const views = new Map();
/** What was written and not sent, by chat. @type {Map<string, string>} */
const drafts = new Map();
/** @type {ChatView | undefined} */
let current;

/** @type {import("./page.js").Page} */
const page = {
  sdk: /** @type {any} */ (undefined), // until start has made it
  agents: /** @type {any} */ (undefined),
  memories: /** @type {any} */ (undefined),

  async create(view) {
    const chat = await page.sdk.createChat();
    views.delete(view.id);
    view.id = chat.chat_id;
    views.set(view.id, view);
    list.raise(chat);
    list.mark(view.id, true); // its first message makes a chat
    if (view === current) {
      location.hash = view.id;
      list.select(view.id);
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
    const isWriting = view.state === "sending" || view.state === "following";
    list.mark(view.id, isWriting);
    if (view === current) {
      messages.ariaBusy = String(view.state === "loading");
      byId("send").disabled = view.state !== "ready";
      byId("hint").textContent = isWriting ? "You can go on when the answer is complete." : hint;
    } else if (!view.isUnique) {
      views.delete(view.id);
    }
  },

  answered(view, text) {
    const isHere = view === current;
    const there = `The answer in “${list.nameOf(view.id)}” is complete.`;
    announce(!isHere ? there : text.length > spoken ? "The answer is complete." : text);
  },

  grew: () => follower.follow(),

  failed(error, id, what) {
    if (error.status === 401) {
      forgetToken();
    } else if (error.status === 404) {
      list.remove(id);
    }
    if (what !== undefined) {
      const { title, text } = explain(error);
      notify(`${what} ${title} ${text}`);
    }
  },

  putBack(text) {
    message.value = [text, message.value].filter(Boolean).join("\n");
    message.focus();
  },

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

/** Shows a chat, or with an empty id the page where a new one may begin. @param {string} id */
function show(id) {
  if (current !== undefined) {
    drafts.set(current.id, message.value);
    current.leave();
    if (!current.isUnique) {
      views.delete(current.id);
      list.mark(current.id, false);
    }
  }
  const known = views.get(id);
  current = known ?? new ChatView(page, id);
  views.set(id, current);
  messages.replaceChildren(current.element);
  message.value = drafts.get(id) ?? "";
  list.select(id);
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

/** Goes where the address leads, which names the chat after the #. */
function route() {
  const id = location.hash.slice(1);
  closeDrawer();
  if (id !== current?.id) {
    show(id);
  }
  focusMessage();
}

/** Lets people type at once, where that doesn't bring up a keyboard on the screen. */
function focusMessage() {
  if (matchMedia("(pointer: fine)").matches) {
    message.focus();
  }
}

/** @param {string} text */
function send(text) {
  if (current?.state === "ready" && text.trim() !== "") {
    void current.send(text);
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

/** Makes a chat and shows it, unless an empty one is shown already. */
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
    page.failed(error, "", "No chat was made.");
  }
  isCreating = false;
}

function listen() {
  addEventListener("hashchange", route);
  byId("new").addEventListener("click", create);
  byId("remembered").addEventListener("click", () => {
    closeDrawer();
    void page.memories?.open();
  });
  byId("skip").addEventListener("click", () => message.focus());
  byId("form").addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    submit();
  });
  message.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
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
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && document.querySelector("dialog[open]") === null) {
      notify("");
      closeDrawer();
    }
  });
}

async function start() {
  listen();
  try {
    if (!("ChatSDK" in globalThis)) {
      throw new Error("/dist/chatsdk.js did not load; make build makes it");
    }
    ChatSDK.preload().catch(() => {}); // the first call tells why
    page.sdk = await connect();
  } catch (error) {
    messages.replaceChildren(failure(error, [["reload", "Reload", () => location.reload()]]));
    return;
  }
  page.agents = new Agents(page.sdk);
  page.memories = new Memories(page, userId);
  show(location.hash.slice(1));
  void list.more();
  await page.agents.ready;
  byId("agent").textContent = page.agents.first;
}

void start();
