import { ref } from "vue";

/** The messages of a chat. An answer that is being written goes on. */
export function useMessages(sdk) {
  const messages = ref([]);
  async function open(chatId) {
    messages.value = (await sdk.getChatHistory(chatId)).messages;
    let answer = {};
    const wasRunning = await sdk.resumeStream(chatId, {
      onStart: ({ message_id }) => {
        answer = messages.value.find(({ id }) => id === message_id) ?? {};
        answer.content = ""; // its text comes from the first word
      },
      onChunk: (chunk) => (answer.content += chunk),
    });
    if (!wasRunning && !messages.value.at(-1)?.finish_reason) {
      messages.value = (await sdk.getChatHistory(chatId)).messages; // it ended in between
    }
  }
  return { messages, open };
}
