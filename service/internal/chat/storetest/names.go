package storetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var nameRules = []rule{
	{"the end of an answer names an untitled chat once", untitledIsNamedOnce},
	{"a name that a user chose stays", chosenNameStays},
	{"of many answers that end in a chat only one names it", oneNames},
	{"an answer that ends without a name names nothing", noName},
	{"a rename is told in the open streams of the chat", renameIsTold},
	{"a rename is told once, whoever else names or writes", renameIsToldOnce},
}

// rename renames a chat.
func rename(ctx context.Context, store chat.Store, scope access.Scope, chatID, name string, at float64) error {
	_, err := store.RenameChat(ctx, scope, chatID, name, at)
	return err
}

func renameIsTold(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1", "c2")
	open, over, other := turnIn("c1", "open"), turnIn("c1", "over"), turnIn("c2", "other")
	begin(t, store, ann, open, over, other)
	begin(t, store, key, turnIn("c1", "ours"))
	require.NoError(t, store.EndTurn(t.Context(), held(over.StreamID), ended(over, "x"), &chat.End{At: 300}))
	require.NoError(t, store.AppendEvents(t.Context(), held(open.StreamID), chunks(2, "a")))
	before := eventsOf(t, store, over.StreamID)
	told, err := store.RenameChat(t.Context(), ann, "c1", "Mine", 400)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{open.StreamID, "ours-s"}, told)
	next := chunks(4, "b")
	require.NoError(t, store.AppendEvents(t.Context(), held(open.StreamID), next))
	require.EqualValues(t, 4, next[0].ID, "the writer goes on behind it")
	require.Equal(t, "1 start, 2 chunk, 3 chat_name, 4 chunk", eventsOf(t, store, open.StreamID))
	require.Equal(t, "1 start, 2 chat_name", eventsOf(t, store, "ours-s"))
	require.Equal(t, before, eventsOf(t, store, over.StreamID), "an answer that has ended tells nothing more")
	require.Equal(t, "1 start", eventsOf(t, store, other.StreamID))
	events, err := store.Events(t.Context(), open.StreamID, 2, 1)
	require.NoError(t, err)
	require.JSONEq(t, `{"name":"Mine"}`, string(events[0].Data))

	_, err = store.RenameChat(t.Context(), bob, "c1", "His", 500)
	require.ErrorIs(t, err, fault.ErrNotFound)
	require.Equal(t, "1 start, 2 chunk, 3 chat_name, 4 chunk", eventsOf(t, store, open.StreamID), "nobody else is told a name")
}

// The end of an answer names its chat, or somebody else has done so: never both.
func renameIsToldOnce(t *testing.T, store chat.Store) {
	for i := range 8 {
		id := fmt.Sprint(i)
		create(t, store, ann, id)
		turn := turnIn(id, "t"+id)
		begin(t, store, ann, turn)
		var all sync.WaitGroup
		all.Go(func() { assert.NoError(t, rename(t.Context(), store, ann, id, "Mine", 400)) })
		all.Go(func() { assert.NoError(t, store.AppendEvents(t.Context(), held(turn.StreamID), chunks(2, "a"))) })
		all.Wait()
		end := chat.End{At: 500, Name: "Its", Events: []chat.Event{chat.NameEvent("Its"), {Type: wire.EventEnd, Data: []byte("{}")}}}
		all.Go(func() { assert.NoError(t, rename(t.Context(), store, ann, id, "Again", 400)) })
		all.Go(func() { assert.NoError(t, store.EndTurn(t.Context(), held(turn.StreamID), ended(turn, "a"), &end)) })
		all.Wait()
		events, err := store.Events(t.Context(), turn.StreamID, 0, 9)
		require.NoError(t, err)
		var names []string
		for i, event := range events {
			require.EqualValues(t, i+1, event.ID)
			if event.Type == wire.EventChatName {
				names = append(names, string(event.Data))
			}
		}
		require.Subset(t, []string{`{"name":"Mine"}`, `{"name":"Again"}`}, names)
		require.Contains(t, names, `{"name":"Mine"}`)
		require.Equal(t, wire.EventEnd, events[len(events)-1].Type)
	}
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
	require.NoError(t, rename(t.Context(), store, ann, "renamed", "Chosen", 1))
	require.NoError(t, rename(t.Context(), store, ann, "kept untitled", chat.Untitled, 1))
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
