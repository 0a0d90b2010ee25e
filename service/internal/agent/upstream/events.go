package upstream

import (
	"io"

	"github.com/chatsdk/chatsdk/sdk/sse"
)

const (
	// eventBytes is how large one event of a provider may be, in all its lines.
	eventBytes = 32 << 20
	// readBytes is how much of a body is read at once.
	readBytes = 32 << 10
)

// events reads the events of a body one by one.
type events struct {
	body    io.Reader
	decoder sse.Decoder
	buffer  []byte
	waiting []Event // decoded, and not read yet
	err     error   // why there are no more
}

// Event is an event of a body; its type is "message" if the body names none.
type Event struct {
	Kind string
	Data []byte
}

// Name returns the type of an event that has one.
func (e Event) Name() string {
	if e.Kind == "message" {
		return ""
	}
	return e.Kind
}

func newEvents(body io.Reader) *events {
	return &events{body: body, decoder: sse.Decoder{MaxBytes: eventBytes, Raw: true}, buffer: make([]byte, readBytes)}
}

// next returns the next event. At the end of the body the error is io.EOF, and
// for an event beyond the bound a sse.TooLargeError.
func (e *events) next() (Event, error) {
	for len(e.waiting) == 0 {
		if e.err != nil {
			return Event{}, e.err
		}
		n, err := e.body.Read(e.buffer)
		e.err = err
		if err := e.decoder.Feed(e.buffer[:n], func(one sse.Event) {
			data := one.Data
			if len(data) <= sse.LargeBytes { // its memory is used again
				data = append([]byte(nil), data...)
			}
			e.waiting = append(e.waiting, Event{one.Type, data})
		}); err != nil {
			e.err = err
		}
	}
	next := e.waiting[0]
	e.waiting = e.waiting[1:]
	return next, nil
}
