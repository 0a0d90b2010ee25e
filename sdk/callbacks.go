package sdk

import (
	"context"
	"errors"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// SendMessageStreamOptions are the options of a message whose answer is streamed, and the callbacks
// that receive it. All are optional. Callbacks run one at a time, in the order of the events, on the
// caller's goroutine.
type SendMessageStreamOptions struct {
	SendMessageOptions
	// OnStart gets the ids of the message and of its answer, when the service has the message.
	OnStart func(start wire.Start)
	// OnChunk gets the next piece of the answer.
	OnChunk func(chunk string)
	// OnReasoning gets the next piece of what the model thinks. If it is set, Reasoning is, too.
	OnReasoning func(text string)
	// OnMessageObject gets structured data that comes with the text, a JSON object.
	OnMessageObject func(object wire.JSON)
	// OnToolCall gets a tool call when the agent makes it, and again at each change.
	OnToolCall func(call ToolCall)
	// OnComplete gets the whole answer. It is not called if the answer was cut.
	OnComplete func(message Message)
	// OnError gets the failure, an *APIError. If OnError is nil, SendMessageStream returns the failure.
	OnError func(err error)
	// OnChatNameUpdate gets the chat's new name, also if somebody renames it meanwhile.
	OnChatNameUpdate func(name string)
	// OnDocumentChunk gets a few words about what the agent is looking up.
	OnDocumentChunk func(text string)
	// OnMessageEnd is called once at the end, however the stream ended, unless the arguments were
	// wrong or the context ended.
	OnMessageEnd func()
}

// SendMessageStream sends a message and passes its answer to the callbacks as it arrives. It returns
// when the stream has ended. The error is an *ArgumentError, the context's error, or, only if OnError
// is nil, an *APIError.
func (c *Client) SendMessageStream(ctx context.Context, message string, options SendMessageStreamOptions) error {
	options.Reasoning = options.Reasoning || options.OnReasoning != nil
	for event, err := range c.Stream(ctx, message, options.SendMessageOptions) {
		if err != nil {
			return options.fail(err)
		}
		options.dispatch(event)
	}
	return nil
}

func (o *SendMessageStreamOptions) fail(err error) error {
	var failure *APIError
	if !errors.As(err, &failure) {
		return err
	}
	if o.OnError != nil {
		o.OnError(failure)
		err = nil
	}
	if o.OnMessageEnd != nil {
		o.OnMessageEnd()
	}
	return err
}

func (o *SendMessageStreamOptions) dispatch(event Event) {
	switch event.Type {
	case wire.EventStart:
		give(o.OnStart, *event.Start)
	case wire.EventChunk:
		give(o.OnChunk, event.Text)
	case wire.EventReasoning:
		give(o.OnReasoning, event.Text)
	case wire.EventMessageObject:
		give(o.OnMessageObject, event.Object)
	case wire.EventToolCall:
		give(o.OnToolCall, *event.ToolCall)
	case wire.EventComplete:
		give(o.OnComplete, *event.Message)
	case wire.EventChatName:
		give(o.OnChatNameUpdate, event.Text)
	case wire.EventDocumentChunk:
		give(o.OnDocumentChunk, event.Text)
	case wire.EventEnd:
		if o.OnMessageEnd != nil {
			o.OnMessageEnd()
		}
	}
}

func give[T any](callback func(T), value T) {
	if callback != nil {
		callback(value)
	}
}
