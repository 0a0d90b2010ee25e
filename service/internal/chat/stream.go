package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sync"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Stream is an answer that is being written, as numbered events. Any number of
// readers may read it at once; none slows the answer or another reader.
type Stream struct {
	start wire.Start

	mu      sync.Mutex
	events  []Event
	changed chan struct{} // closed when events grow or ended is set
	ended   bool
	// response and err are the outcome, set before ended.
	response wire.SendMessageResponse
	err      error
}

func newStream(start wire.Start) *Stream {
	return &Stream{
		start:   start,
		events:  []Event{{ID: 1, Type: wire.EventStart, Data: encode(start)}},
		changed: make(chan struct{}),
	}
}

// Events gives the events from the first one on, in the batches in which they
// come, and waits for more until the stream has ended. The only error is the
// context's own.
func (st *Stream) Events(ctx context.Context) iter.Seq2[[]Event, error] {
	return func(yield func([]Event, error) bool) {
		for read := 0; ; {
			events, ended, changed := st.after(read)
			if len(events) > 0 && !yield(events, nil) {
				return
			}
			read += len(events)
			if ended {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

func (st *Stream) after(read int) (events []Event, ended bool, changed <-chan struct{}) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.events[read:len(st.events):len(st.events)], st.ended, st.changed
}

// Response waits for the end and gives the whole answer. An answer that failed
// is its error: *Error or ErrNotFound.
func (st *Stream) Response(ctx context.Context) (wire.SendMessageResponse, error) {
	for _, err := range st.Events(ctx) {
		if err != nil {
			return wire.SendMessageResponse{}, err
		}
	}
	return st.response, st.err
}

// publish gives stored events to the readers.
func (st *Stream) publish(events []Event) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.events = append(st.events, events...)
	st.wake()
}

// end gives the last events to the readers, and the outcome.
func (st *Stream) end(events []Event, response wire.SendMessageResponse, err error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.events = append(st.events, events...)
	st.response, st.err, st.ended = response, err, true
	st.wake()
}

func (st *Stream) wake() {
	close(st.changed)
	st.changed = make(chan struct{})
}

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
