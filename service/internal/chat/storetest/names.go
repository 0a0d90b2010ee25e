package storetest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

var nameRules = []rule{
	{"the end of an answer names an untitled chat once", untitledIsNamedOnce},
	{"a name that a user chose stays", chosenNameStays},
	{"of many answers that end in a chat only one names it", oneNames},
	{"an answer that ends without a name names nothing", noName},
}

func untitledIsNamedOnce(t *testing.T, store chat.Store) {
	create(t, store, ann, "made")
	one, two := turnIn("made", "one"), turnIn("made", "two")
	begin(t, store, ann, one, two)
	begun, again := turnInNew("begun", "begun"), turnIn("begun", "again")
	begin(t, store, ann, begun, again)
	for _, turns := range [][2]chat.Turn{{one, two}, {begun, again}} {
		chatID := turns[0].Question.ChatID
		requireNamed(t, store, turns[0], "First", true)
		require.Equal(t, "First", history(t, store, ann, chatID).Name)
		requireNamed(t, store, turns[1], "Second", false)
		require.Equal(t, "First", history(t, store, ann, chatID).Name)
	}
}

func chosenNameStays(t *testing.T, store chat.Store) {
	require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "given", Name: "Given"}, nil))
	create(t, store, ann, "renamed", "kept untitled")
	require.NoError(t, store.RenameChat(t.Context(), ann, "renamed", "Chosen", 1))
	require.NoError(t, store.RenameChat(t.Context(), ann, "kept untitled", chat.Untitled, 1))
	for _, chatID := range []string{"given", "renamed", "kept untitled"} {
		begin(t, store, ann, turnIn(chatID, chatID))
	}
	before := list(t, store, ann)
	for _, chatID := range []string{"given", "renamed", "kept untitled"} {
		requireNamed(t, store, turnIn(chatID, chatID), "By itself", false)
	}
	require.Equal(t, before, list(t, store, ann), "a name that was not set moves nothing")
}

// requireNamed ends a turn of turnIn with a name for its chat, and requires its
// events to say whether the chat got it.
func requireNamed(t *testing.T, store chat.Store, turn chat.Turn, name string, want bool) {
	t.Helper()
	end := chat.End{At: 300, Name: name, Events: []chat.Event{
		{Type: wire.EventMessageObject, Data: []byte("{}")}, {Type: wire.EventChatName, Data: []byte("{}")}, {Type: wire.EventEnd, Data: []byte("{}")},
	}}
	require.NoError(t, store.EndTurn(t.Context(), held(turn.StreamID), ended(turn, "x"), &end))
	told := "1 start, 2 message_object, 3 end"
	types := []string{wire.EventMessageObject, wire.EventEnd}
	if want {
		told = "1 start, 2 message_object, 3 chat_name, 4 end"
		types = slices.Insert(types, 1, wire.EventChatName)
	}
	var stored []chat.Event
	for i, kind := range types {
		stored = append(stored, chat.Event{ID: int64(i + 2), Type: kind, Data: []byte("{}")})
	}
	require.Equal(t, told, eventsOf(t, store, turn.StreamID))
	require.Equal(t, stored, end.Events, "the caller is told what was stored")
}

func oneNames(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1")
	var did atomic.Int32
	var all sync.WaitGroup
	for i := range 8 {
		turn := turnIn("c1", fmt.Sprint(i))
		begin(t, store, ann, turn)
		all.Go(func() {
			end := chat.End{At: 300, Name: "N", Events: []chat.Event{{Type: wire.EventChatName, Data: []byte("{}")}}}
			if err := store.EndTurn(t.Context(), held(turn.StreamID), ended(turn, "x"), &end); err == nil && len(end.Events) == 1 {
				did.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, did.Load())
}

func noName(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	end(t, store, turn, "x")
	require.Equal(t, chat.Untitled, history(t, store, ann, "c1").Name)
}
