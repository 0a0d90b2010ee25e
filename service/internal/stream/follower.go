package stream

import (
	"context"
	"errors"
	"io"
)

// fetch is one question to the Store for what follows a tail. All readers who wait share it.
type fetch struct {
	done chan struct{}
	err  error // set before done is closed
}

// follow asks the Store for the events after those of a tail, unless that is being done already: one
// question, however many readers wait for the answer. It returns nil if the tail has been brought up
// to date since the reader looked.
func (l *Logs) follow(streamID string, t *tail) *fetch {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fetching == nil && !t.outdated {
		return nil
	}
	if t.fetching == nil {
		t.fetching = &fetch{done: make(chan struct{})}
		t.outdated = false
		go l.fetch(streamID, t, t.fetching, t.last)
	}
	return t.fetching
}

func (l *Logs) fetch(streamID string, t *tail, f *fetch, after int64) {
	events, err := l.store.Events(t.ctx, streamID, after, BatchEvents)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fetching = nil
	switch {
	case err == io.EOF && t.last > after: // a reader has begun further on meanwhile
		t.outdated = true
	case err == io.EOF, errors.Is(err, ErrSwept):
		t.over = err
	case errors.Is(err, ErrDeleted):
		t.drop()
		t.over = err
	case err != nil:
		f.err, t.outdated = err, true
	default:
		t.add(events)
		t.outdated = t.outdated || len(events) == BatchEvents
	}
	close(f.done)
	t.wake()
}

// older returns events that are not in a tail any more, for a reader that is far behind.
func (l *Logs) older(ctx context.Context, streamID string, after int64) ([]Event, error) {
	return l.store.Events(ctx, streamID, after, BatchEvents)
}
