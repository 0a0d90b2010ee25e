package chat

import (
	"context"
	"iter"
	"sync"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// live is a stream that is being written. Any number of readers may read it at
// once; none slows the answer or another reader.
type live struct {
	start wire.Start
	// cancel ends the asking, and says why.
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	events  []Event
	changed chan struct{} // closed when events grow or ended is set
	ended   bool
	// response and err are the outcome, set before ended.
	response wire.SendMessageResponse
	err      error
	// store stores an end that could not be stored; nil where it is.
	store func(context.Context) error
}

func newLive(start wire.Start) *live {
	return &live{
		start:   start,
		events:  []Event{{ID: 1, Type: wire.EventStart, Data: encode(start)}},
		changed: make(chan struct{}),
	}
}

// follow gives the events behind the one with the id after, in the batches in
// which they come, and waits for more until the stream has ended.
func (l *live) follow(ctx context.Context, after int64) iter.Seq2[[]Event, error] {
	return func(yield func([]Event, error) bool) {
		for read := int(after); ; {
			events, whole, changed := l.behind(read)
			if len(events) > 0 {
				if !yield(events, nil) {
					return
				}
				read += len(events)
				continue
			}
			if whole {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

// behind gives a batch of what comes after the first events that were read, and
// tells whether that was all that will ever come.
func (l *live) behind(read int) (events []Event, whole bool, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	end := min(len(l.events), read+batchEvents)
	return l.events[read:end:end], l.ended && end == len(l.events), l.changed
}

// wait waits until the stream has ended.
func (l *live) wait(ctx context.Context) error {
	for _, err := range l.follow(ctx, 0) {
		if err != nil {
			return err
		}
	}
	return nil
}

// lastID is the id of the last event that there is.
func (l *live) lastID() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(len(l.events))
}

// hasEnded tells whether the last event is there.
func (l *live) hasEnded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// publish gives stored events to the readers.
func (l *live) publish(events []Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, events...)
	l.wake()
}

// end gives the last events to the readers, and the outcome.
func (l *live) end(events []Event, response wire.SendMessageResponse, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, events...)
	l.response, l.err, l.ended = response, err, true
	l.wake()
}

func (l *live) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}
