package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// saying is a model whose answers have this many bytes.
func saying(up *setup, bytes int) {
	up.provider = say(answering.Piece{Text: strings.Repeat("word ", bytes/5), FinishReason: wire.FinishStop})
}

// TestARefusedAnswerIsNotRead asks for large answers while the user has no room. What is refused may not
// have been read: a request costs its sender nothing.
func TestARefusedAnswerIsNotRead(t *testing.T) { // not parallel: allocations of other tests would count
	synctest.Test(t, func(t *testing.T) {
		s := start(t, func(up *setup) {
			saying(up, 1<<20)
			up.http.Limits.BytesInFlightPerUser, up.http.Limits.DocumentBytes, up.knowledge.Bytes = 150<<10, 4<<20, 4<<20
		})
		chatID := s.newChat("ann").ChatID
		for range 3 {
			decode[wire.SendMessageResponse](t, s.send(as("ann"), field{name: "chat_id", value: chatID}))
		}
		key := s.upload(as("ann"), "a.txt", strings.Repeat("Paris is nice. ", 200_000)[:100<<10])
		s.readDue()
		var all []wire.Memory
		for i := range 500 {
			one := pending(fmt.Sprint("likes ", i))
			one.TriggeringMessage = strings.Repeat("x", 8000)
			all = append(all, one)
		}
		s.remember("assistant", "ann", all...)
		path := "/project/demo/chat/" + chatID
		last := s.historyOf(chatID)[1]
		s.listen(t).unfinished(t, "ann", 100)
		for _, target := range []string{
			path + "/all", path + "/all?branches=all", path + "/message/" + last.ID, getPath(key),
			"/agents/assistant/memories/user/ann", "/agents/assistant/memories", "/memory-approvals/pending",
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w := s.do("GET", target, as("ann"), "")
			runtime.ReadMemStats(&after)
			noRoom(t, w, 429, wire.CodeQuotaExceeded)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(700<<10), target)
		}
	})
}

// TestAHistoryIsPagedInBytes reads a history of 22 MiB in pages of at most 10 MiB.
func TestAHistoryIsPagedInBytes(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { saying(up, 1<<20) })
	chatID := s.newChat("ann").ChatID
	for range 21 {
		decode[wire.SendMessageResponse](t, s.send(as("ann"), field{name: "chat_id", value: chatID}))
	}
	path := "/project/demo/chat/" + chatID + "/all"
	var ids []string
	for before := ""; ; {
		w := s.do("GET", path+before, as("ann"), "")
		require.Equal(t, http.StatusOK, w.Code)
		require.Less(t, w.Body.Len(), 11<<20)
		require.Equal(t, fmt.Sprint(w.Body.Len()), w.Header().Get("Content-Length"))
		page := decode[wire.ChatHistoryResponse](t, w)
		require.Equal(t, page.HasMore && before == "", w.Header().Get("X-Has-More") == "true")
		for i := range page.Messages {
			ids = append(ids, page.Messages[len(page.Messages)-1-i].ID)
		}
		if !page.HasMore {
			break
		}
		before = "?before=" + page.Messages[0].ID
	}
	require.Len(t, ids, 44, "each message is on one page")
}

// TestAnswersAreEncodedAsEver compares what is encoded in parts with encoding/json.
func TestAnswersAreEncodedAsEver(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) {
		up.provider = say(answering.Piece{Text: "\"text\":\"\" <b>&\u2028 😀\x01", FinishReason: wire.FinishStop})
		up.http.Limits.DocumentBytes, up.knowledge.Bytes = 1<<20, 1<<20
	})
	chat := s.newChat("ann")
	text := strings.Repeat("a😀\"<\u2028\n", 20_000) + `"text":"","passages":[]`
	key := s.upload(as("ann"), `"text":"".txt`, text)
	s.readDue()
	s.remember("assistant", "ann", pending("likes <x>"), pending("hates ü"))
	for target, value := range map[string]any{
		"/project/demo/chat/" + chat.ChatID + "/all": &wire.ChatHistoryResponse{},
		getPath(key):                                  &wire.Document{},
		"/agents/assistant/memories/user/ann":         &[]wire.Memory{},
		"/agents/assistant/memories/user/ann?limit=5": &wire.ListUserMemoriesResponse{},
		"/memory-approvals/pending":                   &wire.ListPendingMemoriesResponse{},
		"/tool-calls":                                 &wire.ListToolCallsResponse{},
	} {
		got := s.get(as("ann"), target)
		require.NoError(t, json.Unmarshal([]byte(got), value), target)
		var want strings.Builder
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		require.NoError(t, encoder.Encode(value))
		require.True(t, strings.TrimSuffix(want.String(), "\n") == got, target)
	}
}
