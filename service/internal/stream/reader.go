package stream

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Reader reads one log. It is for one goroutine.
type Reader struct {
	logs  *Logs
	id    string
	tail  *tail
	after int64
	// Deleted makes the events that end a log which was deleted, for a reader who has
	// the one with the id after. Nil means ErrDeleted.
	Deleted func(after int64) []Event
	ended   bool
}

// Read makes a Reader of what follows the event with the id after; 0 means the
// beginning. Close it in the end.
func (l *Logs) Read(streamID string, after int64) *Reader {
	return &Reader{logs: l, id: streamID, tail: l.hold(streamID), after: after}
}

// Close lets go of the log.
func (r *Reader) Close() { r.logs.release(r.id, r.tail) }

// Next gives the next events, at most BatchEvents, and waits until there are some,
// ctx ends, or silence brings a time: then there are none. Behind the last event of
// the log it is io.EOF. Other errors are the context's, the Store's and ErrClosed.
func (r *Reader) Next(ctx context.Context, silence <-chan time.Time) ([]Event, error) {
	for {
		events, changed, err := r.poll(ctx)
		if err != nil || len(events) > 0 {
			return events, err
		}
		if !r.logs.mayFollow(r.tail) {
			return nil, ErrClosed
		}
		select {
		case <-changed:
		case <-silence:
			return nil, nil
		case <-r.logs.closed:
			return nil, ErrClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// poll gives the next events, and if there are none yet a channel that is
// closed when there may be.
func (r *Reader) poll(ctx context.Context) (events []Event, changed <-chan struct{}, err error) {
	if r.ended {
		return nil, nil, io.EOF
	}
	events, changed, err = r.tail.behind(r.after)
	if len(events) == 0 && err == nil {
		events, err = r.logs.store.Events(ctx, r.id, r.after, BatchEvents)
		if err == nil {
			r.tail.note(r.after + int64(len(events)))
		}
	}
	if errors.Is(err, ErrDeleted) && r.Deleted != nil {
		events, err = Number(r.after, r.Deleted(r.after)), nil
	}
	if err != nil && err != errNotYet {
		return nil, nil, err
	}
	if n := len(events); n > 0 {
		r.after = events[n-1].ID
		r.ended = events[n-1].Type == wire.EventEnd
	}
	return events, changed, nil
}
