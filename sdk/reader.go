package sdk

import (
	"bytes"
	"context"
	"errors"
	"strconv"

	"github.com/chatsdk/chatsdk/sdk/internal/sse"
	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// streamReader turns the bytes of event streams into the events of one answer.
type streamReader struct {
	ctx       context.Context
	client    *Client
	operation string
	requestID string // of the connection

	decoder sse.Decoder
	// Of the feed that is going on; the next one writes over them. The texts of the
	// chunks stand in pieces, of which the last list begins at list and goes on with
	// the chunk of id next.
	events  []Event
	pieces  []byte
	list    int
	next    int64
	failure error // that ended the connection
	lastID  int64

	streamID, chatID, messageID string
	// What the chunks so far came to, to be held against the proof.
	chunks int
	text   []byte

	begun, completed, ended bool
	// over tells that no further connection changes the failure.
	over bool
}

// begin goes on with another connection.
func (r *streamReader) begin(requestID string) {
	r.requestID, r.decoder, r.failure = requestID, sse.Decoder{}, nil
}

func (r *streamReader) cut(cause error) *APIError {
	failure := cut(r.operation, cause)
	failure.RequestID = r.requestID
	return failure
}

// feed decodes the next bytes. After a failure or the end it gives nothing more.
// What it gives holds until the next feed: lists that grow anew for each are much
// of the garbage of a long answer (docs/performance.md).
func (r *streamReader) feed(p []byte) ([]Event, error) {
	r.events, r.pieces = r.events[:0], r.pieces[:0]
	err := r.decoder.Feed(p, func(event sse.Event) {
		if r.failure != nil || r.ended {
			return
		}
		// Each store of a pointer costs while Go collects: none without an error.
		if err := r.take(event); err != nil {
			r.failure = err
		}
	})
	if err != nil && r.failure == nil && !r.ended {
		r.failure = r.cut(err)
	}
	return r.events, r.failure
}

// take reads one event. An id that was seen already is passed over; a gap ends
// the connection, so that the next one brings what is missing.
func (r *streamReader) take(raw sse.Event) error {
	id, err := strconv.ParseInt(raw.LastEventID, 10, 64)
	numbered := err == nil
	switch {
	case numbered && id <= r.lastID:
		return nil
	case numbered && id > r.lastID+1:
		return r.cut(errors.New("event " + strconv.FormatInt(id, 10) + " came after event " + strconv.FormatInt(r.lastID, 10)))
	}
	if known(raw.Type) && (!r.completed || raw.Type == wire.EventEnd) {
		if err := r.add(raw, id); err != nil {
			return err // and the next connection brings the event again
		}
	}
	if numbered {
		r.lastID = id
	}
	return nil
}

// add reads an event that is new.
func (r *streamReader) add(raw sse.Event, id int64) error {
	if raw.Type == wire.EventChunk {
		text, ok := jsontext.Only(`{"text":`, raw.Data)
		if !ok {
			v, err := parse(raw.Data)
			if err != nil {
				return r.unreadable(raw.Type, err)
			}
			text = v.Get("text")
		}
		r.chunk(id, text)
	} else {
		event := Event{Type: raw.Type, ID: id}
		if err := r.parse(&event, bytes.Clone(raw.Data)); err != nil {
			return err
		}
		r.events = append(r.events, event)
	}
	r.begun = true
	return nil
}

// chunk takes a piece of the answer to the text that is held against the proof,
// and to the list of the pieces right before it. One without escapes allocates
// nothing but room for the texts to grow: a page gets many at a time.
func (r *streamReader) chunk(id int64, text jsontext.Value) {
	if text.Kind() != jsontext.String {
		text = jsontext.Value(`""`)
	}
	r.chunks++
	before := len(r.text)
	r.text = text.AppendText(r.text)

	last := len(r.events) - 1
	if last >= 0 && r.events[last].Type == wire.EventChunk && id == r.next {
		r.pieces[len(r.pieces)-1] = ','
	} else {
		r.events = append(r.events, Event{Type: wire.EventChunk, ID: id})
		last, r.list = last+1, len(r.pieces)
		r.pieces = append(r.pieces, '[')
	}
	if len(r.text)-before == len(text)-len(`""`) {
		r.pieces = append(r.pieces, text...)
	} else { // it has escapes, which all are longer than what they stand for
		r.pieces = AppendString(r.pieces, string(r.text[before:]))
	}
	r.pieces = append(r.pieces, ']')
	r.events[last].Object = wire.JSON(r.pieces[r.list:])
	if r.next = id; id > 0 {
		r.next++
	}
}

// unreadable is the failure of an event whose data are none.
func (r *streamReader) unreadable(kind string, err error) error {
	return r.cut(because("event "+kind, err))
}

// parse fills the event from the text of its data.
func (r *streamReader) parse(event *Event, data []byte) error {
	v, err := parse(data)
	if err != nil {
		return r.unreadable(event.Type, err)
	}
	if event.Type == wire.EventError {
		r.over = true
		return errorFromEvent(r.operation, v, r.requestID)
	}
	return r.read(event, v)
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
		event.Object = wire.JSON(v)
		r.streamID, r.chatID, r.messageID = text(v, "stream_id"), text(v, "chat_id"), text(v, "message_id")
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
