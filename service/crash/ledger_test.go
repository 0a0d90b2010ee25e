package crash_test

import (
	"net/http"
	"slices"
	"sync"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// actionDelete is used like wire.ActionApprove and wire.ActionReject.
const actionDelete = "delete"

// message is one that a user has sent.
type message struct {
	userID, chatID, text string
	began                int
	answered             bool
	// id is the id in the history, empty until it is read.
	id string
	// settled: its memories were seen, or it is known to have none.
	settled bool
	// excused: one of its user's memories was deleted before it was settled, which may have removed it
	// from the queue.
	excused bool
}

// decision is what a reviewer asked for.
type decision struct {
	action string
	memory wire.Memory // as the reviewer saw it
	ended  int
	// sent: the whole request was written.
	sent bool
	// status is 0 until the answer is there.
	status int
	// told is the answer if status is 200 and nothing was deleted.
	told wire.MemoryActionResponse
}

// mayBeDone reports whether it may have happened, as far as its reviewer knows.
func (d *decision) mayBeDone() bool { return d.status == http.StatusOK || d.status == 0 }

// ledger is what clients asked the service and what they were told.
type ledger struct {
	mu       sync.Mutex
	clock    int
	messages []*message
	// decisions are the decisions since the last check.
	decisions []*decision
	// seen is what the last check saw, by id.
	seen map[string]wire.Memory
	// gone are the deleted memories, by id.
	gone map[string]wire.Memory
}

func newLedger() *ledger {
	return &ledger{seen: map[string]wire.Memory{}, gone: map[string]wire.Memory{}}
}

func (l *ledger) tick() int {
	l.clock++
	return l.clock
}

func (l *ledger) write(userID, chatID, text string) *message {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := &message{userID: userID, chatID: chatID, text: text, began: l.tick()}
	l.messages = append(l.messages, m)
	return m
}

func (l *ledger) answered(m *message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m.answered = true
}

func (l *ledger) decide(action string, memory wire.Memory) *decision {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := &decision{action: action, memory: memory}
	l.decisions = append(l.decisions, d)
	return d
}

func (l *ledger) sent(d *decision) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.sent = true
}

// told ends a decision; status is 0 if there was no answer.
func (l *ledger) told(d *decision, status int, told wire.MemoryActionResponse) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.status, d.told, d.ended = status, told, l.tick()
}

// open returns the decisions that have no answer yet.
func (l *ledger) open() (open []*decision) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.decisions {
		if d.sent && d.ended == 0 {
			open = append(open, d)
		}
	}
	return open
}

// about returns the decisions about a memory since the last check.
func (l *ledger) about(id string) (all []*decision) {
	for _, d := range l.decisions {
		if d.memory.ID == id {
			all = append(all, d)
		}
	}
	return all
}

// excuse marks the messages that a deletion may have removed from the queue.
func (l *ledger) excuse() {
	for _, d := range l.decisions {
		if d.action != actionDelete || !d.mayBeDone() {
			continue
		}
		for _, m := range l.messages {
			if m.userID == d.memory.UserID && !m.settled && m.began < d.ended {
				m.excused = true
			}
		}
	}
}

// turn begins a new page: the memories that are listed now are settled.
func (l *ledger) turn(listed map[string]wire.Memory) {
	for _, d := range l.decisions {
		if _, there := listed[d.memory.ID]; !there {
			l.gone[d.memory.ID] = d.memory
		}
	}
	l.decisions, l.seen = nil, listed
}

// forget drops messages that were never stored.
func (l *ledger) forget(lost func(*message) bool) {
	l.messages = slices.DeleteFunc(l.messages, lost)
}
