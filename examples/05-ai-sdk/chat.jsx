import { useChat } from "@ai-sdk/react";
import { lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { ChatSDKTransport, toUIMessages, unsentMessages } from "chatsdk/ai-sdk";
import { useMemo, useState } from "react";

/** A chat of the service, with the AI SDK's own hook. */
export function Chat({ sdk, id, ...chat }) {
  const [name, setName] = useState(chat.name);
  const transport = useMemo(() => new ChatSDKTransport(sdk), [sdk]);
  const { messages, status, error, sendMessage, regenerate, stop, addToolApprovalResponse, setMessages, resumeStream } = useChat({
    id, transport, messages: chat.messages, resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onData: ({ type, data }) => type === "data-chat-name" && setName(data.name),
  });
  /** Decides a call of an earlier answer: the AI SDK sends only the decisions in the last message. */
  async function decideEarlier({ id: callId, approved }) {
    await (approved ? sdk.approveToolCall(callId) : sdk.denyToolCall(callId));
    setMessages(toUIMessages(await sdk.getChatHistory(id)));
    await resumeStream();
  }
  const writing = status === "submitted" || status === "streaming";
  const unsent = unsentMessages(messages, status);
  /** Sends a message again behind what was sent since. By its id the service stores it once. */
  async function sendAgain(message) {
    setMessages((all) => all.filter(({ id }) => id !== message.id));
    await sendMessage(message);
  }
  return (
    <main data-status={status}>
      <h1>{name}</h1>
      {messages.map((message, i) => (
        <Message key={message.id} message={message} decide={i === messages.length - 1 ? addToolApprovalResponse : decideEarlier}>
          {unsent.includes(message) && <p role="status">Not sent. <button disabled={writing} onClick={() => sendAgain(message)}>Send again</button></p>}
        </Message>
      ))}
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

function Message({ message: { role, parts }, decide, children }) {
  return (
    <article data-role={role}>
      {parts.map((part, i) => {
        switch (part.type) {
          case "text":
            return <p key={i}>{part.text}</p>;
          case "dynamic-tool":
            return <Call key={part.toolCallId} part={part} decide={decide} />;
          case "file":
            return <img key={i} src={part.url} alt="" />;
          case "source-document":
            return <cite key={i} title={part.providerMetadata.chatsdk.snippet}>{part.title}</cite>;
          case "source-url":
            return <cite key={i}><a href={part.url}>{part.title}</a></cite>;
        }
      })}
      {children}
    </article>
  );
}

/** A tool call: its description and its outcome. */
function Call({ part: { toolName, state, input, output, errorText, approval, callProviderMetadata }, decide }) {
  return (
    <section data-call={state}>
      <p><b>{toolName}</b> {callProviderMetadata?.chatsdk.description}</p>
      <dl>{Object.entries(input).map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd></div>)}</dl>
      {state === "approval-requested" && (
        <p>
          {callProviderMetadata?.chatsdk.approval === "admin"
            ? "Waits for an administrator."
            : <button onClick={() => decide({ id: approval.id, approved: true })}>Approve</button>}
          <button onClick={() => decide({ id: approval.id, approved: false })}>Deny</button>
        </p>
      )}
      {state === "output-available" && <pre>{output}</pre>}
      {state === "output-error" && <p>{errorText}</p>}
      {state === "output-denied" && <p>Denied.</p>}
    </section>
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
