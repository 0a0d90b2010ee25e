package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var pageRules = []rule{
	{"pages of a history have each message once, oldest first", historyPages},
	{"a page of a history has the same as the whole history", pageIsAsTheHistory},
	{"a page of a history begins before a message of the chat", pageBeforeWhat},
	{"a history has the metadata of its chat", metadataInHistory},
}

func historyPage(t *testing.T, store chat.Store, before string, limit int) wire.ChatHistoryResponse {
	t.Helper()
	page, err := store.HistoryPage(t.Context(), ann, "c1", chat.Page{Before: before, Limit: limit})
	require.NoError(t, err)
	return page
}

// exchanges stores turns in chat c1 that have ended, named 1, 2, 3 …
func exchanges(t *testing.T, store chat.Store, count int) {
	t.Helper()
	create(t, store, ann, "c1")
	for i := range count {
		turn := turnIn("c1", fmt.Sprint(i+1))
		begin(t, store, ann, turn)
		end(t, store, turn, "answer "+fmt.Sprint(i+1))
	}
}

func messageIDs(messages []wire.Message) []string {
	all := []string{}
	for _, message := range messages {
		all = append(all, message.ID)
	}
	return all
}

func historyPages(t *testing.T, store chat.Store) {
	exchanges(t, store, 3)
	begin(t, store, bob, turnInNew("bob's", "bob"))
	for limit, want := range map[int][][]string{
		1: {{"3-a"}, {"3-q"}, {"2-a"}, {"2-q"}, {"1-a"}, {"1-q"}},
		2: {{"3-q", "3-a"}, {"2-q", "2-a"}, {"1-q", "1-a"}},
		4: {{"2-q", "2-a", "3-q", "3-a"}, {"1-q", "1-a"}},
		5: {{"1-a", "2-q", "2-a", "3-q", "3-a"}, {"1-q"}},
		6: {{"1-q", "1-a", "2-q", "2-a", "3-q", "3-a"}},
		7: {{"1-q", "1-a", "2-q", "2-a", "3-q", "3-a"}},
	} {
		before := ""
		for i, ids := range want {
			page := historyPage(t, store, before, limit)
			require.Equal(t, ids, messageIDs(page.Messages), "pages of %d", limit)
			require.Equal(t, i < len(want)-1, page.HasMore, "pages of %d", limit)
			before = ids[0]
		}
	}
	require.Empty(t, historyPage(t, store, "1-q", 7).Messages)
	_, err := store.HistoryPage(t.Context(), ann, "c1", chat.Page{})
	require.Error(t, err)
}

func pageIsAsTheHistory(t *testing.T, store chat.Store) {
	exchanges(t, store, 2)
	begin(t, store, ann, again(turnIn("c1", "2"), "again"))
	open := turnIn("c1", "open")
	begin(t, store, ann, open)
	require.NoError(t, store.AppendEvents(t.Context(), held(open.StreamID), chunks(2, "so", " far")))
	require.Equal(t, history(t, store, ann, "c1"), historyPage(t, store, "", 100), "also what is being written")
}

func pageBeforeWhat(t *testing.T, store chat.Store) {
	exchanges(t, store, 2)
	begin(t, store, ann, turnInNew("c2", "other"))
	for _, before := range []string{"nobody", "other-q", "c1"} {
		_, err := store.HistoryPage(t.Context(), ann, "c1", chat.Page{Before: before, Limit: 10})
		require.ErrorIs(t, err, chat.ErrNoSuchMessage, before)
	}
	for _, scope := range []access.Scope{bob, alien} {
		_, err := store.HistoryPage(t.Context(), scope, "c1", chat.Page{Before: "1-q", Limit: 10})
		require.ErrorIs(t, err, fault.ErrNotFound)
	}
}

func metadataInHistory(t *testing.T, store chat.Store) {
	made := wire.Chat{ChatID: "c1", Name: "N", Metadata: wire.JSON(`{"b": [1, null],"a":"ä"}`), CreatedAt: 100}
	require.NoError(t, store.CreateChat(t.Context(), ann, made, nil))
	require.Equal(t, made.Metadata, history(t, store, ann, "c1").Metadata)
	require.Equal(t, made.Metadata, historyPage(t, store, "", 1).Metadata)
}
