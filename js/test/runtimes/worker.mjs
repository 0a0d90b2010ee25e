// The steps in workerd, and what happens to a request when another one is left.
import * as chatsdk from "chatsdk";
import wasmModule from "chatsdk/chatsdk.wasm";

import { run } from "steps.mjs";

export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    const settings = {
      baseUrl: env.BASE_URL, projectId: env.PROJECT_ID, apiKey: env.API_KEY, apiSecret: env.API_SECRET, wasmModule,
    };
    switch (pathname) {
      case "/steps":
        return steps(settings, context);
      case "/left":
        return left(settings);
      default:
        return late({ ...settings, baseUrl: searchParams.get("silent") });
    }
  },
};

/** Answers with a line of JSON for each step. */
function steps(settings, context) {
  const { readable, writable } = new TransformStream();
  const writer = writable.getWriter();
  const tell = (...line) => void writer.write(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
  const all = run(chatsdk, settings, tell);
  context.waitUntil(all.catch((error) => tell("failed", String(error), String(error.cause))).finally(() => writer.close()));
  return new Response(readable);
}

/** Answers with a first chunk. The next one would be a stall. */
function left(settings) {
  const answer = new chatsdk.ChatSDK({ ...settings, stallTimeout: 1000 }).stream("endless", { detachOnAbort: true });
  return new Response(new ReadableStream({
    async pull(controller) {
      for await (const event of answer) {
        if (event.type === "chunk") controller.enqueue(new TextEncoder().encode(`${event.text}\n`));
      }
    },
    cancel() {
      console.log("left");
    },
  }));
}

/** Answers with the error of a call that nobody answers. */
async function late(settings) {
  const error = await new chatsdk.ChatSDK({ ...settings, timeout: 2000, maxRetries: 0 }).listChats().catch((reason) => reason);
  return new Response(error.code);
}
