import { ChatSDK } from "chatsdk";
import { type ChatMessage, useChat } from "chatsdk/react";
import { type FormEvent, memo, StrictMode, useEffect, useState, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";

// Made once, not in a component.
const sdk = new ChatSDK({ baseUrl: location.origin, projectId: "demo", accessToken });

/** The demo's way to a token, for the same user after a reload. A product asks its own server. */
async function accessToken(): Promise<string> {
  const body = JSON.stringify({ user_id: localStorage.getItem("chatsdk-demo-user") ?? undefined });
  const response = await fetch("/demo/token", { method: "POST", headers: { "content-type": "application/json" }, body });
  const token = await response.json();
  localStorage.setItem("chatsdk-demo-user", token.user_id);
  return token.access_token;
}

/** The chat that the address names: #chat_… */
function useAddress(): string | undefined {
  return useSyncExternalStore(
    (changed) => {
      addEventListener("hashchange", changed);
      return () => removeEventListener("hashchange", changed);
    },
    () => location.hash.slice(1) || undefined,
  );
}

function App() {
  const { chatId, chatName, messages, status, error, activity, send, stop, regenerate, retry } = useChat({ sdk, chatId: useAddress() });
  const [text, setText] = useState("");
  const isReady = status === "ready" || status === "error";

  // A new chat has its id when its first message is sent: a reload then shows it again.
  useEffect(() => {
    if (chatId !== undefined) {
      location.replace(`#${chatId}`);
    }
  }, [chatId]);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (isReady && text.trim() !== "") {
      setText("");
      await send(text);
    }
  }

  return (
    <main data-status={status}>
      <header>
        <h1>{chatName ?? "New chat"}</h1>
        <a href="#">New chat</a>
      </header>
      <ol aria-live="polite">
        {messages.map((message) => <Row key={message.key} message={message} />)}
      </ol>
      {status === "submitted" && <p>{activity ?? "…"}</p>}
      {error && <p role="alert">{error.message} <button onClick={retry}>Try again</button></p>}
      <form onSubmit={submit}>
        <input aria-label="Message" autoFocus value={text} onChange={(event) => setText(event.target.value)} />
        {isReady ? <button>Send</button> : <button type="button" onClick={stop}>Stop</button>}
        <button type="button" disabled={!isReady || messages.at(-1)?.role !== "assistant"} onClick={regenerate}>Regenerate</button>
      </form>
    </main>
  );
}

/** Rendered again only when its message changes. */
const Row = memo(function Row({ message }: { message: ChatMessage }) {
  const { role, content, sources, finish_reason: reason } = message;
  return (
    <li data-role={role} data-state={reason}>
      {content}
      {reason === "stopped" && <small>Stopped.</small>}
      {reason === "error" && <small>Not whole.</small>}
      {sources?.map(({ passage_id, title, snippet }) => <small key={passage_id} title={snippet}>{title}</small>)}
    </li>
  );
});

createRoot(document.getElementById("root")!).render(<StrictMode><App /></StrictMode>);
