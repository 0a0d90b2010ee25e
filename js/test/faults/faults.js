// What the tests of faults do in their page.
globalThis.faults = (() => {
  const atOnce = 5; // a browser opens six connections to one origin

  /** Sends a message and notes all that is shown of its answer. */
  async function send(sdk, question, chatId) {
    const shown = { question, chunks: [], completed: [], errors: [], ends: 0 };
    await sdk.sendMessageStream(question, {
      chatId, idempotencyKey: question, ignoreChatHistory: true,
      onChunk: (chunk) => shown.chunks.push(chunk),
      onComplete: (message) => shown.completed.push(message),
      onError: (error) => shown.errors.push(error),
      onMessageEnd: () => shown.ends++,
    });
    return shown;
  }

  /** Runs the sends, a handful at once. */
  async function sendAll(sdk, questions, chatId) {
    const rest = [...questions];
    const all = [];
    await Promise.all(Array.from({ length: atOnce }, async () => {
      for (let question = rest.shift(); question !== undefined; question = rest.shift()) {
        all.push(await send(sdk, question, chatId));
      }
    }));
    return all;
  }

  const same = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);

  /**
   * Sends messages into a separate chat, and counts what is wrong with the
   * answers. `pieces` is what each answer must be.
   */
  async function run(sdk, questions, pieces) {
    const { chat_id } = await sdk.createChat("faults");
    const all = await sendAll(sdk, questions, chat_id);
    const { messages } = await sdk.getChatHistory(chat_id);
    const tally = { sent: 0, gaveUp: 0, cut: 0, chunks: 0, doubled: 0, differs: 0, told: 0, examples: [] };
    const whole = pieces.join("");
    for (const { question, chunks, completed, errors, ends } of all) {
      const text = chunks.join("");
      const asked = messages.filter(({ role, content }) => role === "user" && content === question);
      const stored = messages[messages.indexOf(asked[0]) + 1];
      const wrong = {
        gaveUp: completed.length === 0,
        cut: completed.some(({ content, finish_reason }) => content !== whole || finish_reason !== "stop"),
        chunks: completed.length === 0 ? !same(chunks, pieces.slice(0, chunks.length)) : !same(chunks, pieces),
        doubled: asked.length !== 1,
        differs: completed.some(({ id, content }) => stored?.id !== id || stored.content !== content) || stored?.content.startsWith(text) !== true,
        told: completed.length + errors.length !== 1 || ends !== 1 || errors.some(({ partial }) => (partial ?? "") !== text),
      };
      tally.sent++;
      for (const [name, is] of Object.entries(wrong)) {
        tally[name] += Number(is);
      }
      if (Object.values(wrong).includes(true) && tally.examples.length < 5) {
        const names = Object.keys(wrong).filter((name) => wrong[name]);
        tally.examples.push(`${question}: ${names}; ${chunks.length} chunks; ${errors.map(({ status, code, message, cause }) => `${status} ${code} ${message} (${cause})`)}`);
      }
    }
    return tally;
  }

  return { run };
})();
