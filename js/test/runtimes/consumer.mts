// A program that uses chatsdk and nothing else, in a page or on a server. It is
// compiled, not run.
import { type AnswerStream, APIError, type Chat, ChatSDK, type Message, type WasmModule } from "chatsdk";
import compiled from "chatsdk/chatsdk.wasm";

export async function ask(file: Blob, wasmModule: WasmModule, signal: AbortSignal): Promise<Message> {
  const sdk = new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p", accessToken: async () => "t", wasmModule });
  const { document_key } = await sdk.uploadDocument(file, { onProgress: (sent, total) => sent / total, signal });
  await sdk.sendMessageStream("hi", { documentKeys: [document_key], onChunk: (chunk) => chunk.length, onError: ({ retryable }) => retryable });
  const answer: AnswerStream = sdk.stream("hi", { images: [file] });
  for await (const event of answer) {
    if (event.type === "chunk") event.text.toUpperCase();
    // @ts-expect-error: not every event has a text
    event.text;
  }
  const chats: Chat[] = [];
  for await (const chat of sdk.allChats()) chats.push(chat);
  return answer.result;
}

export function told(error: unknown): string {
  return error instanceof APIError ? `${error.name} ${error.code ?? error.status}` : String(error);
}

new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p", accessToken: "t", wasmModule: compiled });
declare const env: { API_KEY?: string; API_SECRET?: string };
new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p", apiKey: env.API_KEY, apiSecret: env.API_SECRET, userId: "u" });
// @ts-expect-error: projectId is missing
new ChatSDK({ baseUrl: "https://api.example.com", accessToken: "t" });
// @ts-expect-error: no credential
new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p" });
// @ts-expect-error: a token or a key
new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p", accessToken: "t", apiKey: "k", apiSecret: "s" });
// @ts-expect-error: no such option
new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p", accessToken: "t", apikey: "k" });
