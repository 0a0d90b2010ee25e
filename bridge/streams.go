//go:build js && wasm

package bridge

import (
	"iter"
	"slices"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// callbacks are the names of the page's callbacks. The page calls them itself; the names are here so
// that a misspelt one is reported.
var callbacks = []string{
	"onStart", "onChunk", "onReasoning", "onMessageObject", "onToolCall", "onComplete", "onError", "onChatNameUpdate", "onDocumentChunk", "onMessageEnd",
}

func sendMessageStream(c *call) (wire.JSON, error) {
	c.known = append(c.known, callbacks...)
	message, options, err := c.message()
	if err != nil {
		return nil, err
	}
	return c.stream(c.client.StreamBatches(c.ctx, message, options))
}

func editMessage(c *call) (wire.JSON, error) {
	c.known = append(c.known, callbacks...)
	chatID, messageID := c.text("chatId"), c.text("messageId")
	for _, field := range []string{"edits", "parentId"} {
		if c.object.Get(field).Exists() {
			c.wrong(field, "is unknown, pass the question before the options")
		}
	}
	message, options, err := c.message()
	if err != nil {
		return nil, err
	}
	return c.stream(c.client.EditBatches(c.ctx, chatID, messageID, message, options))
}

func regenerateMessage(c *call) (wire.JSON, error) {
	c.known = append(c.known, callbacks...)
	chatID, messageID := c.text("chatId"), c.text("messageId")
	options := sdk.RegenerateOptions{IdempotencyKey: c.id("idempotencyKey"), DetachOnAbort: c.isSet("detachOnAbort"), Reasoning: c.reasoning()}
	if err := c.finish(); err != nil {
		return nil, err
	}
	return c.stream(c.client.RegenerateBatches(c.ctx, chatID, messageID, options))
}

// reasoning reports whether the page asks for what the model thinks: it says so, or else it has a callback for it.
func (c *call) reasoning() bool {
	if asks := c.flag("reasoning"); asks != nil {
		return *asks
	}
	return c.object.Get("onReasoning").True()
}

func resumeStream(c *call) (wire.JSON, error) {
	c.known = append(c.known, callbacks...)
	chatID := c.text("chatId")
	options := sdk.ResumeOptions{MessageID: c.id("messageId"), StreamID: c.id("streamId"), DetachOnAbort: c.isSet("detachOnAbort")}
	if err := c.finish(); err != nil {
		return nil, err
	}
	return c.stream(c.client.ResumeBatches(c.ctx, chatID, options))
}

// stream passes the events of each network read to the page in one crossing. At the end it returns
// whether there were any.
func (c *call) stream(batches iter.Seq2[[]sdk.Part, error]) (wire.JSON, error) {
	any := wire.JSON("false")
	var text []byte
	var failure error
	// Without range, because feed calls this function on a goroutine other than the one that waits here.
	batches(func(batch []sdk.Part, err error) bool {
		if err == nil {
			any = wire.JSON("true")
			text = appendEvents(text[:0], batch)
			c.out.begins = slices.ContainsFunc(batch, isToolCall)
			err = c.out.give(text)
		}
		failure = err
		return err == nil
	})
	if failure != nil {
		return nil, failure
	}
	return any, nil
}

func stop(c *call) (wire.JSON, error) {
	streamID, key := c.id("streamId"), c.id("idempotencyKey")
	if err := c.finish(); err != nil {
		return nil, err
	}
	return c.client.StopJSON(c.ctx, streamID, key)
}

// isToolCall reports whether a part is a tool call. A tool call starts something in the core: a time
// limit for the connection, or carrying out the call.
func isToolCall(part sdk.Part) bool { return part.Type == wire.EventToolCall }

// appendEvents appends a list of entries [type, what its callback gets], which visitEvents in
// js/src/bindings.ts reads. Consecutive chunks are one entry.
func appendEvents(text []byte, batch []sdk.Part) []byte {
	text = append(text, '[')
	for i, part := range batch {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, `["`...), part.Type...), `",`...)
		text = append(appendPayload(text, part), ']')
	}
	return append(text, ']')
}

func appendPayload(text []byte, part sdk.Part) []byte {
	switch part.Type {
	case wire.EventChunk:
		return append(text, part.Texts[1:len(part.Texts)-1]...) // without its brackets
	case wire.EventReasoning, wire.EventDocumentChunk, wire.EventChatName:
		return sdk.AppendString(text, part.Text)
	case wire.EventStart, wire.EventMessageObject, wire.EventToolCall, wire.EventComplete:
		return append(text, part.Object...)
	}
	return append(text, "null"...)
}
