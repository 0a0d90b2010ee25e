// Responds to a POST with a question: sends the answer as it arrives.
import { ChatSDK } from "chatsdk";
import wasmModule from "chatsdk/chatsdk.wasm";

export default {
  async fetch(request, env) {
    const sdk = new ChatSDK({
      baseUrl: env.BASE_URL ?? "http://127.0.0.1:8080",
      projectId: env.PROJECT_ID ?? "demo",
      apiKey: env.API_KEY,
      apiSecret: env.API_SECRET,
      wasmModule,
    });
    const answer = sdk.stream(await request.text());
    return new Response(ReadableStream.from(textOf(answer)).pipeThrough(new TextEncoderStream()));
  },
};

async function* textOf(answer) {
  for await (const event of answer) {
    if (event.type === "chunk") yield event.text;
  }
}
