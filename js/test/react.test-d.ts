// The declarations of chatsdk/react as a user meets them; see types.test-d.ts.
import type { ChatSDK, Message } from "chatsdk";
import { type ChatActions, type ChatMessage, type ChatStatus, useChat, type UseChatResult } from "../../dist/react.js";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Same<A, B>): void {}

export async function positive(sdk: ChatSDK, given: string | undefined): Promise<void> {
  useChat({ sdk });
  const history = await sdk.getChatHistory("c");
  const chat: UseChatResult = useChat({
    sdk, chatId: given, initialMessages: history.messages,
    onFinish: (message) => message.content, onError: (error) => error.message, onMessageObject: (object) => object["sources"],
  });
  const { send, edit, regenerate, selectBranch, approve, deny, retry, stop }: ChatActions = chat;
  same<ReturnType<typeof send>, Promise<Message | undefined>>(true);
  same<ReturnType<typeof stop>, Promise<void>>(true);
  same<typeof chat.status, ChatStatus>(true);
  same<ChatStatus, "loading" | "ready" | "submitted" | "streaming" | "waiting" | "error">(true);
  same<typeof chat.error, Error | undefined>(true);
  same<typeof chat.chatId, string | undefined>(true);
  const message: ChatMessage | undefined = chat.messages[0];
  same<ChatMessage["id"], string | undefined>(true);
  same<ChatMessage["key"], string>(true);
  if (message?.id !== undefined && chat.chatId !== undefined) {
    await sdk.sendFeedback(message.id, chat.chatId, true);
  }
  await send("hi", { documentKeys: ["d"], images: [new Blob()], idempotencyKey: "k", useKnowledgebase: true });
  // @ts-expect-error: the hook decides where a message goes
  await send("hi", { parentId: "a" });
  await edit("q", "ho", { modelName: "m" });
  await regenerate();
  await regenerate(message?.id);
  await selectBranch(message?.siblings?.[0] ?? "");
  const [call] = message?.tool_calls ?? [];
  if (call) {
    same<Awaited<ReturnType<typeof approve>>, typeof call>(true);
    await approve(call.id, { arguments: { a: 1 }, reason: "fine" });
    await deny(call.id, "not now");
  }
  await retry();
}

export async function negative(sdk: ChatSDK): Promise<void> {
  // @ts-expect-error: sdk is missing
  useChat({});
  // @ts-expect-error: no such option
  useChat({ sdk, onChunk: () => {} });
  const { send, messages } = useChat({ sdk });
  // @ts-expect-error: the chat is the hook's
  await send("hi", { chatId: "c" });
  // @ts-expect-error: stop() stops
  await send("hi", { signal: new AbortController().signal });
  // @ts-expect-error: only the hook changes them
  messages.push({ key: "k", role: "user", content: "", created_at: 0 });
}
