import { ChatSDK } from "chatsdk";

const answer = document.getElementById("answer");
document.querySelector("form").onsubmit = (event) => {
  event.preventDefault();
  const accessToken = document.querySelector("input").value;
  const sdk = new ChatSDK({ baseUrl: "http://127.0.0.1:8080", projectId: "demo", accessToken });
  sdk.sendMessageStream("How many words are in this question?", {
    onChunk: (chunk) => answer.append(chunk),
    onError: (error) => answer.append(error.message),
    onMessageEnd: () => (answer.dataset.state = "ended"),
  });
};
