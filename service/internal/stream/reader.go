package stream

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Reader reads one log. Only one goroutine may use it.
type Reader struct {
	logs  *Logs
	id    string
	tail  *tail
	after int64
	// Deleted makes the events that end a deleted log, for a reader who has the events up to the
	// id after. If nil, Next returns ErrDeleted.
	Deleted func(after int64) []Event
	ended   bool
}

// Read makes a Reader of the events after the one with the id after; 0 is the beginning. The
// caller calls Close.
func (l *Logs) Read(streamID string, after int64) *Reader {
	return &Reader{logs: l, id: streamID, tail: l.hold(streamID), after: after}
}

// Close releases the log.
func (r *Reader) Close() { r.logs.release(r.id, r.tail) }

// Next returns the next events, at most BatchEvents. It waits until there are some, ctx ends, or
// silence receives a time: then it returns none. After the last event of the log it returns
// io.EOF. Other errors are the context's, the Store's and ErrClosed.
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

// poll returns the next events. If there are none yet, it returns a channel that is closed when
// there may be some.
func (r *Reader) poll(ctx context.Context) (events []Event, changed <-chan struct{}, err error) {
	if r.ended {
		return nil, nil, io.EOF
	}
	events, changed, err = r.tail.next(r.after)
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
