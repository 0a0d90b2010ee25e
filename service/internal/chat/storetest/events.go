package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var eventRules = []rule{
	{"events are added in their order", eventsAreAdded},
	{"events get the next ids, whatever they had", idsComeFromTheStore},
	{"a stream that does not exist is not found", unknownStream},
	{"a thousand events are one transaction", manyEvents},
}

func eventsAreAdded(t *testing.T, store chat.Store) {
	one, two := turnInNew("c1", "one"), turnIn("c1", "two")
	begin(t, store, ann, one, two)
	for i := range int64(12) { // past 9, where the order of text would differ
		require.NoError(t, store.AppendEvents(t.Context(), held("one-s"), chunks(2+2*i, fmt.Sprint(i), ",")))
		require.NoError(t, store.AppendEvents(t.Context(), held("two-s"), chunks(2+i, "x")))
		require.NoError(t, store.AppendEvents(t.Context(), held("one-s"), nil))
	}
	require.Equal(t, "0,1,2,3,4,5,6,7,8,9,10,11,", answerOf(t, store, one).Content)
	require.Equal(t, "xxxxxxxxxxxx", answerOf(t, store, two).Content)
}

func idsComeFromTheStore(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	events := append(chunks(7, "a"), chunks(0, "b")...)
	require.NoError(t, store.AppendEvents(t.Context(), held("t-s"), events))
	require.Equal(t, chunks(2, "a", "b"), events, "the caller is told")
	more := chunks(2, "c")
	require.NoError(t, store.AppendEvents(t.Context(), held("t-s"), more))
	require.EqualValues(t, 4, more[0].ID)
	require.Equal(t, "1 start, 2 chunk, 3 chunk, 4 chunk", eventsOf(t, store, "t-s"))
}

func unknownStream(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	before := everything(t, store)
	for _, id := range []string{"", "T-S", "t-a", "t-s "} {
		require.ErrorIs(t, store.AppendEvents(t.Context(), held(id), chunks(2, "x")), fault.ErrNotFound)
		require.ErrorIs(t, store.EndTurn(t.Context(), held(id), ended(turn, "x"), &chat.End{At: 300}), fault.ErrNotFound)
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
	require.NoError(t, store.AppendEvents(t.Context(), held("t-s"), events))
	require.Equal(t, joined, answerOf(t, store, turn).Content)
}
