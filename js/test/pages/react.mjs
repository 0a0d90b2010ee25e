// React and the built hook for the tests, which bundle this: a component that
// shows all of a chat, and counts.
import * as React from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server.browser";
import { useChat } from "../../../dist/react.mjs";

const h = React.createElement;

/** A row that counts how often it changed, in its own data. */
const Row = React.memo(function Row({ message }) {
  const row = React.useRef(null);
  React.useLayoutEffect(() => {
    row.current.dataset.renders = 1 + Number(row.current.dataset.renders ?? 0);
  });
  const { key, id, role, content, finish_reason: reason } = message;
  const state = role === "user" ? (id === undefined ? "unsent" : "sent") : (reason ?? "writing");
  return h("li", { "data-role": role, "data-id": id, "data-key": key, "data-state": state, ref: row }, content);
});

/** How often the page got another rendering of Chat. */
let renders = 0;

function Chat(options) {
  const chat = useChat(options);
  React.useLayoutEffect(() => {
    renders++;
    globalThis.chat = chat;
  });
  const { chatId, chatName, messages, status, error, activity } = chat;
  return h("main", { "data-status": status, "data-chat": chatId, "data-name": chatName, "data-error": error?.code ?? error?.name, "data-activity": activity },
    h("ol", null, messages.map((message) => h(Row, { key: message.key, message }))));
}

/** A chat of the page's sdk. */
const element = (options) => h(React.StrictMode, null, h(Chat, { sdk: globalThis.sdk, ...options }));

const place = () => document.body.appendChild(document.createElement("div"));

globalThis.kit.react = {
  version: React.version,
  useChat,
  get renders() {
    return renders;
  },
  /** Shows a chat of these options in StrictMode, and null nothing. */
  show(options) {
    this.root ??= createRoot(place());
    this.root.render(options && element(options));
  },
  /** Shows what a server has rendered, and gives its HTML. */
  hydrate(options) {
    const container = place();
    container.innerHTML = renderToString(element(options));
    const html = container.innerHTML;
    hydrateRoot(container, element(options), { onRecoverableError: (error) => console.error(error) });
    return html;
  },
};
