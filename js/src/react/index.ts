"use client";
/**
 * ChatSDK in React: begin with {@link useChat}.
 *
 * @packageDocumentation
 */
import { useEffect, useState, useSyncExternalStore } from "react";

import { ChatStore } from "./chat.js";
import type { UseChatOptions, UseChatResult } from "./types.js";

export type * from "./types.js";

/**
 * Holds one chat: its messages, what goes on, and what can be done. Call it once
 * for a chat and hand down what it gives.
 *
 * It renders at most once a frame while an answer comes. A component that goes
 * away leaves its answer to the service, which finishes it; one that comes
 * again follows it. On the server it sends nothing, and renders `initialMessages`.
 */
export function useChat(options: UseChatOptions): UseChatResult {
  const { sdk, chatId, onFinish, onError, onMessageObject } = options;
  if (typeof sdk?.getChatHistory !== "function") {
    throw new TypeError(`useChat: sdk is ${sdk === undefined ? "missing" : "no ChatSDK"}, want one made outside of the component`);
  }
  const [made, remake] = useState(() => ({ store: new ChatStore(options), sdk, chatId }));
  let { store } = made;
  if (made.sdk !== sdk || made.chatId !== chatId) {
    // A new chat that now has its id is the same chat.
    store = store.is(options) ? store : new ChatStore(options);
    remake({ store, sdk, chatId });
  }
  useEffect(() => {
    store.told = { onFinish, onError, onMessageObject };
  });
  const state = useSyncExternalStore(store.subscribe, store.snapshot, () => store.initial);
  return { ...state, ...store.actions };
}
