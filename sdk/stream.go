package sdk

import (
	"context"
	"iter"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Event is one event of a streamed answer.
type Event struct {
	// Type is one of the Event constants of package wire, but never wire.EventError: an error ends
	// the stream as the iterator's error.
	Type string
	// ID is the number of the event in the stream, starting at 1; 0 if the server gave none.
	ID int64
	// Text is the piece of the answer (wire.EventChunk) or of what the model thinks (wire.EventReasoning), a few words
	// about what the agent is looking up (wire.EventDocumentChunk), or the chat's new name (wire.EventChatName).
	Text string
	// Object is the JSON object of wire.EventStart, wire.EventMessageObject, wire.EventToolCall and
	// wire.EventComplete.
	Object wire.JSON
	// Start is the Object of wire.EventStart, decoded.
	Start *wire.Start
	// ToolCall is the Object of wire.EventToolCall, decoded: the call in its current state.
	ToolCall *ToolCall
	// Message is the Object of wire.EventComplete, the whole answer, decoded.
	Message *Message
}

// Part is a part of a batch: one event that is not decoded, or a list of consecutive chunks.
type Part struct {
	// Type is the type of the event.
	Type string
	// ID is the id of the event, or of the first chunk.
	ID int64
	// Text and Object are as in Event. They are empty for chunks.
	Text   string
	Object wire.JSON
	// Texts is the JSON array of the chunks' texts.
	Texts wire.JSON
}

// newPart makes an event that the service has not numbered.
func newPart(kind, text string, object wire.JSON) Part {
	return Part{Type: kind, Text: text, Object: object}
}

// chunkOf makes a list of one chunk that the service has not numbered.
func chunkOf(text string) Part {
	return Part{Type: wire.EventChunk, Texts: appendStrings(nil, []string{text})}
}

// events returns the events of a part.
func (p Part) events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		if p.Type != wire.EventChunk {
			yield(p.decoded())
			return
		}
		id := p.ID
		for _, text := range jsontext.Value(p.Texts).Texts() {
			if !yield(Event{Type: p.Type, ID: id, Text: text}) {
				return
			}
			if id > 0 {
				id++
			}
		}
	}
}

func (p Part) decoded() Event {
	e := Event{Type: p.Type, ID: p.ID, Text: p.Text, Object: p.Object}
	v := jsontext.Value(p.Object)
	switch p.Type {
	case wire.EventStart:
		e.Start = &wire.Start{
			StreamID: text(v, "stream_id"), ChatID: text(v, "chat_id"),
			MessageID: text(v, "message_id"), UserMessageID: text(v, "user_message_id"),
		}
	case wire.EventToolCall:
		call := decodeToolCall(v)
		e.ToolCall = &call
	case wire.EventComplete:
		message := decodeMessage(v)
		e.Message = &message
	}
	return e
}

// singly yields the events of batches one by one, decoded.
func singly(ctx context.Context, batches iter.Seq2[[]Part, error]) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for batch, err := range batches {
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, part := range batch {
				for event := range part.events() {
					if ctx.Err() != nil {
						yield(Event{}, ctx.Err())
						return
					}
					if !yield(event, nil) {
						return
					}
				}
			}
		}
	}
}

// Stream sends a message and yields its answer event by event: wire.EventStart, any number of
// others, wire.EventComplete, wire.EventEnd. An error ends the stream: an *APIError, an
// *ArgumentError or the context's error. An answer that was cut never has a wire.EventComplete.
// Nothing is sent before the loop begins, and each loop over the iterator sends the message again.
//
// If the connection is lost, or silent for Config.StallTimeout, the stream is resumed after the last
// event that was read. If no event was read, the message is sent again with the same key. If this
// fails too, the error's Partial has the text that was read.
//
// Leaving the loop, or the end of ctx, stops the answer, unless SendMessageOptions.DetachOnAbort is
// set or the answer waits for a tool call.
func (c *Client) Stream(ctx context.Context, message string, options SendMessageOptions) iter.Seq2[Event, error] {
	return singly(ctx, c.StreamBatches(ctx, message, options))
}

// StreamBatches is Stream for programs in which each step of the iterator is expensive. It yields
// all events of one network read together, not decoded. A batch is valid until the next step.
func (c *Client) StreamBatches(ctx context.Context, message string, options SendMessageOptions) iter.Seq2[[]Part, error] {
	return c.sendBatches(ctx, "sendMessageStream", message, options)
}

// sendBatches is StreamBatches for any operation that sends a message.
func (c *Client) sendBatches(ctx context.Context, operation, message string, options SendMessageOptions) iter.Seq2[[]Part, error] {
	return c.batches(ctx, func() (*session, error) {
		request, err := c.sendRequest(operation, message, &options)
		if err != nil {
			return nil, err
		}
		return c.newSession(operation, request, options.DetachOnAbort), nil
	})
}

// RegenerateOptions are the options of Regenerate. All are optional.
type RegenerateOptions struct {
	// IdempotencyKey works as in SendMessageOptions.
	IdempotencyKey string
	// DetachOnAbort works as in SendMessageOptions.
	DetachOnAbort bool
	// Reasoning works as in SendMessageOptions.
	Reasoning bool
}

// Edit sends another version of a question, and yields its answer as Stream does. The old version
// stays, and the chat's path leads to the new one, which keeps the question's images unless
// options.Images is set. chatID and messageID replace ChatID and Edits of the options.
func (c *Client) Edit(ctx context.Context, chatID, messageID, message string, options SendMessageOptions) iter.Seq2[Event, error] {
	return singly(ctx, c.EditBatches(ctx, chatID, messageID, message, options))
}

// EditBatches does for Edit what StreamBatches does for Stream.
func (c *Client) EditBatches(ctx context.Context, chatID, messageID, message string, options SendMessageOptions) iter.Seq2[[]Part, error] {
	const operation = "editMessage"
	err := checkID(operation, "chatId", chatID)
	if err == nil {
		err = checkID(operation, "messageId", messageID)
	}
	if err != nil {
		return func(yield func([]Part, error) bool) { yield(nil, err) }
	}
	options.ChatID, options.Edits = chatID, messageID
	return c.sendBatches(ctx, operation, message, options)
}

// Regenerate writes another version of an answer, with the options of its question, and yields it as
// Stream does. The old version stays, and the chat's path leads to the new one. An older service
// regenerates only the last answer, and replaces it.
func (c *Client) Regenerate(ctx context.Context, chatID, messageID string, options RegenerateOptions) iter.Seq2[Event, error] {
	return singly(ctx, c.RegenerateBatches(ctx, chatID, messageID, options))
}

// RegenerateBatches does for Regenerate what StreamBatches does for Stream.
func (c *Client) RegenerateBatches(ctx context.Context, chatID, messageID string, options RegenerateOptions) iter.Seq2[[]Part, error] {
	const operation = "regenerateMessage"
	return c.batches(ctx, func() (*session, error) {
		if err := checkID(operation, "chatId", chatID); err != nil {
			return nil, err
		}
		if err := checkID(operation, "messageId", messageID); err != nil {
			return nil, err
		}
		header, err := keyed(operation, options.IdempotencyKey)
		if err != nil {
			return nil, err
		}
		return c.newSession(operation, &Request{
			Method: "POST", URL: sendPath + "/regenerate", Header: header,
			Body: encodeRegenerate(wire.RegenerateRequest{
				ProjectID: c.config.ProjectID, ChatID: chatID, MessageID: messageID, PageTools: c.pageTools(), ToolCalls: true,
				Reasoning: options.Reasoning,
			}),
		}, options.DetachOnAbort), nil
	})
}

// ResumeOptions are the options of Resume. All are optional.
type ResumeOptions struct {
	// MessageID is the id of the answer, which need not be on the chat's path. Empty means the last
	// answer of the path that is being written.
	MessageID string
	// StreamID is the id of the stream of that answer, from wire.EventStart. With it the answer is read to its end also if it has
	// ended since. Empty means the stream that the chat's history names while the answer is being written.
	StreamID string
	// DetachOnAbort works as in SendMessageOptions.
	DetachOnAbort bool
}

// Resume finds an answer that is still being written in a chat, and yields it as Stream does, from
// its first event to its end. The options say which answer; the default is the last one of the path.
// If no such answer is being written, and no StreamID is set, Resume yields nothing.
func (c *Client) Resume(ctx context.Context, chatID string, options ResumeOptions) iter.Seq2[Event, error] {
	return singly(ctx, c.ResumeBatches(ctx, chatID, options))
}

// ResumeBatches does for Resume what StreamBatches does for Stream.
func (c *Client) ResumeBatches(ctx context.Context, chatID string, options ResumeOptions) iter.Seq2[[]Part, error] {
	const operation = "resumeStream"
	return c.batches(ctx, func() (*session, error) {
		s := c.newSession(operation, nil, options.DetachOnAbort)
		if options.StreamID != "" {
			s.streamID, s.messageID, s.chatID = options.StreamID, options.MessageID, chatID
			return s, checkID(operation, "streamId", options.StreamID)
		}
		follow := func(message jsontext.Value) {
			if id := text(message, "stream_id"); id != "" {
				s.streamID, s.messageID, s.chatID = id, text(message, "id"), chatID
			}
		}
		err := c.find(ctx, operation, chatID, options.MessageID, follow)
		if s.streamID == "" && err == nil {
			return nil, nil
		}
		return s, err
	})
}

// find passes a message of a chat to give, or without an id the messages of its path, oldest first.
func (c *Client) find(ctx context.Context, operation, chatID, messageID string, give func(jsontext.Value)) error {
	if messageID != "" {
		message, err := c.message(ctx, operation, chatID, messageID)
		give(message)
		return err
	}
	history, err := c.history(ctx, operation, chatID)
	history.Get("messages").Elements(give)
	return err
}

// batches runs the session that open returns, if there is one.
func (c *Client) batches(ctx context.Context, open func() (*session, error)) iter.Seq2[[]Part, error] {
	return func(yield func([]Part, error) bool) {
		s, err := open()
		if err != nil {
			yield(nil, err)
			return
		}
		if s != nil {
			s.run(ctx, yield)
		}
	}
}
