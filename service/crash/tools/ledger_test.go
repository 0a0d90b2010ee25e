//go:build unix

package tools_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/tooltest"
)

// What is counted, and must be 0.
const (
	unasked   = "calls carried out that nobody approved"
	twice     = "calls carried out twice"
	lost      = "calls, decisions or results lost"
	otherwise = "arguments carried out that differ from those approved"
	stuck     = "answers that never go on after the last decision"
	retold    = "results told to the model twice, or rounds asked twice"
	mistold   = "results told to the model that are not the call's"
	torn      = "events lost or doubled to a reader"
	odd       = "answers of a kind that is not to be"
)

var promises = []string{unasked, twice, lost, otherwise, stuck, retold, mistold, torn, odd}

// ledger is what everybody did and was told.
type ledger struct {
	say    func(args ...any)
	begun  time.Time
	mu     sync.Mutex
	broken map[string][]string
	count  map[string]int

	answers   []*answer
	calls     map[string]*seen // by id
	decisions map[string][]*decision
	runs      map[string][]*run   // by call
	claims    map[string][]string // what pages were told of theirs, by call
}

func newLedger(say func(args ...any)) *ledger {
	return &ledger{
		say: say, begun: time.Now(), broken: map[string][]string{}, count: map[string]int{}, calls: map[string]*seen{},
		decisions: map[string][]*decision{}, runs: map[string][]*run{}, claims: map[string][]string{},
	}
}

// answer is what its user knows of one.
type answer struct {
	script                              tooltest.Script
	userID, chatID, messageID, streamID string
	text                                string
	events                              []event
	ended                               bool
	stopAsked                           bool
}

// seen is a call that a reader was told of.
type seen struct {
	answer *answer
	last   wire.ToolCall
}

// decision is one that was sent.
type decision struct {
	action, arguments string
	sent              time.Time
	status            int // 0 is not known
}

// run is a page's carrying out of a call, after its claim was granted.
type run struct {
	arguments string
	begun     time.Time
	result    string
	status    int // of the result; 0 is not known, or that it was never sent
}

// violation notes that a promise was broken.
func (l *ledger) violation(promise, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := fmt.Sprintf("%6.1f s: %s", time.Since(l.begun).Seconds(), fmt.Sprintf(format, args...))
	l.broken[promise] = append(l.broken[promise], text)
	l.say(promise, text)
}

func (l *ledger) add(name string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count[name] += n
}

// claimed notes what a page was told of a claim.
func (l *ledger) claimed(callID string, status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.claims[callID] = append(l.claims[callID], fmt.Sprintf("a claim is %d at %.1f s", status, time.Since(l.begun).Seconds()))
}

func (l *ledger) change(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do()
}

// open are the answers that have not ended.
func (l *ledger) open() (all []*answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.answers {
		if !a.ended {
			all = append(all, a)
		}
	}
	return all
}
