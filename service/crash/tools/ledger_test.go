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
	unasked   = "calls carried out that nobody approved"
	twice     = "calls carried out twice"
	lost      = "calls, decisions or results lost"
	otherwise = "arguments carried out that differ from those approved"
	stuck     = "answers that never continue after the last decision"
	retold    = "results told to the model twice, or rounds asked twice"
	mistold   = "results told to the model that are not those of the call"
	torn      = "events lost or doubled to a reader"
	odd       = "answers of an impossible kind"
)

var promises = []string{unasked, twice, lost, otherwise, stuck, retold, mistold, torn, odd}

// ledger is what everybody did and was told.
type ledger struct {
	*witness.Ledger
	answers   []*answer
	calls     map[string]*seen // by id
	decisions map[string][]*decision
	runs      map[string][]*run   // by call
	claims    map[string][]string // what pages were told of theirs, by call
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
	status            int // 0 is not known
}

// run is a page's run of a call, after its claim was granted.
type run struct {
	arguments string
	begun     time.Time
	result    string
	status    int // of the result; 0 if unknown or never sent
}

// claimed notes what a page was told of a claim.
func (l *ledger) claimed(callID string, status int) {
	l.Lock()
	defer l.Unlock()
	l.claims[callID] = append(l.claims[callID], fmt.Sprintf("a claim is %d at %.1f s", status, time.Since(l.Begun).Seconds()))
}

// open are the answers that have not ended.
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
