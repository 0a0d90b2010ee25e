//go:build unix

package tools_test

import (
	"fmt"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/crash/witness"
	"github.com/chatsdk/chatsdk/service/tooltest"
)

// The counts that must be 0.
const (
	unasked   = "calls carried out without approval"
	twice     = "calls carried out twice"
	lost      = "calls, decisions or results lost"
	otherwise = "calls carried out with arguments that were not approved"
	stuck     = "answers that never continue after the last decision"
	retold    = "results sent to the model twice, or rounds requested twice"
	mistold   = "wrong results sent to the model"
	torn      = "events that a reader lost or got twice"
	odd       = "unexpected responses"
)

var promises = []string{unasked, twice, lost, otherwise, stuck, retold, mistold, torn, odd}

// ledger records what users, pages and tools did, and what they were told.
type ledger struct {
	*witness.Ledger
	answers   []*answer
	calls     map[string]*seen // by id
	decisions map[string][]*decision
	runs      map[string][]*run   // by call
	claims    map[string][]string // the responses that pages got, by call
}

func newLedger(say func(args ...any)) *ledger {
	return &ledger{
		Ledger: witness.NewLedger(say), calls: map[string]*seen{}, decisions: map[string][]*decision{}, runs: map[string][]*run{}, claims: map[string][]string{},
	}
}

// answer is what its user knows about one answer.
type answer struct {
	script                              tooltest.Script
	userID, chatID, messageID, streamID string
	text                                string
	events                              []witness.Event
	ended                               bool
	stopAsked                           bool
}

// seen is a call that a reader heard of.
type seen struct {
	answer *answer
	last   wire.ToolCall
}

// decision is a decision that was sent.
type decision struct {
	action, arguments string
	sent              time.Time
	status            int // 0 if unknown
}

// run is a page's run of a call, after its claim was granted.
type run struct {
	arguments string
	begun     time.Time
	result    string
	status    int // of the result; 0 if unknown or never sent
}

// claimed records the response to a claim.
func (l *ledger) claimed(callID string, status int) {
	l.Lock()
	defer l.Unlock()
	l.claims[callID] = append(l.claims[callID], fmt.Sprintf("a claim got status %d at %.1f s", status, time.Since(l.Begun).Seconds()))
}

// open returns the answers that have not ended.
func (l *ledger) open() (all []*answer) {
	l.Lock()
	defer l.Unlock()
	for _, a := range l.answers {
		if !a.ended {
			all = append(all, a)
		}
	}
	return all
}
