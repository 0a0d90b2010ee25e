package chat

import (
	"context"
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

// Stream is an answer as numbered events, beginning with a certain one. It may be read any number
// of times, by any number of readers at once.
type Stream struct {
	// Replayed reports whether an earlier request with the same key got this answer.
	Replayed bool

	service   *Service
	projectID string
	start     wire.Start
	// after is the id of the event after which the reading begins, and last that of the last event
	// that is known.
	after, last int64
}

// Read begins to read the events. The caller closes the Reader. If the chat is deleted meanwhile,
// the last events say so.
func (st *Stream) Read() *stream.Reader {
	r := st.service.logs.ReadFrom(stream.Head{StreamID: st.start.StreamID, ChatID: st.start.ChatID, LastID: st.last}, st.after)
	r.Deleted = st.deleted
	return r
}

// deleted returns the events that end an answer whose chat was deleted, for a reader who has the
// events up to after.
func (st *Stream) deleted(after int64) []Event {
	end := Broken(0, errNoChat).Events
	if after > 0 {
		return end
	}
	return append([]Event{stream.EventOf(wire.EventStart, st.start)}, end...)
}

// Events yields the events in batches as they arrive, at most stream.BatchEvents each, and waits
// for more until the stream has ended. An error ends the sequence: the context's own, or the
// Reader's.
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

// Response waits for the end and returns the whole answer. If the answer failed, it returns the
// failure as an error. If the answer waits for calls, or has been parked for long, and the client
// can handle calls, it returns the answer so far: StreamID is set, and the stream has the rest. If
// there is no news for Config.Silence, it returns an error.
func (st *Stream) Response(ctx context.Context) (response wire.SendMessageResponse, err error) {
	r := st.Read()
	defer r.Close()
	w := waiting{now: st.service.now, open: map[string]wire.ToolCall{}}
	for quiet := st.service.config.Silence; ; {
		events, err := r.Next(ctx, w.timer(quiet))
		switch {
		case err == io.EOF:
			return response, nil
		case err != nil:
			return wire.SendMessageResponse{}, err
		case len(events) > 0:
			w.looked, quiet = false, st.service.config.Silence
		case w.mayTell():
			if soFar, tells, err := st.soFar(ctx); tells || err != nil {
				return soFar, err
			}
			w.looked = true
		default:
			left, err := st.patience(ctx, len(w.open) > 0)
			if err != nil && quiet == 0 {
				return wire.SendMessageResponse{}, err
			}
			quiet = left // at 0 it looks once more, because news may come with the end of the silence
		}
		for _, event := range events {
			if err := w.add(&response, event); err != nil {
				return wire.SendMessageResponse{}, err
			}
		}
	}
}

// soFar returns the answer so far, and whether to return it to the client: not if the answer is
// just continuing, or if the client that requested it cannot handle calls.
func (st *Stream) soFar(ctx context.Context) (response wire.SendMessageResponse, tells bool, err error) {
	err = st.service.briefly(ctx, func(ctx context.Context) error {
		response, tells, err = st.readSoFar(ctx)
		return err
	})
	return response, tells, err
}

func (st *Stream) readSoFar(ctx context.Context) (response wire.SendMessageResponse, tells bool, err error) {
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
	// RetryAfter is when to try again, in seconds; 0 means unknown.
	RetryAfter float64 `json:"retry_after,omitempty"`
}

func failureOf(err error) *Failure {
	known := fault.Of(err)
	return &Failure{
		Error:  wire.ErrorInfo{Code: known.Code, Message: known.Message, InvalidFields: known.Fields, Reason: known.Reason},
		Detail: known.Detail, RetryAfter: known.RetryAfter.Seconds(),
	}
}

// AsError returns the failure as an error for a client that waits for the whole answer.
func (f Failure) AsError() *fault.Error {
	return &fault.Error{
		Code: f.Error.Code, Message: f.Error.Message, Reason: f.Error.Reason, Fields: f.Error.InvalidFields, Detail: f.Detail,
		RetryAfter: time.Duration(f.RetryAfter * float64(time.Second)),
	}
}

// proof returns the proof of an answer's text that arrived in chunks.
func proof(answer wire.Message, chunks int) wire.Complete {
	return wire.Complete{Message: answer, Chunks: chunks, Bytes: len(answer.Content), CRC32: checksum(answer.Content)}
}

func checksum(text string) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text)))
}
