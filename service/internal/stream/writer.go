package stream

import "context"

// Writer writes one log. It is for one goroutine; only Context is for all.
type Writer struct {
	logs   *Logs
	id     string
	chatID string
	last   int64
	tail   *tail
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// Write makes the Writer of a new log, of an answer in a chat. It stores nothing.
// Close it in the end.
func (l *Logs) Write(ctx context.Context, streamID, chatID string) *Writer {
	w := &Writer{logs: l, id: streamID, chatID: chatID, tail: l.hold(streamID)}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.tail.mu.Lock()
	defer w.tail.mu.Unlock()
	w.tail.writer = w
	return w
}

// Context ends, with the reason as its cause, when the log is to end: ErrStopped,
// ErrDeleted, or what Interrupt was given.
func (w *Writer) Context() context.Context { return w.ctx }

// Append stores events behind those that there are, and shows them to the readers.
func (w *Writer) Append(ctx context.Context, events []Event) error {
	return w.Store(events, func() error { return w.logs.store.AppendEvents(ctx, w.id, events) })
}

// Store is Append for events that are stored together with something else. It
// gives them their ids before.
func (w *Writer) Store(events []Event, store func() error) error {
	Number(w.last, events)
	if err := store(); err != nil {
		return err
	}
	w.last += int64(len(events))
	w.tail.show(events)
	return nil
}

// Close lets go of the log, wherever it stands.
func (w *Writer) Close() {
	w.cancel(nil)
	w.tail.mu.Lock()
	w.tail.writer = nil
	w.tail.wake() // a log that stays open is read from the Store
	w.tail.mu.Unlock()
	w.logs.release(w.id, w.tail)
}
