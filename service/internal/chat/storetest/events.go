package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/chat"
)

var eventRules = []rule{
	{"events are added in their order", eventsAreAdded},
	{"events that are not the next ones are refused whole", eventsOutOfOrder},
	{"a stream that does not exist is not found", unknownStream},
	{"a thousand events are one transaction", manyEvents},
}

func eventsAreAdded(t *testing.T, store chat.Store) {
	one, two := turnInNew("c1", "one"), turnIn("c1", "two")
	begin(t, store, ann, one, two)
	for i := range int64(12) { // past 9, where text would be ordered otherwise
		require.NoError(t, store.AppendEvents(t.Context(), "one-s", chunks(2+2*i, fmt.Sprint(i), ",")))
		require.NoError(t, store.AppendEvents(t.Context(), "two-s", chunks(2+i, "x")))
		require.NoError(t, store.AppendEvents(t.Context(), "one-s", nil))
	}
	require.Equal(t, "0,1,2,3,4,5,6,7,8,9,10,11,", answerOf(t, store, one).Content)
	require.Equal(t, "xxxxxxxxxxxx", answerOf(t, store, two).Content)
}

func eventsOutOfOrder(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	require.NoError(t, store.AppendEvents(t.Context(), "t-s", chunks(2, "a", "b")))
	tests := []struct {
		name   string
		events []chat.Event
	}{
		{"one that is there", chunks(3, "x")},
		{"a gap", chunks(5, "x")},
		{"a gap in the middle", append(chunks(4, "x"), chunks(6, "y")...)},
		{"the same twice", append(chunks(4, "x"), chunks(4, "y")...)},
		{"backwards", append(chunks(5, "x"), chunks(4, "y")...)},
		{"nought", chunks(0, "x")},
		{"below nought", chunks(-1, "x")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := store.AppendEvents(t.Context(), "t-s", test.events)
			require.Error(t, err)
			require.NotErrorIs(t, err, chat.ErrNotFound)
			require.Equal(t, "ab", answerOf(t, store, turn).Content)
		})
	}
	require.NoError(t, store.AppendEvents(t.Context(), "t-s", chunks(4, "c")))
	require.Equal(t, "abc", answerOf(t, store, turn).Content)
}

func unknownStream(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	before := everything(t, store)
	for _, id := range []string{"", "T-S", "t-a", "t-s "} {
		require.ErrorIs(t, store.AppendEvents(t.Context(), id, chunks(2, "x")), chat.ErrNotFound)
		require.ErrorIs(t, store.EndTurn(t.Context(), id, ended(turn, "x"), chat.End{At: 300}), chat.ErrNotFound)
	}
	require.Equal(t, before, everything(t, store))
}

func manyEvents(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	texts, joined := make([]string, 1000), ""
	for i := range texts {
		texts[i] = fmt.Sprint(i, " ")
		joined += texts[i]
	}
	events := chunks(2, texts...)
	events[999].ID++
	require.Error(t, store.AppendEvents(t.Context(), "t-s", events))
	require.Empty(t, answerOf(t, store, turn).Content, "the last one was wrong, so none is stored")
	events[999].ID--
	require.NoError(t, store.AppendEvents(t.Context(), "t-s", events))
	require.Equal(t, joined, answerOf(t, store, turn).Content)
}
