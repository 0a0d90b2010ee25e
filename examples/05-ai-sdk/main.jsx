import { ChatSDK } from "chatsdk";
import { toUIMessages } from "chatsdk/ai-sdk";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { Chat } from "./chat.jsx";

const login = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
/** The demo's way to a token: the tab keeps its user. */
async function accessToken() {
  const user_id = sessionStorage.getItem("user") ?? undefined;
  const token = await (await fetch("/demo/token", { ...login, body: JSON.stringify({ user_id }) })).json();
  sessionStorage.setItem("user", token.user_id);
  return token.access_token;
}

const sdk = new ChatSDK({ baseUrl: location.origin, projectId: "demo", accessToken });
const root = createRoot(document.getElementById("root"));

/** The chat of the address, else a new one, which the address then names. */
async function open() {
  const address = new URL(location.href);
  const id = address.searchParams.get("chat") ?? (await sdk.createChat()).chat_id;
  address.searchParams.set("chat", id);
  history.replaceState(null, "", address);
  const chat = await sdk.getChatHistory(id);
  root.render(<StrictMode><Chat sdk={sdk} id={id} name={chat.name} messages={toUIMessages(chat)} /></StrictMode>);
}

open().catch((error) => root.render(<p role="alert">{error.message}</p>));
