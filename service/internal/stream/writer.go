package stream

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sync/atomic"
)

// Writer writes one log. Only one goroutine may use it, except for Context.
type Writer struct {
	logs   *Logs
	lease  Lease
	chatID string
	last   int64 // the id of the last event that readers can see
	begun  atomic.Bool
	tail   *tail
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// Write makes the Writer of a log, for an answer in a chat. It stores nothing. The caller calls
// Close.
func (l *Logs) Write(ctx context.Context, lease Lease, chatID string) *Writer {
	w := &Writer{logs: l, lease: lease, chatID: chatID, tail: l.hold(lease.StreamID)}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.tail.mu.Lock()
	defer w.tail.mu.Unlock()
	w.tail.writer = w
	return w
}

// From makes it write after the event with an id, of a log that already has events.
func (w *Writer) From(last int64) { w.last = last }

// Lease returns the lease with which it writes.
func (w *Writer) Lease() Lease { return w.lease }

// Context ends when the log is to end. Its cause is ErrStopped, ErrDeleted, or the reason that
// Interrupt was given.
func (w *Writer) Context() context.Context { return w.ctx }

// Append stores events after the existing ones, and shows them to the readers. If the Store can't
// be reached it tries again; see Logs.Patiently.
func (w *Writer) Append(ctx context.Context, events []Event) error {
	if len(events) == 0 {
		return nil
	}
	tried := false
	err := w.logs.Patiently(ctx, func() error {
		if tried {
			if stored, err := w.stored(ctx, events); stored || err != nil {
				return err
			}
		}
		tried = true
		return w.logs.store.AppendEvents(ctx, w.lease, events)
	})
	if err == nil {
		w.Show(events)
	}
	return err
}

// stored reports whether the Store has events of a try whose result got lost. If so, it sets their
// ids.
func (w *Writer) stored(ctx context.Context, events []Event) (bool, error) {
	got, err := w.logs.store.Events(ctx, w.lease.StreamID, w.last, len(events)+BatchEvents)
	if err == io.EOF {
		return false, nil
	}
	for from := range max(len(got)-len(events)+1, 0) {
		if slices.EqualFunc(got[from:from+len(events)], events, same) {
			Number(got[from].ID-1, events)
			return true, nil
		}
	}
	return false, err
}

func same(a, b Event) bool { return a.Type == b.Type && bytes.Equal(a.Data, b.Data) }

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
	w.tail.mu.Lock()
	if w.tail.writer == w { // otherwise somebody else has taken it over
		w.tail.writer = nil
	}
	w.tail.wake() // readers of a log that stays open now ask the Store
	w.tail.mu.Unlock()
	w.logs.release(w.lease.StreamID, w.tail)
}
