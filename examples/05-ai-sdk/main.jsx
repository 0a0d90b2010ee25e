import { ChatSDK } from "chatsdk";
import { toUIMessages } from "chatsdk/ai-sdk";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { Chat } from "./chat.jsx";

const login = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
/** Gets a token of the demo. The tab keeps its user. */
async function accessToken() {
  const user_id = sessionStorage.getItem("user") ?? undefined;
  const response = await fetch("/demo/token", { ...login, body: JSON.stringify({ user_id }) });
  if (!response.ok) throw new Error(`/demo/token answered ${response.status}`);
  const token = await response.json();
  sessionStorage.setItem("user", token.user_id);
  return token.access_token;
}

const sdk = new ChatSDK({ baseUrl: location.origin, projectId: "demo", accessToken });
const root = createRoot(document.getElementById("root"));

/** Opens the chat that the address names. If it names none, creates a chat and puts its id into the address. */
async function open() {
  const address = new URL(location.href);
  const id = address.searchParams.get("chat") ?? (await sdk.createChat()).chat_id;
  address.searchParams.set("chat", id);
  history.replaceState(null, "", address);
  const chat = await sdk.getChatHistory(id);
  root.render(<StrictMode><Chat sdk={sdk} id={id} name={chat.name} messages={toUIMessages(chat)} /></StrictMode>);
}

open().catch((error) => root.render(<p role="alert">{error.message}</p>));
