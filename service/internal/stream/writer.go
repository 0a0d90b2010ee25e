package stream

import "context"

// Writer writes one log. It is for one goroutine; only Context is for all.
type Writer struct {
	logs   *Logs
	lease  Lease
	chatID string
	tail   *tail
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// Write makes the Writer of a log, of an answer in a chat. It stores nothing.
// Close it in the end.
func (l *Logs) Write(ctx context.Context, lease Lease, chatID string) *Writer {
	w := &Writer{logs: l, lease: lease, chatID: chatID, tail: l.hold(lease.StreamID)}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.tail.mu.Lock()
	defer w.tail.mu.Unlock()
	w.tail.writer = w
	return w
}

// Lease is the right by which it writes.
func (w *Writer) Lease() Lease { return w.lease }

// Context ends, with the reason as its cause, when the log is to end: ErrStopped,
// ErrDeleted, or what Interrupt was given.
func (w *Writer) Context() context.Context { return w.ctx }

// Append stores events behind those that there are, and shows them to the readers.
func (w *Writer) Append(ctx context.Context, events []Event) error {
	err := w.logs.store.AppendEvents(ctx, w.lease, events)
	if err == nil {
		w.Show(events)
	}
	return err
}

// Show shows the readers events that were stored together with something else.
func (w *Writer) Show(events []Event) { w.tail.show(events) }

// Close lets go of the log, wherever it stands.
func (w *Writer) Close() {
	w.cancel(nil)
	w.tail.mu.Lock()
	w.tail.writer = nil
	w.tail.wake() // a log that stays open is read from the Store
	w.tail.mu.Unlock()
	w.logs.release(w.lease.StreamID, w.tail)
}
