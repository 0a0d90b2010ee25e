// The declarations as a user meets them: only dist/chatsdk.d.ts, under strict
// settings. tsc -p js/test checks it; nothing here runs.
import {
  type AnswerStream, APIError, ChatSDK, type ChatSDKConfig, type ErrorCode, type ErrorReason, type ListChatsResponse, type ListUserMemoriesResponse,
    type LogEntry,
  type Erasure, type Memory, type MemoryAnswer, type MemoryDecision, type MemoryDetection, type MemoryRoom, type MemorySettings, type MemoryStatus,
  type MemoryType, type MemoryWait, type Message,
  type SendMessageStreamOptions, type StopReceipt, type StreamEvent, type UserMemories, type WasmModule,
} from "../../dist/chatsdk.js";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Same<A, B>): void {}

export async function positive(sdk: ChatSDK): Promise<void> {
  new ChatSDK({ baseUrl: "https://a", projectId: "p", accessToken: "t" });
  new ChatSDK({ baseUrl: "https://a", projectId: "p", accessToken: async () => "t", wasmURL: new URL("https://a/x.wasm") });
  new ChatSDK({ baseUrl: "https://a", projectId: "p", accessToken: "t", wasmModule: new WebAssembly.Module(new Uint8Array()) });
  await ChatSDK.preload({ wasmModule: new WebAssembly.Module(new Uint8Array()), signal: new AbortController().signal });
  same<WasmModule, WebAssembly.Module>(true);
  new ChatSDK({ baseUrl: "https://a", projectId: "p", accessToken: "t", worker: true });
  await ChatSDK.preload({ worker: new URL("https://a/chatsdk.worker.js"), wasmURL: "/chatsdk.wasm" });
  await ChatSDK.preload({ worker: "/chatsdk.worker.js" });
  new ChatSDK({ baseUrl: "https://a", projectId: "p", apiKey: "k", apiSecret: undefined, userId: "u", dangerouslyAllowBrowser: true });
  const env: Record<string, string | undefined> = {};
  new ChatSDK({ baseUrl: "https://a", projectId: "p", apiKey: env["API_KEY"], apiSecret: env["API_SECRET"] });
  new ChatSDK({ baseUrl: "https://a", projectId: "p", accessToken: env["TOKEN"] });
  new ChatSDK({ baseUrl: "https://a", projectId: "p", accessToken: "t", apiKey: undefined, apiSecret: undefined, userId: undefined });
  const settings: ChatSDKConfig = { baseUrl: "https://a", projectId: "p", accessToken: () => "t" };
  new ChatSDK({ ...settings, maxRetries: 0 });
  same<Awaited<ReturnType<typeof ChatSDK.preload>>, void>(true);

  const chat = await sdk.createChat("name", ["d"], { metadata: { a: [1] } });
  same<typeof chat.chat_id, string>(true);
  const page: ListChatsResponse = await sdk.listChats(undefined, 30);
  same<typeof page.next_cursor, number | undefined>(true);
  for await (const one of sdk.allChats(10)) {
    same<typeof one.name, string>(true);
  }
  const history = await sdk.getChatHistory("c");
  const message: Message | undefined = history.messages[0];
  same<Message["role"], "user" | "assistant">(true);
  if (message) {
    const text: string = `${message}` + message.content;
    void text;
  }
  const answer = await sdk.sendMessage("hi", {
    chatId: "c", agentType: "document_agent", agentId: "a", documentKeys: ["d"] as const, images: [new Blob([]), new File([], "a.png")],
    metadata: { any: { thing: null } }, modelName: "gpt-4o", useKnowledgebase: false, isTest: true, googleSearch: false,
    formatInstructions: "", ignoreChatHistory: true, exampleJson: "{}", skipStream: undefined,
  });
  same<typeof answer.message, Message>(true);
  const options: SendMessageStreamOptions = {
    onStart: ({ message_id, user_message_id }) => `${message_id}${user_message_id ?? ""}`,
    onChunk: (chunk) => chunk.length,
    onReasoning: (text) => text.length,
    reasoning: false,
    onMessageObject: (object) => object["image_urls"],
    onComplete: (whole) => whole.content,
    onError: (error) => error.message,
    onChatNameUpdate: (name) => name.length,
    onDocumentChunk: (chunk) => chunk.length,
    onMessageEnd: () => {},
  };
  same<Awaited<ReturnType<ChatSDK["sendMessageStream"]>>, void>(true);
  await sdk.sendMessageStream("hi", options);
  await sdk.editMessage("c", "m", "ho", { modelName: "gpt-4o", onChunk: (chunk) => chunk.length });
  // @ts-expect-error pass the question before the options
  await sdk.editMessage("c", "m", "ho", { edits: "m" });
  same<Awaited<ReturnType<ChatSDK["selectBranch"]>>["message_id"], string>(true);
  await sdk.selectBranch("c", "m", { idempotencyKey: "k" });
  await sdk.resumeStream("c", { messageId: "m", streamId: "s" });
  await sdk.sendFeedback("m", "c", false);
  await sdk.updateChatName("c", "n");
  await sdk.deleteChat("c");
  same<Awaited<ReturnType<ChatSDK["listAgents"]>>["models"], string[]>(true);
  const { document_key: key } = await sdk.uploadDocument(new Blob(), { metadata: {}, onProgress: (sent, total) => sent / total });
  same<Awaited<ReturnType<ChatSDK["listDocuments"]>>["total"], number>(true);
  same<Awaited<ReturnType<ChatSDK["getDocument"]>>["text"], string>(true);
  same<Awaited<ReturnType<ChatSDK["deleteDocument"]>>, void>(true);
  await sdk.deleteDocument(key);
  const token = await sdk.createAccessToken({ userId: "u", role: "admin", agents: [], expiresIn: 60 });
  same<typeof token.expires_at, number>(true);

  await memories(sdk);
  await pages(sdk);
  const error: Error = new APIError("m", { status: 404, code: "ENTITY_NOT_FOUND" });
  if (error instanceof ChatSDK.APIError) {
    same<typeof error.status, number>(true);
    same<typeof error.detail, string | undefined>(true);
  }
}

async function memories(sdk: ChatSDK): Promise<void> {
  const settings = await sdk.getMemorySettings("a");
  same<typeof settings, MemorySettings>(true);
  same<typeof settings.memory_types, MemoryType[]>(true);
  await sdk.updateMemorySettings("a", {});
  await sdk.updateMemorySettings("a", { memoryEnabled: false, maxMemories: 50, autoApprove: undefined, memoryTypes: ["fact"] as const });
  same<Awaited<ReturnType<ChatSDK["updateMemorySettings"]>>["settings"], MemorySettings>(true);
  const byUser = (await sdk.listMemories("a", { status: "pending", type: "fact", userId: "u" })).memories_by_user;
  same<typeof byUser, Record<string, Memory[]>>(true);
  const memory: Memory | undefined = (await sdk.listUserMemories("a", "u", { status: "approved", type: "context" }))[0];
  same<Memory["memory_type"], "preference" | "fact" | "context">(true);
  same<Memory["status"], MemoryStatus>(true);
  same<Memory["reject_reason"], "reviewer" | "expired" | "superseded" | undefined>(true);
  same<Memory["approved_at"], number | undefined>(true);
  if (memory?.span) {
    const words: string | undefined = memory.triggering_message?.slice(memory.span.start, memory.span.end);
    void words;
  }
  await sdk.listMemories("a");
  await sdk.listUserMemories("a", "u");
  await sdk.listPendingMemories();
  const pending = await sdk.listPendingMemories({ agentId: "a", userId: undefined });
  same<typeof pending.approvals, Memory[]>(true);
  const approved = await sdk.approveMemory("m");
  same<typeof approved.memory, Memory>(true);
  same<typeof approved.superseded, string[]>(true);
  same<Awaited<ReturnType<ChatSDK["rejectMemory"]>>, typeof approved>(true);
  same<Awaited<ReturnType<ChatSDK["deleteMemory"]>>, void>(true);
  const { total, approved: active, pending: waiting, rejected, users } = await sdk.getMemoryStats("a");
  same<typeof total, number>(true);
  void [active, waiting, rejected, users];
  same<Awaited<ReturnType<ChatSDK["getMemoryStats"]>>["room"], MemoryRoom | undefined>(true);
  same<Awaited<ReturnType<ChatSDK["getMemoryStats"]>>["detection"], MemoryDetection | undefined>(true);
  await sdk.getMemoryStats("a", { userId: undefined });
  await reviews(sdk);
  same<Awaited<ReturnType<ChatSDK["deleteUserMemories"]>>["deleted"], number>(true);
}

async function reviews(sdk: ChatSDK): Promise<void> {
  const written: Memory = await sdk.createMemory("a", "u", { memoryContent: "c", memoryType: "fact", idempotencyKey: "k" });
  same<typeof written.origin, "user" | "administrator" | undefined>(true);
  same<typeof written.waits_for, MemoryWait | undefined>(true);
  same<typeof written.close_to, string[] | undefined>(true);
  same<Awaited<ReturnType<ChatSDK["updateMemory"]>>, Memory>(true);
  await sdk.updateMemory("m", { memoryContent: written.memory_content, memoryType: written.memory_type });
  await sdk.approveMemory("m", { memoryContent: "c", idempotencyKey: "k" });
  const { results } = await sdk.decideMemories({ action: "reject", memoryIds: ["m"] as const });
  same<typeof results, MemoryDecision[]>(true);
  same<MemoryDecision["status"], 200 | 404 | 409>(true);
  const { answers, next_cursor: cursor } = await sdk.answersOfMemory("m", { limit: 5 });
  same<typeof answers, MemoryAnswer[]>(true);
  const { erasures } = await sdk.listErasures("a", { cursor });
  same<typeof erasures, Erasure[]>(true);
  same<Erasure["counts"]["sources"], number>(true);
  await sdk.memoriesOfSource("a", { messageId: "m", limit: 5 });
  same<Awaited<ReturnType<ChatSDK["memoriesOfSource"]>>["memories_by_user"], Record<string, Memory[]>>(true);
}

export async function pages(sdk: ChatSDK): Promise<void> {
  const history = await sdk.getChatHistory("c", { before: "m", limit: 20 });
  same<typeof history.has_more, boolean>(true);
  same<typeof history.metadata, Record<string, unknown> | undefined>(true);
  const { next_cursor: cursor, has_more: more } = await sdk.listMemories("a", { status: "pending", cursor: "n", limit: 5 });
  same<typeof cursor, string | undefined>(true);
  same<typeof more, boolean>(true);
  same<Awaited<ReturnType<ChatSDK["listPendingMemories"]>>["next_cursor"], string | undefined>(true);
  await sdk.listPendingMemories({ cursor, limit: undefined });
  same<Awaited<ReturnType<ChatSDK["listDocuments"]>>["has_more"], boolean>(true);
  await sdk.listDocuments({ nameSearch: "a", cursor, limit: 5 });
  const page = await sdk.listUserMemories("a", "u", { limit: 5, cursor });
  same<typeof page, ListUserMemoriesResponse>(true);
  same<typeof page.memories, Memory[]>(true);
  same<Awaited<ReturnType<typeof next>>, ListUserMemoriesResponse>(true);
  const list = await sdk.listUserMemories("a", "u", { cursor: undefined, status: "pending" });
  same<typeof list, UserMemories>(true);
  same<typeof list.has_more, true | undefined>(true);
  const array: Memory[] = list;
  void array;
  const document = await sdk.getDocument("d", { start: 0, end: undefined });
  same<typeof document.length, number>(true);
  await sdk.getDocument("d", { signal: new AbortController().signal });
}

const next = (sdk: ChatSDK) => sdk.listUserMemories("a", "u", { cursor: "n" });

export async function answers(sdk: ChatSDK, signal: AbortSignal): Promise<void> {
  new ChatSDK({
    baseUrl: "https://a", projectId: "p", accessToken: "t", maxRetries: 0, retryDelay: 0, timeout: 1, stallTimeout: 1,
    logger: (entry) => same<typeof entry, LogEntry>(true),
  });
  await sdk.sendMessage("hi", { signal, idempotencyKey: "k", detachOnAbort: true });
  await sdk.createChat("n", undefined, { signal, idempotencyKey: "k" });
  await sdk.approveMemory("m", { signal, idempotencyKey: "k" });
  const stream: AnswerStream = sdk.stream("hi", { chatId: "c", signal, idempotencyKey: "k", detachOnAbort: false });
  for await (const event of stream) {
    same<typeof event, StreamEvent>(true);
    switch (event.type) {
      case "start":
        same<typeof event.stream_id, string | undefined>(true);
        break;
      case "chunk":
      case "reasoning":
      case "document_chunk":
        same<typeof event.text, string>(true);
        break;
      case "chat_name":
        same<typeof event.name, string>(true);
        break;
      case "message_object":
        same<typeof event.object, Record<string, unknown>>(true);
        break;
      case "complete":
        same<typeof event.message, Message>(true);
        break;
      case "end":
        same<keyof typeof event, "type">(true);
    }
  }
  same<Awaited<typeof stream.result>, Message>(true);
  const receipt = await stream.stop();
  same<typeof receipt, StopReceipt>(true);
  same<typeof receipt.stopped, boolean>(true);
  same<Awaited<ReturnType<ChatSDK["stop"]>>, StopReceipt>(true);
  await sdk.stop({ streamId: "s", signal });
  await sdk.stop({ idempotencyKey: "k" });
  const limit = Number() || undefined;
  const cut = await sdk.listUserMemories("a", "u", { limit });
  same<typeof cut, ListUserMemoriesResponse | UserMemories>(true);
  new ChatSDK({ baseUrl: "a", projectId: "p", accessToken: String() || undefined });
  interface Order { number: number }
  const metadata: Order = { number: 17 };
  await sdk.sendMessage("hi", { metadata });
  const reason: ErrorReason | undefined = new APIError("m", { status: 502, reason: "quota" }).reason;
  void reason;
  const code: ErrorCode | undefined = new APIError("m", { status: 404, code: "A_NEW_CODE" }).code;
  if (code === "ENTITY_NOT_FOUND") void code;
  same<Awaited<ReturnType<ChatSDK["resumeStream"]>>, boolean>(true);
  await sdk.resumeStream("c", { signal, detachOnAbort: true, onChunk: (chunk) => chunk.length });
  same<Awaited<ReturnType<ChatSDK["regenerateMessage"]>>, void>(true);
  await sdk.regenerateMessage("c", "m", { signal, idempotencyKey: "k", detachOnAbort: true, onComplete: (message) => message.content });
  same<APIError["retryable"], boolean>(true);
  same<APIError["partial"], string | undefined>(true);
  same<APIError["requestId"], string | undefined>(true);
}

export function negative(sdk: ChatSDK): void {
  // @ts-expect-error a wire name is not an option
  void sdk.updateMemorySettings("a", { memory_enabled: true });
  // @ts-expect-error an unknown type
  void sdk.updateMemorySettings("a", { memoryTypes: ["secret"] });
  // @ts-expect-error settings are needed
  void sdk.updateMemorySettings("a");
  // @ts-expect-error an unknown status
  void sdk.listMemories("a", { status: "expired" });
  // @ts-expect-error an agent is needed
  void sdk.listMemories();
  // @ts-expect-error the user is a separate argument
  void sdk.listUserMemories("a", "u", { userId: "u" });
  // @ts-expect-error a page is not an array
  void sdk.listUserMemories("a", "u", { limit: 5 }).then((page) => page[0]);
  // @ts-expect-error only the cursor of listChats is a number
  void sdk.listMemories("a", { cursor: 5 });
  // @ts-expect-error histories only go back
  void sdk.getChatHistory("c", { after: "m" });
  // @ts-expect-error an offset is a number
  void sdk.getDocument("d", { start: "0" });
  // @ts-expect-error pending is the status
  void sdk.listPendingMemories({ status: "pending" });
  // @ts-expect-error an id is a string
  void sdk.approveMemory({ id: "m" });
  // @ts-expect-error a type is needed
  void sdk.createMemory("a", "u", { memoryContent: "c" });
  // @ts-expect-error it is not a list of ids
  void sdk.decideMemories({ action: "approve", memoryIds: "m" });
  // @ts-expect-error an unknown action
  void sdk.decideMemories({ action: "delete", memoryIds: ["m"] });
  // @ts-expect-error a message or a chat
  void sdk.memoriesOfSource("a", { messageId: "m", chatId: "c" });
  // @ts-expect-error a message or a chat is needed
  void sdk.memoriesOfSource("a", { limit: 5 });
  // @ts-expect-error a rejection cannot edit
  void sdk.rejectMemory("m", { memoryContent: "c" });
  // @ts-expect-error a user is needed
  void sdk.deleteUserMemories("a");
  // @ts-expect-error baseUrl is missing
  new ChatSDK({ projectId: "p", accessToken: "t" });
  // @ts-expect-error no credential
  new ChatSDK({ baseUrl: "a", projectId: "p" });
  // @ts-expect-error no answer is named
  void sdk.stop({});
  // @ts-expect-error a key goes with its secret
  new ChatSDK({ baseUrl: "a", projectId: "p", apiKey: "k" });
  // @ts-expect-error a secret goes with its key
  new ChatSDK({ baseUrl: "a", projectId: "p", apiSecret: "s" });
  // @ts-expect-error a token or a key
  new ChatSDK({ baseUrl: "a", projectId: "p", accessToken: "t", apiKey: "k", apiSecret: "s" });
  // @ts-expect-error a token names its user
  new ChatSDK({ baseUrl: "a", projectId: "p", accessToken: "t", userId: "u" });
  // @ts-expect-error a user is not a credential
  new ChatSDK({ baseUrl: "a", projectId: "p", userId: "u" });
  // @ts-expect-error an unknown setting
  new ChatSDK({ baseUrl: "a", projectId: "p", accessToken: "t", token: "t" });
  // @ts-expect-error a token is a string
  new ChatSDK({ baseUrl: "a", projectId: "p", accessToken: () => 1 });
  // @ts-expect-error a cursor is a number
  void sdk.listChats("1");
  // @ts-expect-error a chat id is needed
  void sdk.getChatHistory();
  // @ts-expect-error feedback is a boolean
  void sdk.sendFeedback("m", "c", "up");
  // @ts-expect-error an unknown option
  void sdk.sendMessage("hi", { chatID: "c" });
  // @ts-expect-error callbacks belong to sendMessageStream
  void sdk.sendMessage("hi", { onChunk: () => {} });
  // @ts-expect-error images are blobs
  void sdk.sendMessage("hi", { images: ["a.png"] });
  // @ts-expect-error callbacks belong to sendMessageStream
  sdk.stream("hi", { onChunk: () => {} });
  // @ts-expect-error a controller is not a signal
  void sdk.listChats(undefined, undefined, { signal: new AbortController() });
  // @ts-expect-error an answer that is followed has its key already
  void sdk.resumeStream("c", { idempotencyKey: "k" });
  // @ts-expect-error both ids are needed
  void sdk.regenerateMessage("c");
  // @ts-expect-error reading needs no key
  void sdk.listChats(undefined, undefined, { idempotencyKey: "k" });
  // @ts-expect-error a number of milliseconds
  new ChatSDK({ baseUrl: "a", projectId: "p", accessToken: "t", timeout: "5s" });
  // @ts-expect-error a chunk is a string
  void sdk.sendMessageStream("hi", { onChunk: (chunk: number) => chunk });
  // @ts-expect-error an unknown role
  void sdk.createAccessToken({ userId: "u", role: "owner" });
  // @ts-expect-error the fields of an error are read-only
  new APIError("m", { status: 1 }).status = 2;
}
