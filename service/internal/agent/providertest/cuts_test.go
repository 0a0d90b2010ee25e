package providertest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
)

// Wherever a stream is cut, the answer is whole up to a reason, or an error: never a success without what ends it
// behind all of its text and calls.
func TestCuts(t *testing.T) {
	t.Parallel()
	for _, kind := range providertest.Kinds {
		for _, test := range kind.Cases {
			t.Run(kind.Name+"/"+test.Name, func(t *testing.T) {
				t.Parallel()
				if !test.IsStream() {
					t.Skip("it is no stream")
				}
				step := 1
				if testing.Short() {
					step = 7
				}
				read := kind.Reader(t, test)
				whole := read(len(test.Body))
				for at := 0; at < len(test.Body); at += step {
					requireCut(t, kind, test, at, read(at), whole)
				}
			})
		}
	}
}

// FuzzCuts cuts streams that are made of two cases.
func FuzzCuts(f *testing.F) {
	for which := range uint8(8) {
		f.Add(which, which, which, uint16(300)*uint16(which))
	}
	f.Fuzz(func(t *testing.T, kindAt, first, second uint8, at uint16) {
		kind := providertest.Kinds[int(kindAt)%len(providertest.Kinds)]
		test, next := kind.Cases[int(first)%len(kind.Cases)], kind.Cases[int(second)%len(kind.Cases)]
		if !isEvents(test) || !isEvents(next) {
			t.Skip("not two streams of events")
		}
		test.Calls = append(test.Calls, next.Calls...)
		test.Body += next.Body
		read, end := kind.Reader(t, test), int(at)%(len(test.Body)+1)
		requireCut(t, kind, test, end, read(end), read(len(test.Body)))
	})
}

// isEvents reports whether a case is a stream of events, not JSON in place of it.
func isEvents(test providertest.Case) bool {
	return test.IsStream() && !strings.ContainsAny(test.Body[:1], "{[")
}

func requireCut(t *testing.T, kind providertest.Kind, test providertest.Case, at int, got, whole providertest.Answer) {
	t.Helper()
	require.True(t, strings.HasPrefix(whole.Text(), got.Text()), "%q was said, of %q", got.Text(), whole.Text())
	if got.Text() != "" { // what says nothing is asked for twice
		require.True(t, strings.HasPrefix(whole.Reasoning, got.Reasoning), "%q was thought, of %q", got.Reasoning, whole.Reasoning)
	}
	if got.Err != nil {
		return
	}
	if isEvents(test) {
		require.True(t, kind.IsEnded(test.Body[:at]), "a success without an end: %q", test.Body[:at])
	} else {
		require.Equal(t, whole.Text(), got.Text())
	}
	if whole.Err != nil { // it has no calls, since what follows the cut fails
		return
	}
	require.LessOrEqual(t, len(got.Calls), len(whole.Calls))
	for i, call := range got.Calls {
		require.Equal(t, whole.Calls[i], call)
	}
}
