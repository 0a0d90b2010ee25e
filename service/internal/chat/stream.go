package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Stream is an answer as numbered events, from one of them on: one that is
// being written, or one that has ended and is kept. Each may be read any number
// of times, by any number of readers at once.
type Stream struct {
	// Replayed tells that the request was made before, with its key, and that
	// this is the answer that it got then.
	Replayed bool

	live *live // nil where it has ended
	// Of one that has ended:
	store Store
	kept  Kept
	// after is the id of the event behind which the reading begins.
	after int64
}

// Events gives the events in the batches in which they come, of 512 at most,
// and waits for more until the stream has ended. An error ends them: the
// context's own, or that of a Store in which the events are no more.
func (st *Stream) Events(ctx context.Context) iter.Seq2[[]Event, error] {
	if st.live != nil {
		return st.live.follow(ctx, st.after)
	}
	return func(yield func([]Event, error) bool) {
		for read := st.after; read < st.kept.LastID; {
			events, err := st.store.Events(ctx, st.kept.Start.StreamID, read, batchEvents)
			if err == nil && len(events) == 0 {
				err = ErrNotFound
			}
			if !yield(events, err) || err != nil {
				return
			}
			read = events[len(events)-1].ID
		}
	}
}

// Response waits for the end and gives the whole answer. An answer that failed
// is its error: *Error or ErrNotFound.
func (st *Stream) Response(ctx context.Context) (wire.SendMessageResponse, error) {
	if st.live == nil {
		return st.told(ctx)
	}
	if err := st.live.wait(ctx); err != nil {
		return wire.SendMessageResponse{}, err
	}
	return st.live.response, st.live.err
}

// told makes the whole answer of what is stored.
func (st *Stream) told(ctx context.Context) (wire.SendMessageResponse, error) {
	if st.kept.Error != nil {
		return wire.SendMessageResponse{}, asError(*st.kept.Error)
	}
	answer := st.kept.Answer
	answer.Feedback = nil // it came later
	response := wire.SendMessageResponse{Message: answer, ChatID: answer.ChatID, MessageID: answer.ID}
	// The name that this answer gave to its chat stands before complete and end.
	events, err := st.store.Events(ctx, st.kept.Start.StreamID, st.kept.LastID-3, 1)
	if err == nil && len(events) == 1 && events[0].Type == wire.EventChatName {
		var name wire.ChatName
		err = json.Unmarshal(events[0].Data, &name)
		response.ChatName = name.Name
	}
	return response, err
}

// asError is an error that stood on the wire.
func asError(body wire.ErrorBody) error {
	return &Error{Code: body.Error.Code, Message: body.Error.Message, Fields: body.Error.InvalidFields, Detail: body.Detail}
}

// proof is what complete proves of an answer's text that came in chunks.
func proof(answer wire.Message, chunks int) wire.Complete {
	return wire.Complete{Message: answer, Chunks: chunks, Bytes: len(answer.Content), CRC32: checksum(answer.Content)}
}

func checksum(text string) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text)))
}

// numbered are events of a stream that follow the one with the id last.
type numbered struct {
	last   int64
	events []Event
}

func (n *numbered) add(name string, data any) {
	n.last++
	n.events = append(n.events, Event{ID: n.last, Type: name, Data: encode(data)})
}

var errEnds = errors.New("the end of the stream is not stored yet")

// encode is the data of an event: JSON in one line.
func encode(data any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(data); err != nil {
		panic(fmt.Sprintf("chat: encode %T: %v", data, err)) // our own types; a fault of the program
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}
