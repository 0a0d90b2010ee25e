// Package storetest defines in tests what a chat.Store must do. The tests of
// each store call Run.
package storetest

import (
	"slices"
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// rule is one thing that a Store must do.
type rule struct {
	name  string
	check func(t *testing.T, store chat.Store)
}

// Run checks that a store follows every rule. It calls open once for each; open
// returns a new, empty store each time and closes it with t.Cleanup. The rules
// run in parallel.
func Run(t *testing.T, open func(t *testing.T) chat.Store) {
	t.Helper()
	for _, rule := range slices.Concat(chatRules, orderRules, scopeRules, historyRules, feedbackRules,
		turnRules, eventRules, endRules, nameRules, textRules, streamRules, claimRules, branchRules, toolRules, imageRules, pageRules, recentRules,
		concurrencyRules, raceRules, cancelRules) {
		t.Run(rule.name, func(t *testing.T) {
			t.Parallel()
			rule.check(t, open(t))
		})
	}
}
