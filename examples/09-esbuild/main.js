import { ChatSDK } from "chatsdk";

const login = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
const accessToken = async () => {
  const response = await fetch("/demo/token", login);
  if (!response.ok) throw new Error(`/demo/token answered ${response.status}`);
  return (await response.json()).access_token;
};
const sdk = new ChatSDK({ baseUrl: location.origin, projectId: "demo", accessToken, worker: location.hash === "#worker" });

const answer = document.getElementById("answer");
sdk.sendMessageStream("How many words are in this question?", {
  onChunk: (chunk) => answer.append(chunk),
  onError: (error) => answer.append(error.message),
  onMessageEnd: () => (answer.dataset.state = "ended"),
});
