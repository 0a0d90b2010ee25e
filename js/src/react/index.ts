"use client";
/**
 * ChatSDK in React: begin with {@link useChat}.
 *
 * @packageDocumentation
 */
import * as React from "react";

import { ChatStore } from "./chat.js";
import type { UseChatOptions, UseChatResult } from "./types.js";

export type * from "./types.js";

// Imported by name, an older React would fail to link or to bundle before an error could say why.
const { useEffect, useState, useSyncExternalStore, version } = { ...React };
if (typeof useSyncExternalStore !== "function" && Number.parseInt(version) < 18) {
  throw new Error(`chatsdk/react needs React 18 or later; this is ${version}`);
}

/** How many times in a row a rendering may change the chat that it shows. React gives up after 25. */
const patience = 5;

/**
 * Holds one chat: its messages, its status and its actions. Call it once for a chat and pass the
 * result down.
 *
 * It renders at most once a frame while an answer arrives. When a component unmounts, the service
 * finishes its answer; a component that mounts again follows it. On the server the hook sends
 * nothing, and renders `initialMessages`.
 *
 * @param options The client, the chat, and the callbacks.
 * @throws {TypeError} If `sdk` is not a ChatSDK.
 * @throws {Error} If `sdk` or `chatId` is another one each time the component renders.
 * @example
 * ```ts
 * const { messages, status, send } = useChat({ sdk, chatId });
 * console.log(messages.map(({ role, content }) => `${role}: ${content}`).join("\n"));
 * if (status === "ready") button.onclick = () => send("Where should we go?");
 * ```
 */
export function useChat(options: UseChatOptions): UseChatResult {
  const { sdk, chatId, onFinish, onError, onMessageObject, reasoning } = options;
  if (typeof sdk?.getChatHistory !== "function") {
    throw new TypeError(`useChat: sdk is ${sdk === undefined ? "missing" : "not a ChatSDK"}, want one made outside the component`);
  }
  const [made, remake] = useState(() => ({ store: new ChatStore(options), sdk, chatId, changes: 0 }));
  let { store } = made;
  if (made.sdk === sdk && made.chatId === chatId) {
    made.changes = 0;
  } else {
    const changes = made.changes + 1;
    if (changes > patience) {
      throw new Error(made.sdk === sdk
        ? "useChat: chatId is different each time the component renders; keep it, in useState for example"
        : "useChat: sdk is a new one each time the component renders; make it once, outside the component or with useState(() => new ChatSDK(…))");
    }
    // A new chat that has been given its id is still the same chat.
    store = store.is(options) ? store : new ChatStore(options);
    remake({ store, sdk, chatId, changes });
  }
  useEffect(() => {
    store.listeners = { onFinish, onError, onMessageObject, reasoning };
  });
  const state = useSyncExternalStore(store.subscribe, store.snapshot, () => store.initial);
  return { ...state, ...store.actions };
}
