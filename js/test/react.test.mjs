// `chatsdk/react` on a server: it renders, and sends no requests.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createElement as h } from "react";
import { renderToString } from "react-dom/server";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { useChat } from "../../dist/react.mjs";
import { FakeService, silence } from "./fake-fetch.mjs";

const sdk = new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1" });

function Chat(options) {
  const { status, chatId, error, messages } = useChat({ sdk, ...options });
  return h("main", null, [status, chatId, error, ...messages.map(({ key, content }) => `${key}: ${content}`)].join(" | "));
}

const message = { id: "m1", chat_id: "c1", role: "user", content: "hello", created_at: 1 };

for (const [name, options, want] of [
  ["a new chat", {}, "ready |  | "],
  ["a chat", { chatId: "c1" }, "loading | c1 | "],
  ["a chat that the server has read", { chatId: "c1", initialMessages: [message] }, "loading | c1 |  | m1: hello"],
]) {
  test(`a server renders ${name}`, async () => {
    const service = new FakeService(silence);
    assert.equal(renderToString(h(Chat, options)), `<main>${want}</main>`);
    await new Promise(setImmediate);
    assert.deepEqual(service.asked, []);
  });
}
