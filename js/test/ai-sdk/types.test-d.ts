// The declarations of chatsdk/ai-sdk as a user meets them: only
// dist/ai-sdk.d.ts. tsc -p js/test/ai-sdk checks it; nothing here runs.
import type { ChatInit, ChatTransport, UIMessage } from "ai";

import { type ChatSDKDataParts, type ChatSDKMessage, type ChatSDKMetadata, ChatSDKTransport, type ChatSDKTransportOptions, toUIMessages } from "../../../dist/ai-sdk.js";
import { ChatSDK } from "../../../dist/chatsdk.js";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Same<A, B>): void {}

export async function positive(sdk: ChatSDK): Promise<void> {
  const options: ChatSDKTransportOptions = { agentId: "a", modelName: "m", useKnowledgebase: true, documentKeys: ["d"], metadata: { a: 1 }, detachOnAbort: true };
  const transport: ChatTransport<UIMessage> = new ChatSDKTransport(sdk, options);
  const init: ChatInit<ChatSDKMessage> = { id: "c", transport: new ChatSDKTransport(sdk), messages: toUIMessages(await sdk.getChatHistory("c")) };
  void [transport, init];
  type Mine = UIMessage<{ mine: string }>;
  const other: ChatInit<Mine> = { transport: new ChatSDKTransport(sdk) };
  void other;
  const plain: UIMessage[] = toUIMessages({ messages: [] });
  void plain;
}

export function parts(message: ChatSDKMessage): void {
  same<typeof message.metadata, ChatSDKMetadata | undefined>(true);
  same<ChatSDKMetadata["message_id"], string | undefined>(true);
  same<ChatSDKMetadata["finish_reason"], "stop" | "stopped" | "length" | "error" | undefined>(true);
  same<ChatSDKMetadata["memory_ids"], string[] | undefined>(true);
  same<ChatSDKMetadata["anything"], unknown>(true);
  same<keyof ChatSDKDataParts, "message-object" | "document-chunk" | "chat-name">(true);
  for (const part of message.parts) {
    switch (part.type) {
      case "data-message-object":
        same<typeof part.data, Record<string, unknown>>(true);
        break;
      case "data-chat-name":
        same<typeof part.data.name, string>(true);
        break;
    }
  }
}

export function negative(sdk: ChatSDK): void {
  // @ts-expect-error an SDK is needed
  new ChatSDKTransport();
  // @ts-expect-error the chat is useChat's id
  new ChatSDKTransport(sdk, { chatId: "c" });
  // @ts-expect-error the key comes from the message
  new ChatSDKTransport(sdk, { idempotencyKey: "k" });
  // @ts-expect-error an unknown option
  new ChatSDKTransport(sdk, { api: "/chat" });
}
