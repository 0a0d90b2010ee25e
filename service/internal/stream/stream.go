// Package stream keeps answers as logs of numbered events. One writer appends to a log, and any
// number of readers read it from any event on and wait for more. For readers it makes no
// difference whether the answer is still being written. Begin with New.
//
// Every event is stored before it is read. The newest events of a log that is written or read here
// are in memory, in its tail: the writer adds what it has stored, and for a log that is written
// elsewhere one follower adds what the Store has. Readers read the tail. Only a reader that is far
// behind reads older events from the Store.
package stream

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// Event is one event of a log.
type Event struct {
	// ID counts 1, 2, 3 … within the log.
	ID int64
	// Type is one of the Event constants of package wire. The last event of a log has the type
	// wire.EventEnd.
	Type string
	// Data is JSON in one line.
	Data []byte
}

// Lease is the right to write a log, until somebody else takes it.
type Lease struct {
	StreamID string
	// Epoch counts the holders of the right: 1, 2, 3 …
	Epoch int64
}

// Store keeps logs.
type Store interface {
	// AppendEvents stores the next events of an open log, and sets their ids in place. It fails
	// if the log has ended or was deleted. If somebody else has the lease, the error is ErrTaken.
	AppendEvents(ctx context.Context, lease Lease, events []Event) error
	// Events returns up to limit events of a log after the one with the id after. If there are
	// none, the error is io.EOF if the log has ended, and nil if it is open. For a deleted log
	// the error is ErrDeleted; if the events are no longer kept, it is ErrSwept.
	Events(ctx context.Context, streamID string, after int64, limit int) ([]Event, error)
}

// Shared is a Store that several replicas of the service write and read.
type Shared interface {
	Store
	// AskToStop asks whoever writes an open log to end it. It does nothing if the log has ended
	// or was deleted.
	AskToStop(ctx context.Context, streamID string) error
}

var (
	// ErrDeleted says that the log was deleted with its chat.
	ErrDeleted = errors.New("the answer was deleted")
	// ErrSwept says that the events of the log are no longer kept.
	ErrSwept = errors.New("the events of the answer are no longer kept")
	// ErrTaken says that somebody else writes the log now.
	ErrTaken = errors.New("another replica of the service writes the answer now")
	// ErrStopped is the cause if a writer ends a log because somebody has stopped it.
	ErrStopped = errors.New("the answer was stopped")
	// ErrClosed is what waiting readers get if the Logs are closed.
	ErrClosed error = &fault.Error{Code: wire.CodeUnavailable, Message: "The service is shutting down; try again in a moment", RetryAfter: time.Second}
)

const (
	// BatchEvents is how many events are read at once.
	BatchEvents = 512
)

// Logs are the logs of a Store. They are safe for concurrent use.
type Logs struct {
	store Store
	// Tell sends hints to the other replicas. Set it before anything is written. Without it the
	// process has no other replicas.
	Tell func(Hint)

	// Patience is how long a writer waits for a Store that can't be reached; 0 means not at all.
	// Set it before anything is written.
	Patience time.Duration

	closed chan struct{}

	mu sync.Mutex
	// tails has the logs that are written or read here.
	tails map[string]*tail
	// leaving says that no reader may wait here for a log that another replica writes.
	leaving atomic.Bool
}

// New makes the Logs of a Store.
func New(store Store) *Logs {
	return &Logs{store: store, Tell: func(Hint) {}, Patience: DefaultPatience, tails: map[string]*tail{}, closed: make(chan struct{})}
}

// Close disconnects the readers that wait. Call it once.
func (l *Logs) Close() { close(l.closed) }

func (l *Logs) hold(streamID string, written bool) *tail {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.tails[streamID]
	if t == nil {
		t = newTail(written)
		l.tails[streamID] = t
	}
	t.users++
	return t
}

func (l *Logs) release(streamID string, t *tail) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.users--; t.users == 0 {
		t.leave()
		delete(l.tails, streamID)
	}
}

// find returns the tail of a log that is written or read here, else nil.
func (l *Logs) find(streamID string) *tail {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tails[streamID]
}

func (l *Logs) all() []*tail {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.tails))
}

// writers returns the writers in this process.
func (l *Logs) writers() (all []*Writer) {
	for _, t := range l.all() {
		if w := t.writtenBy(); w != nil {
			all = append(all, w)
		}
	}
	return all
}

// Interrupt asks all writers here to end their logs, for a reason.
func (l *Logs) Interrupt(reason error) {
	for _, w := range l.writers() {
		w.cancel(reason)
	}
}

// Stop asks whoever writes a log to end it with the events that it has. It reports whether somebody
// was asked. Without other replicas nobody is asked unless the log is written here now.
func (l *Logs) Stop(ctx context.Context, streamID string) (asked bool, err error) {
	if l.end(streamID, ErrStopped) {
		return true, nil
	}
	shared, ok := l.store.(Shared)
	if !ok {
		return false, nil
	}
	err = shared.AskToStop(ctx, streamID)
	l.Tell(Hint{Stop, streamID})
	return err == nil, err
}

// Changed tells readers here and elsewhere that a log without a writer was changed.
func (l *Logs) Changed(streamID string) {
	l.Wake(streamID)
	l.Tell(Hint{Changed, streamID})
}

// end asks the writer of a log to end it for a reason, and reports whether the log is written here.
func (l *Logs) end(streamID string, reason error) bool {
	t := l.find(streamID)
	if t == nil {
		return false
	}
	w := t.writtenBy()
	if w != nil {
		w.cancel(reason)
	}
	return w != nil
}

// DeleteChat tells the writers and the readers of a chat's logs that the Store no longer has
// them.
func (l *Logs) DeleteChat(chatID string) {
	l.endChat(chatID)
	l.Tell(Hint{Deleted, chatID})
}

func (l *Logs) endChat(chatID string) {
	for _, t := range l.all() {
		if !t.isIn(chatID) {
			continue
		}
		if w := t.writtenBy(); w != nil {
			w.cancel(ErrDeleted)
		}
		t.forget()
	}
}

// Wake says that somebody else has changed a log: who follows it asks the Store.
func (l *Logs) Wake(streamID string) {
	if t := l.find(streamID); t != nil {
		t.outdate()
	}
}

// Number sets the ids of events to those that follow after, in place.
func Number(after int64, events []Event) []Event {
	for i := range events {
		events[i].ID = after + int64(i) + 1
	}
	return events
}
