import { ref, shallowRef } from "vue";

/** Asks questions, and shows the answer while it is written. */
export function useAnswer(sdk) {
  const text = ref("");
  const error = shallowRef();
  async function ask(question) {
    text.value = "";
    error.value = undefined;
    await sdk.sendMessageStream(question, {
      onChunk: (chunk) => (text.value += chunk),
      onError: (failure) => (error.value = failure),
    });
  }
  return { text, error, ask };
}
