package sdk

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"strconv"

	"github.com/chatsdk/chatsdk/sdk/internal/sse"
	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Event is one event of a streamed answer.
type Event struct {
	// Type is one of the Event constants of package wire, but never
	// wire.EventError: an error ends the stream as the iterator's error.
	Type string
	// ID counts 1, 2, 3 … within the stream, 0 where the server gave none.
	ID int64
	// Text is the piece of the answer (wire.EventChunk), what is being looked
	// up (wire.EventDocumentChunk) or the chat's new name (wire.EventChatName).
	Text string
	// Object is the JSON object of wire.EventStart, wire.EventMessageObject and
	// wire.EventComplete.
	Object wire.JSON
	// Start is the Object of wire.EventStart, decoded.
	Start *wire.Start
	// Message is the Object of wire.EventComplete, the whole answer, decoded.
	Message *Message
}

const streamOperation = "sendMessageStream"

// Stream sends a message and gives its answer event by event, from
// wire.EventStart over any number of others to wire.EventComplete and
// wire.EventEnd. An error, *APIError, *ArgumentError or the context's own, ends
// it; an answer that was cut never has a wire.EventComplete. Nothing is sent
// before the first event is asked for; each use of the iterator sends anew.
// Leaving the loop ends the reading, and the service finishes the answer.
func (c *Client) Stream(ctx context.Context, message string, options SendMessageOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for batch, err := range c.StreamBatches(ctx, message, options) {
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, event := range batch {
				if ctx.Err() != nil {
					yield(Event{}, ctx.Err())
					return
				}
				event.decode()
				if !yield(event, nil) {
					return
				}
			}
		}
	}
}

// decode fills Start and Message.
func (e *Event) decode() {
	v := jsontext.Value(e.Object)
	switch e.Type {
	case wire.EventStart:
		e.Start = &wire.Start{
			StreamID: text(v, "stream_id"), ChatID: text(v, "chat_id"),
			MessageID: text(v, "message_id"), UserMessageID: text(v, "user_message_id"),
		}
	case wire.EventComplete:
		message := decodeMessage(v)
		e.Message = &message
	}
}

// StreamBatches is Stream with all events of one network read handed over
// together, and Start and Message left nil, for callers to whom each crossing
// costs.
func (c *Client) StreamBatches(ctx context.Context, message string, options SendMessageOptions) iter.Seq2[[]Event, error] {
	return func(yield func([]Event, error) bool) {
		form, err := c.form(streamOperation, message, &options)
		if err != nil {
			yield(nil, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		response, err := c.do(ctx, streamOperation, &Request{
			Method: "POST", URL: sendPath, Form: form, Header: map[string]string{"accept": "text/event-stream"},
		})
		if err != nil {
			yield(nil, err)
			return
		}
		defer response.Body.Close()
		if mediaType(response) != "text/event-stream" {
			yield(c.wholeAnswer(ctx, response))
			return
		}
		c.readStream(ctx, response, yield)
	}
}

// readBuffer is what one read of a stream takes at most, in bytes.
const readBuffer = 64 << 10

// readStream yields what comes until the stream ends, fails or is cut.
func (c *Client) readStream(ctx context.Context, response *Response, yield func([]Event, error) bool) {
	r := streamReader{ctx: ctx, client: c, requestID: response.Header("x-request-id")}
	buffer := make([]byte, readBuffer)
	for {
		n, err := response.Body.Read(buffer)
		events, failure := r.feed(buffer[:n])
		if len(events) > 0 && !yield(events, nil) {
			return
		}
		switch {
		case failure != nil:
			yield(nil, failure)
			return
		case r.ended:
			return
		case err != nil:
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			if !r.completed || ctx.Err() != nil {
				yield(nil, lost(ctx, err, r.cut(err)))
				return
			}
			// The answer is here and proven; the end adds nothing to it.
			yield([]Event{{Type: wire.EventEnd}}, nil)
			return
		}
	}
}

// wholeAnswer serves an answer that came as plain JSON as one chunk and its
// completion.
func (c *Client) wholeAnswer(ctx context.Context, response *Response) ([]Event, error) {
	a, err := readAnswer(ctx, streamOperation, response, jsontext.Object)
	if err != nil {
		return nil, err
	}
	whole, err := c.sent(a)
	if err != nil {
		return nil, err
	}
	message := whole.Get("message")
	var start body
	start.string("chat_id", text(whole, "chat_id"))
	start.string("message_id", text(whole, "message_id"))
	events := []Event{{Type: wire.EventStart, Object: wire.JSON(start.bytes())}}
	if content := text(message, "content"); content != "" {
		events = append(events, Event{Type: wire.EventChunk, Text: content})
	}
	if name := text(whole, "chat_name"); name != "" {
		events = append(events, Event{Type: wire.EventChatName, Text: name})
	}
	return append(events, Event{Type: wire.EventComplete, Object: wire.JSON(message)}, Event{Type: wire.EventEnd}), nil
}

// streamReader turns the bytes of an event stream into events.
type streamReader struct {
	ctx       context.Context
	client    *Client
	requestID string

	decoder sse.Decoder
	events  []Event // of the feed that is going on
	failure error
	lastID  int64
	chatID  string
	// What the chunks so far came to, to be held against the proof.
	chunks, bytes int
	crc           uint32

	completed, ended bool
}

func (r *streamReader) cut(cause error) *APIError {
	failure := cut(streamOperation, cause)
	failure.RequestID = r.requestID
	return failure
}

// feed decodes the next bytes. After a failure or the end it gives nothing more.
func (r *streamReader) feed(p []byte) ([]Event, error) {
	r.events = nil
	err := r.decoder.Feed(p, func(event sse.Event) {
		if r.failure == nil && !r.ended {
			r.failure = r.take(event)
		}
	})
	if err != nil && r.failure == nil && !r.ended {
		r.failure = r.cut(err)
	}
	return r.events, r.failure
}

// take reads one event. An id that was seen already is passed over; what a gap
// left out shows in the proof.
func (r *streamReader) take(raw sse.Event) error {
	id, err := strconv.ParseInt(raw.LastEventID, 10, 64)
	if err == nil {
		if id <= r.lastID {
			return nil
		}
		r.lastID = id
	}
	if !known(raw.Type) || r.completed && raw.Type != wire.EventEnd {
		return nil
	}
	v, err := parse(raw.Data)
	if err != nil {
		return r.cut(fmt.Errorf("event %s: %w", raw.Type, err))
	}
	if raw.Type == wire.EventError {
		return errorFromEvent(streamOperation, v, r.requestID)
	}
	event := Event{Type: raw.Type, ID: id}
	if err := r.read(&event, v); err != nil {
		return err
	}
	r.events = append(r.events, event)
	return nil
}

func known(name string) bool {
	switch name {
	case wire.EventStart, wire.EventChunk, wire.EventMessageObject, wire.EventDocumentChunk,
		wire.EventChatName, wire.EventComplete, wire.EventError, wire.EventEnd:
		return true
	}
	return false
}

// read fills the event from its data.
func (r *streamReader) read(event *Event, v jsontext.Value) error {
	switch event.Type {
	case wire.EventStart:
		event.Object, r.chatID = wire.JSON(v), text(v, "chat_id")
	case wire.EventChunk:
		event.Text = text(v, "text")
		r.chunks++
		r.bytes += len(event.Text)
		r.crc = crc32.Update(r.crc, crc32.IEEETable, []byte(event.Text))
	case wire.EventDocumentChunk:
		event.Text = text(v, "text")
	case wire.EventChatName:
		event.Text = text(v, "name")
	case wire.EventMessageObject:
		event.Object = wire.JSON(r.client.absolute(v))
	case wire.EventComplete:
		return r.complete(event, v)
	case wire.EventEnd:
		if !r.completed {
			return r.cut(errors.New("the stream ended with neither an answer nor an error"))
		}
		r.ended = true
	}
	return nil
}
