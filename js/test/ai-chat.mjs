// The AI SDK's own chat on the transport of the built package, for tests in Node.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";

import { ChatSDKTransport } from "../../dist/ai-sdk.mjs";
import { ChatSDK } from "../../dist/chatsdk.mjs";
import { events, FakeService, refusal, streamed } from "./fake-fetch.mjs";

// AI_SDK is the folder of another version than the package's.
const folder = process.env.AI_SDK ?? fileURLToPath(new URL("../../node_modules/ai", import.meta.url));
const { AbstractChat, lastAssistantMessageIsCompleteWithApprovalResponses: lastIsDecided } = await import(`${folder}/dist/index.${existsSync(`${folder}/dist/index.mjs`) ? "mjs" : "js"}`);
export { lastIsDecided };
export const version = Number.parseInt(JSON.parse(readFileSync(`${folder}/package.json`, "utf8")).version);
/** From version 7 on, shown text can be taken back. */
export const takesBack = version >= 7;

const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1", maxRetries: 1, retryDelay: 0, resumeTimeout: 200 };
await ChatSDK.preload();
export const newSDK = () => new ChatSDK(config);

export const send = "POST /v3/chat/message";
export const history = "GET /project/p1/chat/c1/all";
export const message = "GET /project/p1/chat/c1/message/m2";
export const again = "POST /v3/chat/message/regenerate";
export const follow = "GET /v3/chat/stream/s1";
export const stopById = "POST /v3/chat/stream/s1/stop";

/** The AI SDK's chat, without a user interface. */
export class Chat extends AbstractChat {
  constructor({ messages = [], sdk = newSDK(), options, ...init } = {}) {
    const state = {
      status: "ready", error: undefined, messages,
      pushMessage: (message) => { state.messages = [...state.messages, message]; },
      popMessage: () => { state.messages = state.messages.slice(0, -1); },
      replaceMessage: (i, message) => { state.messages = state.messages.with(i, structuredClone(message)); },
      snapshot: structuredClone,
    };
    let made = messages.length;
    super({ id: "c1", generateId: () => `ui-${++made}`, transport: new ChatSDKTransport(sdk, options), ...init, state });
  }

  /** Each message: its role, its id and its text. */
  get lines() {
    return this.messages.map(({ role, id, parts }) => `${role} ${id} ${parts.map((part) => part.text ?? "").join("")}`.trim());
  }
}

export const question = (fields) => ({ id: "m1", role: "user", content: "hi", ...fields });
export const reply = (fields) => ({ id: "m2", chat_id: "c1", role: "assistant", content: "ab", created_at: 1, finish_reason: "stop", ...fields });
export const asked = question({ metadata: { ui_message_id: "ui-1" } });

/** The response to a request that reads a chat of these messages, or one of them; undefined for other requests. */
export function readOf(messages, path) {
  if (path.endsWith("/all") || path.endsWith("/all?branches=all")) {
    return Response.json({ messages });
  }
  const [, id] = /^\/project\/p1\/chat\/c1\/message\/(.*)/.exec(path) ?? [];
  const one = messages.find((each) => each.id === id);
  return id === undefined ? undefined : one ? Response.json(one) : refusal(404, "ENTITY_NOT_FOUND", undefined, ["message_id"]);
}

/** A service with these messages, which answers with these chunks. */
export function serving(messages, chunks = ["a", "b"], more = () => undefined) {
  return new FakeService((request) => {
    const given = more(request);
    if (given !== undefined) {
      return given;
    }
    const isRead = request.path.startsWith("/project/");
    const read = isRead ? readOf(typeof messages === "function" ? messages() : messages, request.path) : undefined;
    if (read !== undefined) {
      return read;
    }
    return streamed(events(...chunks), request.signal);
  });
}

/** These events as they are on the wire, between start and end. */
export function wire(...list) {
  const content = list.filter(([name]) => name === "chunk").map(([, { text }]) => text).join("");
  const chunks = list.filter(([name]) => name === "chunk").length;
  const proof = { chunks, bytes: Buffer.byteLength(content), crc32: crc32(content).toString(16).padStart(8, "0") };
  const all = [
    ["start", { stream_id: "s1", chat_id: "c1", message_id: "m2", user_message_id: "m1" }],
    ...list.map(([name, data]) => [name, name === "complete" ? { message: reply({ content, ...data }), ...proof } : data]),
    ["end", {}],
  ];
  return all.map(([name, data], i) => `id: ${i + 1}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}
