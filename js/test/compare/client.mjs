// Asks one question with one client and prints what its application learns:
// node client.mjs CLIENT BASEURL MILLISECONDS. Clients have their default
// settings, except for the address and the token, which is made again for each
// request if the client can do that.
import { AbstractChat, DefaultChatTransport } from "ai";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

import { ChatSDK } from "../../../dist/chatsdk.mjs";

const [client, baseURL, patience] = process.argv.slice(2);
const question = [{ role: "user", content: "Say six words." }];
let shown = "";
let tokens = 0;
const token = async () => `token ${++tokens}`;
const show = (text) => { shown += text ?? ""; };

const anthropic = () => new Anthropic({ baseURL, apiKey: token });
const openai = () => new OpenAI({ baseURL: `${baseURL}/v1`, apiKey: token });
const message = { model: "scripted", max_tokens: 100, messages: question };

/** The chat of the AI SDK without a framework around it. */
class Chat extends AbstractChat {
  constructor() {
    const transport = new DefaultChatTransport({
      api: `${baseURL}/api/chat`, headers: async () => ({ authorization: `Bearer ${await token()}` }),
    });
    const messages = [];
    super({
      transport,
      state: {
        status: "ready", error: undefined, messages,
        pushMessage: (message) => messages.push(message),
        popMessage: () => messages.pop(),
        replaceMessage: (index, message) => { messages[index] = message; },
        snapshot: (value) => structuredClone(value),
      },
    });
  }

  get text() {
    const parts = this.lastMessage?.role === "assistant" ? this.lastMessage.parts : [];
    return parts.filter(({ type }) => type === "text").map(({ text }) => text).join("");
  }
}

const clients = {
  async openai() {
    for await (const chunk of await openai().chat.completions.create({ ...message, stream: true })) {
      show(chunk.choices[0]?.delta?.content);
    }
  },
  async "openai helper"() {
    const stream = openai().chat.completions.stream(message);
    stream.on("content", show);
    await stream.finalChatCompletion();
  },
  async anthropic() {
    for await (const event of await anthropic().messages.create({ ...message, stream: true })) {
      show(event.delta?.text);
    }
  },
  async "anthropic helper"() {
    const stream = anthropic().messages.stream(message);
    stream.on("text", show);
    await stream.finalMessage();
  },
  async "ai"() {
    const chat = new Chat();
    const showing = setInterval(() => { shown = chat.text; }, 10);
    await chat.sendMessage({ text: question[0].content });
    clearInterval(showing);
    shown = chat.text;
    if (chat.error) {
      throw chat.error;
    }
    if (chat.status !== "ready") {
      throw new Error(`the status is ${chat.status}`);
    }
  },
  async chatsdk() {
    let completed = false;
    const sdk = new ChatSDK({ baseUrl: baseURL, projectId: "demo", accessToken: token });
    await sdk.sendMessageStream(question[0].content, {
      onChunk: show,
      onComplete: () => { completed = true; },
    });
    if (!completed) {
      throw new Error("onComplete was not called");
    }
  },
};

const hangs = new Promise((resolve) => setTimeout(resolve, Number(patience), "hangs"));
const outcome = clients[client]().then(
  () => ({ outcome: "success" }),
  (error) => ({ outcome: "error", error: error?.constructor?.name ?? `${error}` }),
);
const first = await Promise.race([outcome, hangs.then(() => ({ outcome: "hangs" }))]);
console.log(JSON.stringify({ ...first, shown }));
process.exit(0);
