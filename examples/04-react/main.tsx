import { ChatSDK, type ToolCall } from "chatsdk";
import { type ChatActions, type ChatMessage, useChat } from "chatsdk/react";
import { type FormEvent, memo, StrictMode, useEffect, useState, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";

// Created once, outside the components.
const sdk = new ChatSDK({ baseUrl: location.origin, projectId: "demo", accessToken });

/** Gets a token of the demo, for the same user after a reload. A product asks its own server. */
async function accessToken(): Promise<string> {
  const body = JSON.stringify({ user_id: localStorage.getItem("chatsdk-demo-user") ?? undefined });
  const response = await fetch("/demo/token", { method: "POST", headers: { "content-type": "application/json" }, body });
  if (!response.ok) throw new Error(`/demo/token answered ${response.status}`);
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
  const {
    chatId, chatName, messages, status, error, activity, send, stop, edit, regenerate, selectBranch, approve, deny, retry, resend, discard,
  } = useChat({ sdk, chatId: useAddress() });
  const [text, setText] = useState("");
  const isReady = status === "ready" || status === "waiting" || status === "error";

  // A new chat gets its id with its first message. With the id in the address, a reload shows the chat again.
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
        {messages.map((message) => <Row key={message.key} {...{ message, isReady, edit, regenerate, selectBranch, approve, deny, resend, discard }} />)}
      </ol>
      {status === "submitted" && <p>{activity ?? "…"}</p>}
      {error && <p role="alert">{error.message} <button onClick={retry}>Try again</button></p>}
      <form onSubmit={submit}>
        <input aria-label="Message" autoFocus value={text} onChange={(event) => setText(event.target.value)} />
        {isReady ? <button>Send</button> : <button type="button" onClick={stop}>Stop</button>}
      </form>
    </main>
  );
}

type RowProps = { message: ChatMessage; isReady: boolean }
  & Pick<ChatActions, "edit" | "regenerate" | "selectBranch" | "approve" | "deny" | "resend" | "discard">;

/** Renders again only when its message or its possible actions change. */
const Row = memo(function Row({ message, isReady, edit, regenerate, selectBranch, approve, deny, resend, discard }: RowProps) {
  const [isEdited, setEdited] = useState(false);
  const { id, key, role, content, unsent, sources, tool_calls: calls, finish_reason: reason } = message;

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    setEdited(false);
    edit(id!, String(new FormData(event.currentTarget).get("text")));
  }

  if (isEdited) {
    return (
      <li data-role={role}>
        <form onSubmit={submit}>
          <input name="text" aria-label="Question" autoFocus required defaultValue={content} />
          <button>Send</button>
          <button type="button" onClick={() => setEdited(false)}>Cancel</button>
        </form>
      </li>
    );
  }
  return (
    <li data-role={role} data-state={reason}>
      <p>{content}</p>
      {calls?.map((call) => <Call key={call.id} {...{ call, approve, deny }} />)}
      {unsent && (
        <small role="status">
          Not sent. <button disabled={!isReady} onClick={() => resend(key)}>Send again</button> <button onClick={() => discard(key)}>Discard</button>
        </small>
      )}
      {reason === "stopped" && <small>Stopped.</small>}
      {reason === "error" && <small>Incomplete.</small>}
      {sources?.map(({ passage_id, title, snippet }) => <small key={passage_id} title={snippet}>{title}</small>)}
      <nav>
        <Siblings {...{ message, selectBranch }} />
        {role === "user"
          ? <button disabled={!isReady || !id} onClick={() => setEdited(true)}>Edit</button>
          : <button disabled={!isReady || !id} onClick={() => regenerate(id)}>Regenerate</button>}
      </nav>
    </li>
  );
});

/** A tool call: what it does, its arguments, and its outcome. */
function Call({ call: { id, description, arguments: args, status, result, error }, approve, deny }: { call: ToolCall } & Pick<RowProps, "approve" | "deny">) {
  const [failure, setFailure] = useState("");
  const [isHidden, setHidden] = useState(false);
  const decided = (decision: Promise<unknown>) => decision.catch((reason: Error) => setFailure(reason.message));

  // When the user comes back to a call that waits, the chat may show another version, chosen elsewhere.
  useEffect(() => {
    if (status !== "awaiting") return;
    const look = () => void sdk.getToolCall(id).then(({ hidden = false }) => setHidden(hidden), () => {});
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, [id, status]);

  return (
    <section data-call={status}>
      <p>{description}</p>
      <pre>{args}</pre>
      {status === "awaiting" && isHidden && (
        <small>This call is of another version of the chat, which is not shown any more. It is carried out all the same if you approve it.</small>
      )}
      {status === "awaiting"
        ? <nav><button onClick={() => decided(approve(id))}>Approve</button><button onClick={() => decided(deny(id))}>Deny</button></nav>
        : <small>{[status, result ?? error].filter(Boolean).join(": ")}</small>}
      {failure && <small role="alert">{failure}</small>}
    </section>
  );
}

/** Buttons that lead to the other versions of a message. */
function Siblings({ message: { id, siblings }, selectBranch }: Pick<RowProps, "message" | "selectBranch">) {
  if (!id || !siblings || siblings.length < 2) {
    return null;
  }
  const at = siblings.indexOf(id);
  const [before, after] = [siblings[at - 1], siblings[at + 1]];
  return (
    <span>
      <button aria-label="Previous version" disabled={!before} onClick={() => before && selectBranch(before)}>‹</button>
      {` ${at + 1} of ${siblings.length} `}
      <button aria-label="Next version" disabled={!after} onClick={() => after && selectBranch(after)}>›</button>
    </span>
  );
}

createRoot(document.getElementById("root")!).render(<StrictMode><App /></StrictMode>);
