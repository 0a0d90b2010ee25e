// Package stream keeps answers as logs of numbered events: who writes one appends
// to it, and any number of readers read it from any event on and wait for more.
// Whether an answer is being written makes no difference to them. Begin with New.
//
// What is read was stored before. The events that this process appended last stay
// in memory for its readers; all others come from the Store.
package stream

import (
	"context"
	"errors"
	"io"
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
	// Type is one of the Event constants of package wire. wire.EventEnd is the
	// last one of its log.
	Type string
	// Data is a JSON text in one line.
	Data []byte
}

// Lease is the right to write a log, for as long as nobody else has taken it.
type Lease struct {
	StreamID string
	// Epoch counts those who have had the right: 1, 2, 3 …
	Epoch int64
}

// Store keeps logs.
type Store interface {
	// AppendEvents stores the next events of an open log, and gives them their ids,
	// in place. A log that has ended or is gone is an error; so is a lease that
	// somebody else has, ErrTaken.
	AppendEvents(ctx context.Context, lease Lease, events []Event) error
	// Events gives up to limit events of a log, those behind the one with the id
	// after. If there are none it is io.EOF of a log that has ended, and no error
	// of one that is open. A log that was deleted is ErrDeleted, one whose events are
	// no longer kept ErrSwept.
	Events(ctx context.Context, streamID string, after int64, limit int) ([]Event, error)
}

// Shared is a Store that several replicas of the service write and read.
type Shared interface {
	Store
	// AskToStop leaves word that an open log is to be ended, for whoever writes it. Of
	// a log that has ended or is gone it is nothing.
	AskToStop(ctx context.Context, streamID string) error
}

var (
	// ErrDeleted is a log that was deleted, with its chat.
	ErrDeleted = errors.New("the answer was deleted")
	// ErrSwept is a log whose events are no longer kept.
	ErrSwept = errors.New("the events of the answer are no longer kept")
	// ErrTaken is a log that somebody else writes now.
	ErrTaken = errors.New("another replica of the service writes the answer now")
	// ErrStopped is why a writer ends a log that somebody asked to be stopped.
	ErrStopped = errors.New("the answer was stopped")
	// ErrClosed is what readers get that still wait when Logs are closed.
	ErrClosed error = &fault.Error{Code: wire.CodeUnavailable, Message: "The service is shutting down; try again in a moment"}
)

const (
	// DefaultPatience is the Patience of new Logs.
	DefaultPatience = 30 * time.Second
	// BatchEvents is how many events are read at once.
	BatchEvents = 512
	// tailEvents is how many of the last events of a log stay in memory while it
	// is written.
	tailEvents = 512
)

// Logs are the logs of a Store. They are safe for concurrent use.
type Logs struct {
	store Store
	// Tell passes hints on to the other replicas. It is set before anything is written;
	// without it the process is alone.
	Tell func(Hint)

	// Patience is how long a writer waits for a Store that can't be reached; 0 is not
	// at all. It is set before anything is written.
	Patience time.Duration

	closed chan struct{}

	mu sync.Mutex
	// tails are of the logs that are written or read here.
	tails map[string]*tail
	// leaving tells that nobody waits here for what is written elsewhere.
	leaving atomic.Bool
}

// New makes the Logs of a store.
func New(store Store) *Logs {
	return &Logs{store: store, Tell: func(Hint) {}, Patience: DefaultPatience, tails: map[string]*tail{}, closed: make(chan struct{})}
}

// Close lets go of the readers that wait. It is called once.
func (l *Logs) Close() { close(l.closed) }

// tail is what this process knows of a log.
type tail struct {
	// users is who holds it: its writer and its readers. It is guarded by Logs.mu.
	users int

	mu     sync.Mutex
	writer *Writer // nil if it is not written here
	// events are the last ones that were appended here, without a gap. While there
	// is a writer they are the last ones that there are.
	events  []Event
	changed chan struct{} // closed when there may be more
	// known is the id of the last event that a reader here has got from the Store.
	known int64
}

// How long Patiently waits between two tries, at first and at most.
const (
	pause     = 50 * time.Millisecond
	pauseMost = time.Second
)

// Patiently calls try, again and again while the Store can't be reached. It gives up when
// Patience is over, ctx ends or the Logs are closed, and gives the last error.
func (l *Logs) Patiently(ctx context.Context, try func() error) error {
	over := time.Now().Add(l.Patience)
	for wait := pause; ; wait = min(2*wait, pauseMost) {
		err := try()
		if !fault.IsUnavailable(err) || !time.Now().Add(wait).Before(over) {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		case <-l.closed:
			return err
		}
	}
}

func (l *Logs) hold(streamID string) *tail {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.tails[streamID]
	if t == nil {
		t = &tail{changed: make(chan struct{})}
		l.tails[streamID] = t
	}
	t.users++
	return t
}

func (l *Logs) release(streamID string, t *tail) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(l.tails, streamID)
	}
}

// find gives the tail of a log that is written or read here, else nil.
func (l *Logs) find(streamID string) *tail {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tails[streamID]
}

// writers are those that write here.
func (l *Logs) writers() (all []*Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.tails {
		if w := t.writtenBy(); w != nil {
			all = append(all, w)
		}
	}
	return all
}

// Interrupt asks whoever writes here to end, for a reason.
func (l *Logs) Interrupt(reason error) {
	for _, w := range l.writers() {
		w.cancel(reason)
	}
}

// Stop asks whoever writes a log to end it with what there is. It tells whether somebody
// was asked: where the process is alone, nobody is who doesn't write now.
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

// Changed tells readers here and elsewhere that a log which nobody writes was changed.
func (l *Logs) Changed(streamID string) {
	l.Wake(streamID)
	l.Tell(Hint{Changed, streamID})
}

// end asks the writer of a log to end it, for a reason, and tells whether it writes here.
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

// DeleteChat tells the writers and the readers of a chat's logs that the Store has
// them no more.
func (l *Logs) DeleteChat(chatID string) {
	l.endChat(chatID)
	l.Tell(Hint{Deleted, chatID})
}

func (l *Logs) endChat(chatID string) {
	for _, w := range l.writers() {
		if w.chatID == chatID {
			w.cancel(ErrDeleted)
			l.Wake(w.lease.StreamID)
		}
	}
}

// Wake has the readers of a log ask the Store: it was changed by somebody else.
func (l *Logs) Wake(streamID string) {
	if t := l.find(streamID); t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.events = nil
		t.wake()
	}
}

func (t *tail) writtenBy() *Writer {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.writer
}

// wake is called with the tail locked.
func (t *tail) wake() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// note notes that a reader has got the event with an id from the Store.
func (t *tail) note(id int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known = max(t.known, id)
}

// show gives readers events that were stored.
func (t *tail) show(events []Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.events); n > 0 && len(events) > 0 && t.events[n-1].ID+1 != events[0].ID {
		t.events = nil // somebody else appended in between
	}
	t.events = append(t.events, events...)
	if over := len(t.events) - tailEvents; over >= tailEvents {
		t.events = append([]Event(nil), t.events[over:]...) // readers may still hold the old array
	}
	t.wake()
}

// behind gives a batch of the events behind one. Where that is the newest there is
// it is io.EOF of a log that has ended, and errNotYet of one that is written here.
// Where it gives neither the Store has to be asked.
func (t *tail) behind(after int64) (events []Event, changed <-chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.events)
	if n == 0 {
		return nil, t.changed, nil
	}
	first, last := t.events[0].ID, t.events[n-1].ID
	switch {
	case after >= first-1 && after < last:
		from := int(after - first + 1)
		to := min(n, from+BatchEvents)
		events = t.events[from:to:to]
	case after == last && t.events[n-1].Type == wire.EventEnd:
		err = io.EOF
	case after == last && t.writer != nil:
		err = errNotYet
	}
	return events, t.changed, err
}

var errNotYet = errors.New("the next event has not come yet")

// Number gives events the ids behind one, in place.
func Number(after int64, events []Event) []Event {
	for i := range events {
		events[i].ID = after + int64(i) + 1
	}
	return events
}
