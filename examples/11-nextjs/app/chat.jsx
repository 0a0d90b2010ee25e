"use client";

import { ChatSDK } from "chatsdk";
import { useEffect, useState } from "react";

const accessToken = async () => {
  const response = await fetch("/token", { method: "POST" });
  if (!response.ok) throw new Error(`/token answered ${response.status}`);
  return response.text();
};

export function Chat({ baseUrl }) {
  const [answer, setAnswer] = useState("");
  const [state, setState] = useState();
  useEffect(() => {
    const leaving = new AbortController();
    const worker = location.hash === "#worker";
    const sdk = new ChatSDK({ baseUrl, projectId: "demo", accessToken, worker });
    sdk.sendMessageStream("How many words are in this question?", {
      signal: leaving.signal,
      onChunk: (chunk) => setAnswer((text) => text + chunk),
      onError: (error) => setAnswer(error.message),
      onMessageEnd: () => leaving.signal.aborted || setState("ended"),
    }).catch((error) => leaving.signal.aborted || setAnswer(error.message));
    return () => leaving.abort();
  }, [baseUrl]);
  return <p id="answer" data-state={state}>{answer}</p>;
}
