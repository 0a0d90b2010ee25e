package sdk_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
)

func TestAllChatsPages(t *testing.T) {
	t.Parallel()
	client, script := openPage(t,
		jsonReply(`{"chats":[{"chat_id":"c5"},{"chat_id":"c4"}],"next_cursor":4,"has_more":true}`),
		jsonReply(`{"chats":[],"next_cursor":3,"has_more":true}`),
		jsonReply(`{"chats":[{"chat_id":"c2"}],"has_more":false}`))
	var ids []string
	for chat, err := range client.AllChats(t.Context(), sdk.ListChatsOptions{Cursor: 6, Limit: 2}) {
		require.NoError(t, err)
		ids = append(ids, chat.ChatID)
	}
	require.Equal(t, []string{"c5", "c4", "c2"}, ids)
	require.Equal(t, []string{
		"https://api.example.com/project/p1/chat?cursor=6&limit=2",
		"https://api.example.com/project/p1/chat?cursor=4&limit=2",
		"https://api.example.com/project/p1/chat?cursor=3&limit=2",
	}, urls(script))
}

func urls(s *script) []string {
	var list []string
	for _, request := range s.requests {
		list = append(list, request.URL)
	}
	return list
}

func TestAllChatsFetchesOnlyThePagesThatAreNeeded(t *testing.T) {
	t.Parallel()
	client, script := openPage(t, jsonReply(`{"chats":[{"chat_id":"c2"},{"chat_id":"c1"}],"next_cursor":1,"has_more":true}`))
	all := client.AllChats(t.Context(), sdk.ListChatsOptions{})
	require.Empty(t, script.requests, "before the first chat is asked for")
	for chat, err := range all {
		require.NoError(t, err)
		require.Equal(t, "c2", chat.ChatID)
		break
	}
	require.Len(t, script.requests, 1)
}

func TestAllChatsCanBeUsedTwice(t *testing.T) {
	t.Parallel()
	page := `{"chats":[{"chat_id":"c1"}],"has_more":false}`
	client, script := openPage(t, jsonReply(page), jsonReply(page))
	all := client.AllChats(t.Context(), sdk.ListChatsOptions{})
	for range 2 {
		for chat, err := range all {
			require.NoError(t, err)
			require.Equal(t, "c1", chat.ChatID)
		}
	}
	require.Equal(t, []string{"https://api.example.com/project/p1/chat", "https://api.example.com/project/p1/chat"}, urls(script))
}

func TestAllChatsEndsWithAnError(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	client, script := openPage(t, jsonReply(`{"chats":[{"chat_id":"c2"}],"next_cursor":2}`), reply{err: gone})
	var errs []error
	for _, err := range client.AllChats(t.Context(), sdk.ListChatsOptions{}) {
		errs = append(errs, err)
	}
	require.Len(t, errs, 2)
	require.NoError(t, errs[0])
	require.ErrorIs(t, errs[1], gone)
	require.Regexp(t, "^allChats: ", errs[1].Error())
	require.Len(t, script.requests, 2)
	for _, err := range client.AllChats(t.Context(), sdk.ListChatsOptions{Limit: sdk.MaxChats + 1}) {
		require.EqualError(t, err, "allChats: limit is 101, want 1 to 100")
	}
}

func TestAllChatsStopsAtARepeatedCursor(t *testing.T) {
	t.Parallel()
	page := `{"chats":[{"chat_id":"c1"}],"next_cursor":5,"has_more":true}`
	client, script := openPage(t, jsonReply(page), jsonReply(page))
	for _, err := range client.AllChats(t.Context(), sdk.ListChatsOptions{}) {
		require.NoError(t, err)
	}
	require.Len(t, script.requests, 2)
}
