// React and the built hook for the tests, which bundle this: a component that
// shows all of a chat, and counts its renderings.
import * as React from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server.browser";
import { useChat } from "../../../dist/react.mjs";
import { ScriptedClient } from "./scripted-client.mjs";

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

/** How often Chat was rendered into the page. */
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

/** A chat of the page's sdk, in an Activity of that mode if there is one. */
function element(options, mode) {
  const chat = h(Chat, { sdk: globalThis.sdk, ...options });
  return h(React.StrictMode, null, mode === undefined ? chat : h(React.Activity, { mode }, chat));
}

/** A component that makes the hook's options itself. */
function Making({ make }) {
  globalThis.chat = useChat(make());
  return h("main", { "data-status": globalThis.chat.status });
}

/** Shows the message of an error that its child throws. */
class Boundary extends React.Component {
  state = {};
  static getDerivedStateFromError(error) {
    return { error };
  }
  render() {
    return this.state.error ? h("p", { role: "alert" }, this.state.error.message) : this.props.children;
  }
}

const place = () => document.body.appendChild(document.createElement("div"));

globalThis.kit.react = {
  version: React.version,
  useChat,
  get renders() {
    return renders;
  },
  ScriptedClient,
  /** Shows a chat with these options in StrictMode, or nothing for null. */
  show(options, mode) {
    this.root ??= createRoot(place());
    this.root.render(options && element(options, mode));
  },
  /** Shows a component that calls useChat with what make returns at each rendering. */
  showMaking(make, isStrict) {
    this.root ??= createRoot(place());
    this.root.render(h(isStrict ? React.StrictMode : React.Fragment, null, h(Boundary, null, h(Making, { make }))));
  },
  /** Shows what a server has rendered, and returns its HTML. */
  hydrate(options) {
    const container = place();
    container.innerHTML = renderToString(element(options));
    const html = container.innerHTML;
    hydrateRoot(container, element(options), { onRecoverableError: (error) => console.error(error) });
    return html;
  },
};
