package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/room"
)

var pageRules = []rule{
	{"pages of a history have each message once, oldest first", historyPages},
	{"a page of a history has the same as the whole history", pageIsAsTheHistory},
	{"a page of a history begins before a message of the chat", pageBeforeWhat},
	{"a history has the metadata of its chat", metadataInHistory},
	{"a page of a history is bounded in bytes", pageInBytes},
	{"the ids of siblings count as bytes of a page", siblingsInBytes},
	{"a history is read only if there is room for it", readOnlyWithRoom},
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

// sized stores turns in chat c1 whose answers have this many bytes.
func sized(t *testing.T, store chat.Store, answers, bytes int) {
	t.Helper()
	create(t, store, ann, "c1")
	for i := range answers {
		turn := turnIn("c1", fmt.Sprint(i+1))
		begin(t, store, ann, turn)
		end(t, store, turn, strings.Repeat("ä", bytes/2))
	}
}

func pageInBytes(t *testing.T, store chat.Store) {
	sized(t, store, 3, 1000)
	for _, row := range []struct {
		bytes int64
		want  [][]string
	}{
		{1, [][]string{{"3-a"}, {"3-q"}, {"2-a"}, {"2-q"}, {"1-a"}, {"1-q"}}},
		{1999, [][]string{{"3-q", "3-a"}, {"2-q", "2-a"}, {"1-q", "1-a"}}},
		{2100, [][]string{{"2-q", "2-a", "3-q", "3-a"}, {"1-q", "1-a"}}},
		{0, [][]string{{"1-q", "1-a", "2-q", "2-a", "3-q", "3-a"}}},
	} {
		for _, all := range []bool{false, true} {
			before := ""
			for i, ids := range row.want {
				page, err := store.HistoryPage(t.Context(), ann, "c1", chat.Page{Before: before, Limit: 100, Bytes: row.bytes, All: all})
				require.NoError(t, err)
				require.Equal(t, ids, messageIDs(page.Messages), "pages of %d bytes, all %t", row.bytes, all)
				require.Equal(t, i < len(row.want)-1, page.HasMore)
				before = ids[0]
			}
		}
	}
}

// Each of many answers to one question names all others.
func siblingsInBytes(t *testing.T, store chat.Store) {
	first := turnInNew("c1", "t")
	begin(t, store, ann, first)
	end(t, store, first, "")
	for n := range 39 {
		turn := again(first, fmt.Sprint("answer-", n))
		begin(t, store, ann, turn)
		end(t, store, turn, "")
	}
	seen, before := 0, ""
	for more := true; more; {
		page, err := store.HistoryPage(t.Context(), ann, "c1", chat.Page{Before: before, Limit: 100, Bytes: 3000, All: true})
		require.NoError(t, err)
		bytes := 0
		for _, m := range page.Messages {
			for _, id := range m.Siblings {
				bytes += len(id)
			}
		}
		require.Less(t, bytes, 6000)
		seen, more, before = seen+len(page.Messages), page.HasMore, page.Messages[0].ID
	}
	require.Equal(t, 41, seen, "each message is on one page")
}

// What is stored is counted before it is read, also the calls of an answer and what is being written.
func readOnlyWithRoom(t *testing.T, store chat.Store) {
	sized(t, store, 2, 5000)
	open := turnIn("c1", "open")
	begin(t, store, ann, open)
	require.NoError(t, store.AppendEvents(t.Context(), held(open.StreamID), chunks(2, strings.Repeat("a", 7000))))
	full := errors.New("there is no room")
	asked := int64(0)
	ctx := room.With(t.Context(), func(bytes int64) error {
		asked += bytes
		return full
	})
	_, err := store.HistoryPage(ctx, ann, "c1", chat.Page{Limit: 10})
	require.ErrorIs(t, err, full)
	require.Greater(t, asked, int64(17_000))
	require.Less(t, asked, int64(30_000))
	asked = 0
	_, err = store.Message(ctx, ann, "c1", "2-a")
	require.ErrorIs(t, err, full)
	require.GreaterOrEqual(t, asked, int64(5000))
	require.Less(t, asked, int64(8000))
}
