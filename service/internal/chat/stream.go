package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// Stream is an answer as numbered events, from one of them on. It may be read any
// number of times, by any number of readers at once.
type Stream struct {
	// Replayed tells that the request was made before, with its key, and that
	// this is the answer that it got then.
	Replayed bool

	service   *Service
	projectID string
	start     wire.Start
	// after is the id of the event behind which the reading begins.
	after int64
}

// Read begins to read the events. Who reads closes the Reader. An answer whose
// chat is deleted meanwhile ends with an error event.
func (st *Stream) Read() *stream.Reader {
	r := st.service.logs.Read(st.start.StreamID, st.after)
	r.Deleted = st.deleted
	return r
}

// deleted are the events of an answer whose chat was deleted, for who has those up
// to the one with the id after.
func (st *Stream) deleted(after int64) []Event {
	end := Broken(0, errNoChat).Events
	if after > 0 {
		return end
	}
	return append([]Event{eventOf(wire.EventStart, st.start)}, end...)
}

// Events gives the events in the batches in which they come, of
// stream.BatchEvents at most, and waits for more until the stream has ended. An
// error ends them: the context's own, or the Reader's.
func (st *Stream) Events(ctx context.Context) iter.Seq2[[]Event, error] {
	return func(yield func([]Event, error) bool) {
		r := st.Read()
		defer r.Close()
		for {
			events, err := r.Next(ctx, nil)
			if err == io.EOF || !yield(events, err) || err != nil {
				return
			}
		}
	}
}

// Response waits for the end and gives the whole answer. An answer that failed
// is its error. One that waits for a call, or has been parked for long, is given as it is
// by then, if who asked first knows calls: its StreamID is set, and the stream brings the rest.
func (st *Stream) Response(ctx context.Context) (response wire.SendMessageResponse, err error) {
	r := st.Read()
	defer r.Close()
	w := waiting{now: st.service.now, open: map[string]wire.ToolCall{}}
	for {
		events, err := r.Next(ctx, w.timer())
		switch {
		case err == io.EOF:
			return response, nil
		case err != nil:
			return wire.SendMessageResponse{}, err
		case len(events) == 0: // there are no more yet
			if soFar, tells, err := st.soFar(ctx); tells || err != nil {
				return soFar, err
			}
			clear(w.open) // until more comes
		}
		for _, event := range events {
			if err := w.add(&response, event); err != nil {
				return wire.SendMessageResponse{}, err
			}
		}
	}
}

// soFar is the answer as it is while it waits, and whether who waits is told: not of one that
// goes on in this moment, or that was asked for by who knows no calls.
func (st *Stream) soFar(ctx context.Context) (response wire.SendMessageResponse, tells bool, err error) {
	parked, err := st.service.config.Store.Parked(ctx, st.start.StreamID)
	if errors.Is(err, fault.ErrNotFound) || err == nil && !parked.Asked.Calls {
		return response, false, nil
	}
	if err != nil {
		return response, false, err
	}
	start := st.start
	message, err := st.service.config.Store.Message(ctx, access.Scope{ProjectID: st.projectID}, start.ChatID, start.MessageID)
	if err != nil {
		return response, false, err
	}
	response = wire.SendMessageResponse{Message: message, ChatID: start.ChatID, MessageID: start.MessageID, StreamID: start.StreamID}
	return response, message.FinishReason == "", nil
}

// Failure is why an answer failed, as it is stored: the data of an error event.
type Failure struct {
	Error  wire.ErrorInfo `json:"error"`
	Detail string         `json:"detail,omitempty"`
	// RetryAfter is when to try again, in seconds; 0 is unknown.
	RetryAfter float64 `json:"retry_after,omitempty"`
}

func failureOf(err error) *Failure {
	known := fault.Of(err)
	return &Failure{
		Error:  wire.ErrorInfo{Code: known.Code, Message: known.Message, InvalidFields: known.Fields},
		Detail: known.Detail, RetryAfter: known.RetryAfter.Seconds(),
	}
}

// AsError is the failure as an error, for who waits for the whole answer.
func (f Failure) AsError() *fault.Error {
	return &fault.Error{
		Code: f.Error.Code, Message: f.Error.Message, Fields: f.Error.InvalidFields, Detail: f.Detail,
		RetryAfter: time.Duration(f.RetryAfter * float64(time.Second)),
	}
}

// proof is what complete proves of an answer's text that came in chunks.
func proof(answer wire.Message, chunks int) wire.Complete {
	return wire.Complete{Message: answer, Chunks: chunks, Bytes: len(answer.Content), CRC32: checksum(answer.Content)}
}

func checksum(text string) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text)))
}

// eventOf makes an event, whose id comes with the others'.
func eventOf(name string, data any) Event { return Event{Type: name, Data: encode(data)} }

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
