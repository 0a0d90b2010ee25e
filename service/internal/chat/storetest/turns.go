package storetest

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var turnRules = []rule{
	{"a turn can make its chat", turnMakesChat},
	{"a turn without events begins a stream too", turnWithoutEvents},
	{"a turn that is refused stores nothing", refusedTurns},
}

func turnMakesChat(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	turn.NewChat.DocumentKeys, turn.NewChat.Name = []string{"d1"}, "Given"
	begin(t, store, ann, turn)
	want := wire.Chat{ChatID: "c1", Name: "Given", DocumentKeys: []string{"d1"}, CreatedAt: 199, UpdatedAt: 200}
	require.Equal(t, []wire.Chat{want}, list(t, store, ann), "its owner is the scope")
	require.Empty(t, list(t, store, bob))
	require.Equal(t, []string{"question t", ""}, contents(t, store, "c1"))
}

func turnWithoutEvents(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	turn.Events = nil
	begin(t, store, ann, turn)
	require.NoError(t, store.AppendEvents(t.Context(), held("t-s"), chunks(1, "first")))
	require.Equal(t, "first", answerOf(t, store, turn).Content)
}

func refusedTurns(t *testing.T, store chat.Store) {
	begin(t, store, ann, turnInNew("ann's", "a"))
	begin(t, store, bob, turnInNew("bob's", "b"))
	begin(t, store, key, turnInNew("nobody's", "n"))
	before, elsewhere := everything(t, store), access.Scope{ProjectID: "elsewhere"}
	tests := []struct {
		name     string
		scope    access.Scope
		turn     chat.Turn
		notFound bool
	}{
		{"an unknown chat", ann, turnIn("c?", "t"), true},
		{"an unknown chat, for an API key", key, turnIn("c?", "t"), true},
		{"another user's chat", ann, turnIn("bob's", "t"), true},
		{"nobody's chat", ann, turnIn("nobody's", "t"), true},
		{"another project's chat", elsewhere, turnIn("ann's", "t"), true},
		{"a chat to make that exists", ann, turnInNew("ann's", "t"), false},
		{"a chat to make that is another user's", ann, turnInNew("bob's", "t"), false},
		{"a question's id that is taken", ann, with(turnInNew("new", "t"), func(t *chat.Turn) { t.Question.ID = "a-q" }), false},
		{"an answer's id that is taken", ann, with(turnIn("ann's", "t"), func(t *chat.Turn) { t.Answer.ID = "b-a" }), false},
		{"one id for both messages", ann, with(turnInNew("new", "t"), func(t *chat.Turn) { t.Answer.ID = t.Question.ID }), false},
		{"a stream that exists", ann, with(turnInNew("new", "t"), func(t *chat.Turn) { t.StreamID = "b-s" }), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := store.BeginTurn(t.Context(), test.scope, test.turn)
			require.Error(t, err)
			require.Equal(t, test.notFound, errors.Is(err, fault.ErrNotFound), err)
			require.Equal(t, before, everything(t, store))
			require.ErrorIs(t, store.AppendEvents(t.Context(), held("t-s"), nil), fault.ErrNotFound, "there is no such stream")
		})
	}
	require.Empty(t, list(t, store, elsewhere))
	begin(t, store, ann, turnInNew("new", "t"))
	require.Len(t, cursors(t, store, key), 3)
	require.IsDecreasing(t, cursors(t, store, key))
}

func with(turn chat.Turn, change func(*chat.Turn)) chat.Turn {
	change(&turn)
	return turn
}
