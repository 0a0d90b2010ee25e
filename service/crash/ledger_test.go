package crash_test

import (
	"net/http"
	"slices"
	"sync"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// actionDelete is used like wire.ActionApprove and wire.ActionReject.
const actionDelete = "delete"

// message is a message that a user sent.
type message struct {
	userID, chatID, text string
	began                int
	answered             bool
	// id is the id in the history; empty until the history is read.
	id string
	// settled reports that its memories were seen, or that it has none.
	settled bool
	// excused reports that a memory of its user was deleted before the message was settled. The
	// deletion may have removed the message from the queue.
	excused bool
}

// decision is what a reviewer asked for.
type decision struct {
	action string
	memory wire.Memory // as the reviewer saw it
	ended  int
	// sent reports that the whole request was written.
	sent bool
	// status is the status of the response; 0 until it arrives.
	status int
	// told is the response to an approval or a rejection, if status is 200.
	told wire.MemoryActionResponse
}

// mayBeDone reports whether it may have been carried out, as far as its reviewer knows.
func (d *decision) mayBeDone() bool { return d.status == http.StatusOK || d.status == 0 }

// ledger records what clients sent and what the service told them.
type ledger struct {
	mu       sync.Mutex
	clock    int
	messages []*message
	// decisions are the decisions since the last check.
	decisions []*decision
	// lastListed are the memories that the last check listed, by id.
	lastListed map[string]wire.Memory
	// gone are the deleted memories, by id.
	gone map[string]wire.Memory
}

func newLedger() *ledger {
	return &ledger{lastListed: map[string]wire.Memory{}, gone: map[string]wire.Memory{}}
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

// told records the response to a decision; status 0 means that none arrived.
func (l *ledger) told(d *decision, status int, told wire.MemoryActionResponse) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.status, d.told, d.ended = status, told, l.tick()
}

// open returns the decisions that were sent and have no response yet.
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

// reset makes the memories that are listed now the start of the next comparison.
func (l *ledger) reset(listed map[string]wire.Memory) {
	for _, d := range l.decisions {
		if _, there := listed[d.memory.ID]; !there {
			l.gone[d.memory.ID] = d.memory
		}
	}
	l.decisions, l.lastListed = nil, listed
}

// forget drops messages that were never stored.
func (l *ledger) forget(lost func(*message) bool) {
	l.messages = slices.DeleteFunc(l.messages, lost)
}
