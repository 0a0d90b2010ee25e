package stream

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// A tail keeps at least the newest tailEvents events, or tailBytes bytes of data, whatever is less,
// and at most twice as much and the newest batch.
const (
	tailEvents = 512
	tailBytes  = 1 << 20
)

// tail has the newest events of a log that is written or read here.
type tail struct {
	// users counts the writer and the readers of the log here. It is guarded by Logs.mu.
	users int

	// ctx ends when nobody uses the tail any more.
	ctx   context.Context
	leave context.CancelFunc

	mu     sync.Mutex
	writer *Writer // nil if the log is not written here
	chatID string  // empty if it is not known
	// events follow each other without a gap. last is the id of the newest one; if there are none,
	// the log may have later events than last, but readers before it read the Store.
	events []Event
	bytes  int // of their data
	last   int64
	// outdated says that the Store may have more.
	outdated bool
	// over is why there will never be more, nil if there may be.
	over error
	// news is closed when there may be more, or nobody may wait here any longer.
	news chan struct{}
	// fetching is the follower's question to the Store, nil if there is none now.
	fetching *fetch
}

// newTail makes a tail without events, for a writer or a reader.
func newTail(written bool) *tail {
	t := &tail{news: make(chan struct{}), outdated: !written}
	t.ctx, t.leave = context.WithCancel(context.Background())
	return t
}

func (t *tail) isIn(chatID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.chatID == chatID
}

// read prepares the tail for a reader of the events after one. If somebody else writes the log, the
// follower begins there, or where it is. If the reader knows of later events, all readers ask for
// them.
func (t *tail) read(head Head, after int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if head.ChatID != "" {
		t.chatID = head.ChatID
	}
	if t.writer != nil || t.over != nil {
		return
	}
	t.begin(after)
	if head.LastID > t.last {
		t.outdated = true
		t.wake()
	}
}

// wake requires that the tail is locked.
func (t *tail) wake() {
	close(t.news)
	t.news = make(chan struct{})
}

// outdate says that the Store may have more.
func (t *tail) outdate() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over != nil {
		return
	}
	t.outdated = true
	t.wake()
}

// forget drops all events: readers ask the Store for each of them.
func (t *tail) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop()
	t.outdated = true
	t.wake()
}

func (t *tail) drop() { t.events, t.bytes = nil, 0 }

// begin makes the tail begin after an event, if it has not come so far.
func (t *tail) begin(after int64) {
	if after > t.last {
		t.drop()
		t.last, t.outdated = after, true
		t.wake()
	}
}

// add adds events that were stored. Some of them may be known. The tail must be locked.
func (t *tail) add(events []Event) {
	if len(events) == 0 || events[len(events)-1].ID <= t.last {
		return
	}
	if first := events[0].ID; first > t.last+1 {
		t.drop() // somebody else has appended events in between
	} else {
		events = events[t.last+1-first:]
	}
	t.events = append(t.events, events...)
	t.last = events[len(events)-1].ID
	for _, event := range events {
		t.bytes += len(event.Data)
	}
	if t.events[len(t.events)-1].Type == wire.EventEnd {
		t.over = io.EOF
	}
	if len(t.events) >= 2*tailEvents || t.bytes >= 2*tailBytes {
		t.trim(len(events))
	}
}

// trim copies the newest events, all of the last batch among them, because readers may still use
// the old array.
func (t *tail) trim(batch int) {
	from, bytes := len(t.events), 0
	for from > 0 && (len(t.events)-from < batch || len(t.events)-from < tailEvents && bytes < tailBytes) {
		from--
		bytes += len(t.events[from].Data)
	}
	t.events, t.bytes = append([]Event(nil), t.events[from:]...), bytes
}

// show gives events that the writer has stored to the readers.
func (t *tail) show(events []Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(events)
	t.wake()
}

func (t *tail) writtenBy() *Writer {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.writer
}

// errOlder says that the events after one are not in the tail any more.
var errOlder = errors.New("the events are older than the tail")

// after returns a batch of the events after one. If there is none, it returns errOlder, or why there
// will never be one, or what to wait for.
func (t *tail) after(id int64) (events []Event, next wait, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	first := t.last - int64(len(t.events)) + 1
	switch {
	case t.over != nil && t.over != io.EOF:
		return nil, next, t.over
	case id < first-1:
		return nil, next, errOlder
	case id < t.last:
		from := int(id - first + 1)
		to := min(len(t.events), from+BatchEvents)
		return t.events[from:to:to], next, nil
	case t.over != nil:
		return nil, next, t.over
	}
	return nil, wait{news: t.news, outdated: t.outdated, followed: t.writer == nil}, nil
}

// wait is what a reader at the end of the tail waits for.
type wait struct {
	news     <-chan struct{}
	outdated bool // the follower is to ask the Store first
	followed bool // somebody else writes the log
}

// now returns a channel that is closed when there may be more.
func (t *tail) now() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.news
}
