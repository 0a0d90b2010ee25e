package replica

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// PayloadBytes is the largest size of a notification. PostgreSQL accepts less than 8,000 bytes
// (https://www.postgresql.org/docs/15/sql-notify.html).
const PayloadBytes = 7900

// gathering is how long hints are collected before they are sent, because commits that notify
// wait for each other.
const gathering = 5 * time.Millisecond

// hints are waiting to be sent to the other replicas, each once.
type hints struct {
	mu      *sync.Mutex
	waiting map[stream.Hint]bool
	more    chan struct{}
}

func newHints() hints {
	return hints{mu: &sync.Mutex{}, waiting: map[stream.Hint]bool{}, more: make(chan struct{}, 1)}
}

// Tell sends a hint to the other replicas. It doesn't block.
func (r *Replica) Tell(hint stream.Hint) {
	if r.config.PollOnly {
		return
	}
	r.hints.mu.Lock()
	r.hints.waiting[hint] = true
	r.hints.mu.Unlock()
	select {
	case r.hints.more <- struct{}{}:
	default:
	}
}

func (h hints) take() []stream.Hint {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]stream.Hint, 0, len(h.waiting))
	for hint := range h.waiting {
		all = append(all, hint)
	}
	clear(h.waiting)
	return all
}

// notify sends hints until ctx ends. Hints that can't be sent are lost.
func (r *Replica) notify(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.hints.more:
		}
		time.Sleep(gathering)
		for _, payload := range payloads(r.config.Name, r.hints.take()) {
			within, cancel := context.WithTimeout(ctx, each)
			_ = r.config.Store.Notify(within, payload)
			cancel()
		}
	}
}

// payloads encodes hints as notifications: the name of this replica, then a line with kind and id
// for each hint.
func payloads(name string, all []stream.Hint) (texts []string) {
	text := name
	for _, hint := range all {
		line := "\n" + string(hint.Kind) + hint.ID
		if len(text)+len(line) > PayloadBytes {
			texts, text = append(texts, text), name
		}
		text += line
	}
	if text != name {
		texts = append(texts, text)
	}
	return texts
}

// listen receives the hints of the others until ctx ends.
func (r *Replica) listen(ctx context.Context) {
	for ctx.Err() == nil {
		_ = r.config.Store.Listen(ctx, r.catchUp, r.hear)
		select {
		case <-ctx.Done():
		case <-time.After(pollPause):
		}
	}
}

// catchUp makes all readers ask the Store, because hints were lost.
func (r *Replica) catchUp() {
	for id := range r.config.Logs.Following() {
		r.config.Logs.Wake(id)
	}
}

// hear handles the hints of a notification, unless this replica has sent it.
func (r *Replica) hear(payload string) {
	name, rest, _ := strings.Cut(payload, "\n")
	if name == r.config.Name {
		return
	}
	for line := range strings.SplitSeq(rest, "\n") {
		if line != "" {
			r.config.Logs.Hear(stream.Hint{Kind: stream.Kind(line[0]), ID: line[1:]})
		}
	}
}
