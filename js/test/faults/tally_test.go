package faults_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test/fault"
)

// tally is what faults.js counts, together with the counts of the model and the proxy.
type tally struct {
	name string

	Sent int `json:"sent"`
	// GaveUp are answers that ended with onError.
	GaveUp int `json:"gaveUp"`
	// Cut are answers that were reported complete but were not whole.
	Cut int `json:"cut"`
	// Chunks are answers with a chunk lost or doubled.
	Chunks int `json:"chunks"`
	// Doubled are user messages that are not in the history exactly once.
	Doubled int `json:"doubled"`
	// Differs are answers whose stored text is not the one shown.
	Differs int `json:"differs"`
	// Told are answers that did not end with one outcome and one end.
	Told int `json:"told"`
	// Examples describe the first ones.
	Examples []string `json:"examples"`

	calls  int // calls of the model beyond one a message
	broken map[fault.Part]int
}

func (a *tally) add(b tally) {
	a.Sent += b.Sent
	a.GaveUp += b.GaveUp
	a.Cut += b.Cut
	a.Chunks += b.Chunks
	a.Doubled += b.Doubled
	a.Differs += b.Differs
	a.Told += b.Told
	a.Examples = append(a.Examples, b.Examples...)
}

func (a *tally) brokenAll() int {
	return a.broken[fault.Head] + a.broken[fault.Framing] + a.broken[fault.Data]
}

// check requires all counts to be zero.
func (a *tally) check(t *testing.T, mayGiveUp bool) {
	t.Helper()
	counts := a.Cut + a.Chunks + a.Doubled + a.Differs + a.Told + a.calls
	if !mayGiveUp {
		counts += a.GaveUp
	}
	require.Zero(t, counts, "%s\n%s", table(a), strings.Join(a.Examples, "\n"))
}

func table(tallies ...*tally) string {
	var text strings.Builder
	text.WriteString("\n| fault | sends | connections broken in head, framing, data | cut, as complete | chunks lost or doubled | " +
		"user messages doubled | model calls beyond one | stored differs from shown | ended with onError |\n| --- |" + strings.Repeat(" ---: |", 8) + "\n")
	for _, a := range tallies {
		fmt.Fprintf(&text, "| %s | %d | %d, %d, %d | %d | %d | %d | %d | %d | %d |\n", a.name, a.Sent,
			a.broken[fault.Head], a.broken[fault.Framing], a.broken[fault.Data], a.Cut, a.Chunks, a.Doubled, a.calls, a.Differs, a.GaveUp)
	}
	return text.String()
}
