//go:build js && wasm

package bridge

import (
	"iter"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// callbacks are the page's, which keeps them and calls them itself; they are
// named for the sake of the ones that are misspelt.
var callbacks = []string{
	"onChunk", "onMessageObject", "onComplete", "onError", "onChatNameUpdate", "onDocumentChunk", "onMessageEnd",
}

func sendMessageStream(c *call) (wire.JSON, error) {
	c.known = append(c.known, callbacks...)
	message, options, err := c.message()
	if err != nil {
		return nil, err
	}
	return c.stream(c.client.StreamBatches(c.ctx, message, options))
}

func regenerateMessage(c *call) (wire.JSON, error) {
	c.known = append(c.known, callbacks...)
	chatID, messageID := c.text("chatId"), c.text("messageId")
	options := sdk.RegenerateOptions{IdempotencyKey: c.id("idempotencyKey"), DetachOnAbort: c.isSet("detachOnAbort")}
	if err := c.finish(); err != nil {
		return nil, err
	}
	return c.stream(c.client.RegenerateBatches(c.ctx, chatID, messageID, options))
}

func resumeStream(c *call) (wire.JSON, error) {
	c.known = append(c.known, callbacks...)
	chatID, options := c.text("chatId"), sdk.ResumeOptions{DetachOnAbort: c.isSet("detachOnAbort")}
	if err := c.finish(); err != nil {
		return nil, err
	}
	return c.stream(c.client.ResumeBatches(c.ctx, chatID, options))
}

// stream gives the events of each network read to the page in one crossing. It
// answers, at the end, whether there were any.
func (c *call) stream(batches iter.Seq2[[]sdk.Event, error]) (wire.JSON, error) {
	any := wire.JSON("false")
	var text []byte
	for batch, err := range batches {
		if err != nil {
			return nil, err
		}
		any = wire.JSON("true")
		text = appendEvents(text[:0], batch)
		if _, err := c.onEvents.Invoke(string(text)); err != nil {
			return nil, fromJSError(err)
		}
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

// appendEvents writes a list of [type, what its callback gets], as readEvents in
// js/src/bindings.ts takes it. Chunks that follow one another are one entry.
func appendEvents(text []byte, events []sdk.Event) []byte {
	text = append(text, '[')
	for i, event := range events {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, `["`...), event.Type...), `",`...)
		text = append(appendPayload(text, event), ']')
	}
	return append(text, ']')
}

func appendPayload(text []byte, event sdk.Event) []byte {
	switch event.Type {
	case wire.EventChunk:
		return append(text, event.Object[1:len(event.Object)-1]...) // without its brackets
	case wire.EventDocumentChunk, wire.EventChatName:
		return sdk.AppendString(text, event.Text)
	case wire.EventStart, wire.EventMessageObject, wire.EventComplete:
		return append(text, event.Object...)
	}
	return append(text, "null"...)
}
