package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var orderRules = []rule{
	{"chats are listed newest activity first", newestFirst},
	{"ending an answer and rating it move nothing", endingMovesNothing},
	{"pages follow each other until there is no more", pagesFollow},
	{"a list without chats is an empty page", emptyPage},
	{"cursors are in the order of activity", cursorsCount},
	{"a number of the order is never reused", numbersAreNotReused},
	{"paging while chats move shows none twice and leaves out none that did not move", pagingWhileMoving},
}

func newestFirst(t *testing.T, store chat.Store) {
	create(t, store, ann, "made", "named", "renamed", "asked", "last")
	begin(t, store, ann, turnIn("asked", "t"))
	require.Equal(t, "asked last renamed named made", listed(t, store, ann))
	require.EqualValues(t, 200, list(t, store, ann)[0].UpdatedAt, "the time of the question")
	require.EqualValues(t, 100, list(t, store, ann)[0].CreatedAt)

	require.NoError(t, rename(t.Context(), store, ann, "renamed", "N", 50))
	require.Equal(t, "renamed asked last named made", listed(t, store, ann), "the order does not depend on the clock")
	require.EqualValues(t, 50, list(t, store, ann)[0].UpdatedAt)

	named := turnIn("named", "n")
	begin(t, store, ann, named)
	create(t, store, ann, "later")
	requireNamed(t, store, named, "N", true)
	require.Equal(t, "named later renamed asked last made", listed(t, store, ann))
	require.EqualValues(t, 300, list(t, store, ann)[0].UpdatedAt)

	begin(t, store, ann, turnInNew("new", "m"))
	require.Equal(t, "new named later renamed asked last made", listed(t, store, ann))
	require.Equal(t, wire.Chat{ChatID: "new", Name: chat.Untitled, CreatedAt: 199, UpdatedAt: 200}, list(t, store, ann)[0])
}

func endingMovesNothing(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	create(t, store, ann, "c2")
	before := list(t, store, ann)
	require.NoError(t, store.AppendEvents(t.Context(), held("t-s"), chunks(2, "x")))
	end(t, store, turn, "x")
	require.NoError(t, store.SetFeedback(t.Context(), ann, "c1", "t-a", true))
	require.Equal(t, before, list(t, store, ann))
}

func pagesFollow(t *testing.T, store chat.Store) {
	for _, scope := range []access.Scope{ann, bob} {
		for i := range 5 {
			create(t, store, scope, fmt.Sprintf("%s-%d", scope.UserID, i))
		}
	}
	tests := []struct {
		name  string
		scope access.Scope
		limit int
		want  []string
	}{
		{"the last page is short", ann, 2, []string{"ann-4 ann-3", "ann-2 ann-1", "ann-0"}},
		{"the last page is full", ann, 5, []string{"ann-4 ann-3 ann-2 ann-1 ann-0"}},
		{"another user's chats are in between", bob, 4, []string{"bob-4 bob-3 bob-2 bob-1", "bob-0"}},
		{"of all users", key, 6, []string{"bob-4 bob-3 bob-2 bob-1 bob-0 ann-4", "ann-3 ann-2 ann-1 ann-0"}},
		{"one at a time", ann, 1, []string{"ann-4", "ann-3", "ann-2", "ann-1", "ann-0"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, pages(t, store, test.scope, test.limit, func() {}))
		})
	}
}

// pages follows the list to its end and calls between after each page.
func pages(t *testing.T, store chat.Store, scope access.Scope, limit int, between func()) []string {
	t.Helper()
	var all []string
	for cursor := int64(0); ; {
		page, err := store.ListChats(t.Context(), scope, cursor, limit)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Chats), limit)
		all = append(all, ids(page.Chats))
		if !page.HasMore {
			require.Zero(t, page.NextCursor, "the last page has no cursor")
			return all
		}
		require.Positive(t, page.NextCursor)
		require.True(t, cursor == 0 || page.NextCursor < cursor, "cursors go down")
		cursor = page.NextCursor
		between()
	}
}

func emptyPage(t *testing.T, store chat.Store) {
	empty := wire.ListChatsResponse{Chats: []wire.Chat{}}
	page, err := store.ListChats(t.Context(), ann, 0, 30)
	require.NoError(t, err)
	require.Equal(t, empty, page, "chats are empty, not nil")

	create(t, store, ann, "c1")
	page, err = store.ListChats(t.Context(), ann, 1, 30)
	require.NoError(t, err)
	require.Equal(t, empty, page, "below the first number there is nothing")
}

func cursorsCount(t *testing.T, store chat.Store) {
	create(t, store, alien, "e1", "e2", "e3")
	create(t, store, ann, "c1")
	create(t, store, bob, "c2")
	begin(t, store, ann, turnInNew("c3", "t"))
	before := cursors(t, store, key)
	require.NoError(t, rename(t.Context(), store, bob, "c2", "N", 1))
	begin(t, store, ann, turnIn("c1", "u"))
	require.ErrorIs(t, store.DeleteChat(t.Context(), ann, "?", 300), fault.ErrNotFound)
	after := cursors(t, store, key)
	require.Len(t, after, 2, "c1, c2 and, on the last page, c3")
	require.IsDecreasing(t, after)
	require.Greater(t, after[1], before[0], "each activity has a higher number than all before it")
	require.Len(t, cursors(t, store, alien), 2)
	require.IsDecreasing(t, cursors(t, store, alien))
}

// cursors are the cursors of pages of one chat each.
func cursors(t *testing.T, store chat.Store, scope access.Scope) []int64 {
	t.Helper()
	var all []int64
	for cursor := int64(0); ; {
		page, err := store.ListChats(t.Context(), scope, cursor, 1)
		require.NoError(t, err)
		if !page.HasMore {
			return all
		}
		cursor = page.NextCursor
		all = append(all, cursor)
	}
}

func numbersAreNotReused(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1", "c2", "c3")
	before := cursors(t, store, ann)
	require.NoError(t, store.DeleteChat(t.Context(), ann, "c3", 300))
	require.NoError(t, store.DeleteChat(t.Context(), ann, "c2", 300))
	create(t, store, ann, "c4")
	after := cursors(t, store, ann)
	require.Len(t, after, 1)
	require.Greater(t, after[0], before[0])
}

func pagingWhileMoving(t *testing.T, store chat.Store) {
	for i := range 20 {
		create(t, store, ann, fmt.Sprintf("still-%02d", i), fmt.Sprintf("moving-%02d", i))
	}
	seen, moved := map[string]int{}, 0
	for _, page := range pages(t, store, ann, 3, func() {
		begin(t, store, ann, turnIn(fmt.Sprintf("moving-%02d", moved%20), fmt.Sprint("t", moved)))
		require.NoError(t, rename(t.Context(), store, ann, fmt.Sprintf("moving-%02d", 19-moved%20), "N", 1))
		moved++
	}) {
		for _, id := range strings.Fields(page) {
			seen[id]++
		}
	}
	for id, times := range seen {
		require.Equal(t, 1, times, id)
	}
	for i := range 20 {
		require.Contains(t, seen, fmt.Sprintf("still-%02d", i))
	}
}
