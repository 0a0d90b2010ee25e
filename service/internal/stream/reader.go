package stream

import (
	"context"
	"errors"
	"io"
	"math"
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

// Head is what is known of a log before it is read.
type Head struct {
	StreamID string
	// ChatID is the chat of the answer, so that its deletion ends the reading at once. Empty means
	// unknown.
	ChatID string
	// LastID is the id of the last event that the Store had.
	LastID int64
}

// Read makes a Reader of the events after the one with the id after; 0 is the beginning. The
// caller calls Close.
func (l *Logs) Read(streamID string, after int64) *Reader {
	return l.ReadFrom(Head{StreamID: streamID, LastID: math.MaxInt64}, after)
}

// ReadFrom is Read for a caller who knows the head of the log. The Store is only asked for what
// nobody here has read.
func (l *Logs) ReadFrom(head Head, after int64) *Reader {
	r := &Reader{logs: l, id: head.StreamID, tail: l.hold(head.StreamID, false), after: after}
	r.tail.read(head, after)
	return r
}

// Close releases the log.
func (r *Reader) Close() { r.logs.release(r.id, r.tail) }

// Next returns the next events, at most BatchEvents. It waits until there are some, ctx ends, or
// silence receives a time: then it returns none. After the last event of the log it returns
// io.EOF. Other errors are the context's, the Store's and ErrClosed.
func (r *Reader) Next(ctx context.Context, silence <-chan time.Time) ([]Event, error) {
	for {
		if r.ended {
			return nil, io.EOF
		}
		events, next, err := r.tail.after(r.after)
		if err == errOlder {
			events, err = r.logs.older(ctx, r.id, r.after)
			next.news = r.tail.now()
		}
		if errors.Is(err, ErrDeleted) && r.Deleted != nil {
			events, err = Number(r.after, r.Deleted(r.after)), nil
		}
		if len(events) > 0 || err != nil {
			return r.give(events), err
		}
		if silent, err := r.wait(ctx, silence, next); silent || err != nil {
			return nil, err
		}
	}
}

func (r *Reader) give(events []Event) []Event {
	if n := len(events); n > 0 {
		r.after = events[n-1].ID
		r.ended = events[n-1].Type == wire.EventEnd
	}
	return events
}

// wait waits until the tail may have more, and reports whether there was a silence before. What the
// Store has is given even when nobody may wait any longer.
func (r *Reader) wait(ctx context.Context, silence <-chan time.Time, next wait) (silent bool, err error) {
	asked, closed := &fetch{}, r.logs.closed
	switch {
	case next.outdated:
		if asked = r.logs.follow(r.id, r.tail); asked == nil {
			return false, nil
		}
		closed, next.news = nil, nil
	case next.followed && r.logs.leaving.Load():
		return false, ErrClosed
	}
	select {
	case <-asked.done:
		return false, asked.err
	case <-next.news:
		return false, nil
	case <-silence:
		return true, nil
	case <-closed:
		return false, ErrClosed
	case <-ctx.Done():
		return false, ctx.Err()
	}
}
