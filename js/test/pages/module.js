import * as chatsdk from "/dist/chatsdk.mjs";

globalThis.ChatSDK = chatsdk.ChatSDK;
globalThis.chatsdk = chatsdk;
