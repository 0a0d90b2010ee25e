import { useChat } from "@ai-sdk/react";
import { ChatSDKTransport } from "chatsdk/ai-sdk";
import { useMemo, useState } from "react";

/** A chat of the service, with the AI SDK's own hook. */
export function Chat({ sdk, id, ...chat }) {
  const [name, setName] = useState(chat.name);
  const transport = useMemo(() => new ChatSDKTransport(sdk), [sdk]);
  const { messages, status, error, sendMessage, regenerate, stop } = useChat({
    id, transport, messages: chat.messages, resume: true,
    onData: ({ type, data }) => type === "data-chat-name" && setName(data.name),
  });
  const writing = status === "submitted" || status === "streaming";
  return (
    <main data-status={status}>
      <h1>{name}</h1>
      {messages.map((message) => <Message key={message.id} message={message} />)}
      {status === "submitted" && <p className="waiting">…</p>}
      {error && <p role="alert">{error.message}</p>}
      <Question disabled={writing} send={sendMessage}>
        {writing
          ? <button type="button" onClick={stop}>Stop</button>
          : messages.length > 0 && <button type="button" onClick={() => regenerate()}>{error ? "Try again" : "Regenerate"}</button>}
      </Question>
    </main>
  );
}

function Message({ message: { role, parts } }) {
  return (
    <article data-role={role}>
      {parts.map((part, i) => {
        switch (part.type) {
          case "text":
            return <p key={i}>{part.text}</p>;
          case "file":
            return <img key={i} src={part.url} alt="" />;
          case "source-document":
            return <cite key={i} title={part.providerMetadata.chatsdk.snippet}>{part.title}</cite>;
          case "source-url":
            return <cite key={i}><a href={part.url}>{part.title}</a></cite>;
        }
      })}
    </article>
  );
}

function Question({ disabled, send, children }) {
  function submit(event) {
    event.preventDefault();
    const { text, files } = event.target.elements;
    send({ text: text.value, files: files.files });
    event.target.reset();
  }
  return (
    <form onSubmit={submit}>
      <input name="text" aria-label="Message" placeholder="Ask something" required autoFocus />
      <input name="files" aria-label="Images" type="file" accept="image/*" multiple />
      <button disabled={disabled}>Send</button>
      {children}
    </form>
  );
}
