package stream

import (
	"context"
	"sync/atomic"
	"time"
)

// Writer writes one log. Only one goroutine may use it, except for Context.
type Writer struct {
	logs   *Logs
	lease  Lease
	chatID string
	last   int64 // the id of the last event that readers can see
	begun  atomic.Bool
	// storing is since when it tries to store what it has, nil if all is stored.
	storing atomic.Pointer[time.Time]
	tail    *tail
	ctx     context.Context
	cancel  context.CancelCauseFunc
}

// Write makes the Writer of a log, for an answer in a chat. It stores nothing. The caller calls
// Close.
func (l *Logs) Write(ctx context.Context, lease Lease, chatID string) *Writer {
	w := &Writer{logs: l, lease: lease, chatID: chatID, tail: l.hold(lease.StreamID, true)}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.tail.write(w)
	return w
}

// From makes it write after the event with an id, of a log that already has events.
func (w *Writer) From(last int64) {
	w.last = last
	w.tail.mu.Lock()
	defer w.tail.mu.Unlock()
	w.tail.begin(last)
}

// Lease returns the lease with which it writes.
func (w *Writer) Lease() Lease { return w.lease }

// Context ends when the log is to end. Its cause is ErrStopped, ErrDeleted, or the reason that
// Interrupt was given.
func (w *Writer) Context() context.Context { return w.ctx }

// Append stores events after the existing ones, and shows them to the readers. If the Store can't
// be reached it tries again; see Logs.Store.
func (w *Writer) Append(ctx context.Context, events []Event) error {
	if len(events) == 0 {
		return nil
	}
	err := w.Store(ctx, &events, func() error { return w.logs.store.AppendEvents(ctx, w.lease, events) })
	if err == nil {
		w.Show(events)
	}
	return err
}

// Store stores events after the existing ones together with something else: try stores both. It
// works like Append, but does not show the events.
func (w *Writer) Store(ctx context.Context, events *[]Event, try func() error) error {
	now := time.Now()
	w.storing.CompareAndSwap(nil, &now)
	err := w.logs.Store(ctx, w.lease.StreamID, w.last, events, try)
	if err == nil {
		w.storing.Store(nil)
	}
	return err
}

// Storing reports whether a log is written here, and if so, since when its writer tries to store
// what it has; the zero time if all is stored.
func (l *Logs) Storing(streamID string) (since time.Time, written bool) {
	t := l.find(streamID)
	if t == nil {
		return since, false
	}
	w := t.writtenBy()
	if w == nil {
		return since, false
	}
	if at := w.storing.Load(); at != nil {
		since = *at
	}
	return since, true
}

// Show shows readers events that were stored together with something else.
func (w *Writer) Show(events []Event) {
	if n := len(events); n > 0 {
		w.last = events[n-1].ID
		w.begun.Store(true)
	}
	w.tail.show(events)
	w.logs.Tell(Hint{Changed, w.lease.StreamID})
}

// Close releases the log, in whatever state it is.
func (w *Writer) Close() {
	w.cancel(nil)
	w.tail.abandon(w)
	w.logs.release(w.lease.StreamID, w.tail)
}

func (t *tail) write(w *Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writer, t.chatID = w, w.chatID
}

// abandon says that w does not write the log any more.
func (t *tail) abandon(w *Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.writer == w { // otherwise somebody else has taken it over
		t.writer = nil
	}
	t.outdated = t.over == nil // somebody else may continue the log
	t.wake()
}
