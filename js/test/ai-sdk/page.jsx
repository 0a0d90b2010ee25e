// useChat of @ai-sdk/react on the transport, in StrictMode and in React's
// development build, which mounts everything twice.
import { useChat } from "@ai-sdk/react";
import { ChatSDK } from "chatsdk";
import { ChatSDKTransport, toUIMessages } from "chatsdk/ai-sdk";
import * as ai from "ai";
import { StrictMode, useLayoutEffect } from "react";
import { createRoot } from "react-dom/client";

const { lastAssistantMessageIsCompleteWithApprovalResponses } = { ...ai }; // version 5 does not have it

const root = createRoot(document.getElementById("root"));

function Probe({ id, messages, options }) {
  // A transport for each render, as people write it.
  const chat = useChat({
    id, messages, resume: true, transport: new ChatSDKTransport(sdk, options), sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  useLayoutEffect(() => {
    globalThis.chat = chat;
  });
  return (
    <main data-status={chat.status} data-error={chat.error?.message}>
      {chat.messages.map(({ id: message, role, parts }) => (
        <p key={message} id={message} data-role={role}>{parts.map((part) => part.text ?? "").join("")}</p>
      ))}
    </main>
  );
}

/** Shows a chat as an application does: its history, and useChat for the rest. */
globalThis.show = async (config, id, options) => {
  globalThis.sdk = new ChatSDK({ ...config, wasmURL: "/dist/chatsdk.wasm" });
  id ??= (await sdk.createChat()).chat_id;
  const messages = toUIMessages(await sdk.getChatHistory(id));
  root.render(<StrictMode><Probe key={id} id={id} messages={messages} options={options} /></StrictMode>);
  return id;
};
/** Takes the chat away. */
globalThis.leave = () => root.render(null);
Object.assign(globalThis, { ChatSDKTransport, toUIMessages });
