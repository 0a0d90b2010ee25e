import { ChatSDK } from "chatsdk";
import { useEffect, useRef, useState } from "react";

const login = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
const accessToken = async () => {
  const response = await fetch("/demo/token", login);
  if (!response.ok) throw new Error(`/demo/token answered ${response.status}`);
  return (await response.json()).access_token;
};

export default function Home() {
  const [answer, setAnswer] = useState("");
  const [ended, setEnded] = useState();
  const asked = useRef(false);

  // Only in the browser, not on the server, which renders this page too: a token belongs to a user. StrictMode runs it twice.
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    const sdk = new ChatSDK({ baseUrl: location.origin, projectId: "demo", accessToken, worker: location.hash === "#worker" });
    const append = (text) => setAnswer((before) => before + text);
    sdk.sendMessageStream("How many words are in this question?", {
      onChunk: append,
      onError: (error) => append(error.message),
      onMessageEnd: () => setEnded("ended"),
    });
  }, []);

  return <p id="answer" data-state={ended}>{answer}</p>;
}
