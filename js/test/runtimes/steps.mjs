// What a program on a server does with ChatSDK. It prints a line for each step.

/** Goes through all steps. `chatsdk` is the package, `tell` gets a name and values. */
export async function run({ ChatSDK, APIError }, settings, tell) {
  const sdk = new ChatSDK({ ...settings, userId: "ada" });
  const { chat_id: chatId, user_id } = await sdk.createChat("Cats");
  tell("created by", user_id);

  await sdk.sendMessageStream("gated", {
    chatId,
    onChunk: (chunk) => tell("chunk", chunk),
    onComplete: (message) => tell("complete", message.content),
  });
  let text = "";
  for await (const event of sdk.stream("say this", { chatId })) {
    text += event.type === "chunk" ? event.text : "";
  }
  tell("streamed", text);
  const { chats } = await sdk.listChats();
  tell("chats", chats.length, chats[0].name);

  const onProgress = (sent, total) => tell("progress", sent, total);
  const { document_key } = await sdk.uploadDocument(new File(["Mimi is a cat."], "cats.md"), { onProgress });
  const { docs } = await sdk.listDocuments({ nameSearch: "cats.md" });
  tell("documents", docs.map(({ content_key }) => content_key === document_key));

  const missing = await sdk.getChatHistory("none").catch((error) => error);
  tell("missing", missing instanceof APIError, missing.status, missing.code);
  const moved = new ChatSDK({ ...settings, baseUrl: `${settings.baseUrl}/moved`, maxRetries: 0 });
  const refused = await moved.listChats().catch((error) => error);
  tell("redirect", refused instanceof APIError);

  const leaving = new AbortController();
  const left = sdk.sendMessageStream("endless", { chatId, signal: leaving.signal, onChunk: () => leaving.abort() });
  const aborted = await left.catch((error) => error);
  tell("aborted", aborted.name);

  const { access_token } = await sdk.createAccessToken({ userId: "ana" });
  const { apiKey: _, apiSecret: __, ...rest } = settings;
  const ana = new ChatSDK({ ...rest, accessToken: async () => access_token });
  tell("token of", (await ana.createChat()).user_id);
}
