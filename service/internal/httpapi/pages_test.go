package httpapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// many stores memories of a user, named after the user.
func (s *service) many(user string, count int) {
	var all []wire.Memory
	for i := range count {
		all = append(all, pending(fmt.Sprint(user, " ", i)))
	}
	s.remember("assistant", user, all...)
}

// pageOf is a page of one of the three lists of memories.
type pageOf struct {
	ids  []string
	next string
	more bool
}

// memoryLists read a page of each list, which holds the memories of ann.
var memoryLists = map[string]func(s *service, query string) pageOf{
	"listMemories": func(s *service, query string) pageOf {
		list := decode[wire.ListMemoriesResponse](s.t, s.do("GET", "/agents/assistant/memories?user_id=ann"+query, asServer(), ""))
		require.Equal(s.t, len(list.MemoriesByUser["ann"]), list.TotalMemories, "in this answer")
		return pageOf{ids(list.MemoriesByUser["ann"]), list.NextCursor, list.HasMore}
	},
	"listUserMemories": func(s *service, query string) pageOf {
		list := decode[wire.ListUserMemoriesResponse](s.t, s.do("GET", "/agents/assistant/memories/user/ann?x=1"+query, as("ann"), ""))
		return pageOf{ids(list.Memories), list.NextCursor, list.HasMore}
	},
	"listPendingMemories": func(s *service, query string) pageOf {
		list := decode[wire.ListPendingMemoriesResponse](s.t, s.do("GET", "/memory-approvals/pending?x=1"+query, as("ann"), ""))
		require.Equal(s.t, len(list.Approvals), list.Total, "in this answer")
		return pageOf{ids(list.Approvals), list.NextCursor, list.HasMore}
	},
}

func TestMemoriesInPages(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.many("ann", 7)
	s.many("bob", 3)
	for name, read := range memoryLists {
		var got []string
		query := "&limit=3"
		for turn, size := range []int{3, 3, 1} {
			page := read(s, query)
			require.Len(t, page.ids, size, name)
			require.Equal(t, turn < 2, page.more, name)
			got = append(got, page.ids...)
			query = "&limit=3&cursor=" + url.QueryEscape(page.next)
		}
		require.Equal(t, []string{"ann 6", "ann 5", "ann 4", "ann 3", "ann 2", "ann 1", "ann 0"}, got, name)
		require.Equal(t, pageOf{ids: got}, read(s, "&limit=7"), name)
	}
}

func TestListsWithoutPagingHaveUpTo1000(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.many("ann", 1000)
	paths := []string{"/agents/assistant/memories", "/agents/assistant/memories/user/ann", "/memory-approvals/pending"}
	for _, path := range paths {
		w := s.do("GET", path, as("ann"), "")
		require.Equal(t, 1000, strings.Count(w.Body.String(), `"memory_content"`), path)
		require.NotContains(t, w.Header(), "X-Has-More", path)
	}
	s.remember("assistant", "ann", pending("one more"))
	for _, path := range paths {
		w := s.do("GET", path, as("ann"), "")
		require.Equal(t, 1000, strings.Count(w.Body.String(), `"memory_content"`), path)
		require.Equal(t, "true", w.Header().Get("X-Has-More"), path)
		w = s.do("GET", path+"?limit=1000", as("ann"), "")
		require.Contains(t, w.Body.String(), `"has_more":true`)
		require.NotContains(t, w.Header(), "X-Has-More", "a client that asked for a page reads its fields")
	}
	require.True(t, strings.HasPrefix(s.get(as("ann"), paths[1]), "["), "a bare array")
	require.Equal(t, pageOf{ids: []string{"ann 0"}}, memoryLists["listUserMemories"](s,
		"&cursor="+memoryLists["listUserMemories"](s, "&limit=1000").next))
}

func TestInvalidPages(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.many("ann", 3)
	for range 2 {
		s.upload(asServer(), "note.md", "# A note")
	}
	list := s.listed(asServer(), `{"limit":1}`)
	require.True(t, list.HasMore)
	ours := memoryLists["listMemories"](s, "&limit=1").next
	require.NotEmpty(t, ours)
	lists := []string{"/agents/assistant/memories", "/agents/assistant/memories/user/ann", "/memory-approvals/pending"}
	cursors := []string{"", "1", "x", "%00", "AQ", "AQA", "AQAA", "AYCAgICAgICAgIAB", "!", ours + "A", ours + "=", ours + "%0A", list.NextCursor, "AYEA"}
	for _, path := range lists {
		for _, cursor := range cursors {
			refusal(t, s.do("GET", path+"?cursor="+cursor, as("ann"), ""), 400, wire.CodeValidation, "cursor")
		}
		refusal(t, s.do("GET", path+"?cursor="+ours+"&cursor="+ours, as("ann"), ""), 400, wire.CodeValidation, "cursor")
		for _, limit := range []string{"0", "1001", "-1", "ten", "", "1&limit=2"} {
			refusal(t, s.do("GET", path+"?limit="+limit, as("ann"), ""), 400, wire.CodeValidation, "limit")
		}
		own := decode[struct {
			Next string `json:"next_cursor"`
		}](t, s.do("GET", path+"?limit=1", as("ann"), "")).Next
		require.Equal(t, 200, s.do("GET", path+"?limit=1000&cursor="+own, as("ann"), "").Code)
	}
	for body, fields := range map[string][]string{
		`{"cursor":"x"}`: {"cursor"}, `{"cursor":"` + ours + `"}`: {"cursor"}, `{"limit":0}`: {"limit"}, `{"limit":101}`: {"limit"},
		`{"cursor":"` + list.NextCursor + `","page":1}`: {"cursor", "page"}, `{"limit":1,"items_per_page":1}`: {"limit", "items_per_page"},
		`{"cursor":1}`: {"cursor"},
	} {
		refusal(t, s.do("POST", "/v3/project/demo/knowledgebase", asServer().json(), body), 400, wire.CodeValidation, fields...)
	}
}

func TestDocumentsInPages(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	var want []string
	for range 5 {
		want = append([]string{s.upload(as("ann"), "note.md", "# A note")}, want...)
	}
	var got []string
	for body, turn := `{"limit":2}`, 0; turn < 3; turn++ {
		list := s.listed(as("ann"), body)
		require.Equal(t, 5+turn, list.Total, "on all pages")
		require.Equal(t, turn < 2, list.HasMore)
		for _, d := range list.Docs {
			got = append(got, d.ContentKey)
		}
		s.upload(asServer(), "new.md", "# Another note")
		body = fmt.Sprintf(`{"limit":2,"cursor":%q}`, list.NextCursor)
	}
	require.Equal(t, want, got, "what is added meanwhile shifts nothing")
	byNumber := s.listed(as("ann"), `{"page":3,"items_per_page":2}`)
	require.Equal(t, want[1], byNumber.Docs[0].ContentKey)
	require.True(t, byNumber.HasMore)
}

func TestHistoryInPages(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	made := decode[wire.Chat](t, s.do("POST", "/chat/create", as("ann").json(), `{"project_id":"demo","metadata":{"a":[1,null]}}`))
	for range 3 {
		require.Equal(t, 200, s.send(as("ann"), field{name: "chat_id", value: made.ChatID}).Code)
	}
	path := "/project/demo/chat/" + made.ChatID + "/all"
	whole := decode[wire.ChatHistoryResponse](t, s.do("GET", path, as("ann"), ""))
	require.Equal(t, wire.JSON(`{"a":[1,null]}`), whole.Metadata)
	require.Len(t, whole.Messages, 6)
	require.False(t, whole.HasMore)
	all := messageIDs(whole.Messages)
	query := "?limit=4"
	for _, want := range [][]string{all[2:], all[:2]} {
		w := s.do("GET", path+query, as("ann"), "")
		page := decode[wire.ChatHistoryResponse](t, w)
		require.Equal(t, want, messageIDs(page.Messages))
		require.Equal(t, len(want) == 4, page.HasMore)
		require.NotContains(t, w.Header(), "X-Has-More")
		query = "?limit=4&before=" + want[0]
	}
	for _, query := range []string{"before=nobody", "before=", "before=" + all[0] + "&before=" + all[1], "before=" + s.newChat("ann").MessageID} {
		refusal(t, s.do("GET", path+"?"+query, as("ann"), ""), 400, wire.CodeValidation, "before")
	}
	refusal(t, s.do("GET", path+"?limit=1001", as("ann"), ""), 400, wire.CodeValidation, "limit")
	refusal(t, s.do("GET", path+"?before=nobody", as("bob"), ""), 404, wire.CodeNotFound)
}

func messageIDs(messages []wire.Message) (all []string) {
	for _, message := range messages {
		all = append(all, message.ID)
	}
	return all
}

// fill stores exchanges, named question 0, 1, 2 …
func (s *service) fill(chatID string, count int) {
	scope := access.Scope{ProjectID: project, UserID: "ann"}
	for i := range count {
		name := fmt.Sprint(chatID, i)
		answer := wire.Message{ID: name + "a", ChatID: chatID, Role: wire.RoleAssistant, CreatedAt: 2, AgentID: "assistant"}
		turn := chat.Turn{
			StreamID: name, Answer: answer,
			Question: wire.Message{ID: name + "q", ChatID: chatID, Role: wire.RoleUser, Content: fmt.Sprint("question ", i), CreatedAt: 1},
		}
		require.NoError(s.t, s.store.BeginTurn(s.t.Context(), scope, turn))
		answer.FinishReason = wire.FinishStop
		require.NoError(s.t, s.store.EndTurn(s.t.Context(), stream.Lease{StreamID: name, Epoch: 1}, answer, &chat.End{At: 3}))
	}
}

func TestALongHistoryGivesTheNewest1000(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	chatID := s.newChat("ann").ChatID
	s.fill(chatID, 501)
	path := "/project/demo/chat/" + chatID + "/all"
	w := s.do("GET", path, as("ann"), "")
	newest := decode[wire.ChatHistoryResponse](t, w)
	require.Len(t, newest.Messages, 1000)
	require.Equal(t, "question 1", newest.Messages[0].Content)
	require.True(t, newest.HasMore)
	require.Equal(t, "true", w.Header().Get("X-Has-More"))
	rest := decode[wire.ChatHistoryResponse](t, s.do("GET", path+"?before="+newest.Messages[0].ID, as("ann"), ""))
	require.Len(t, rest.Messages, 4)
	require.False(t, rest.HasMore)
}

// A cursor belongs to one list: to its path, its filters and the user who reads it.
func TestCursorsKnowTheirList(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, user := range []string{"ann", "bob"} {
		s.many(user, 3)
		s.remember("clerk", user, pending("likes tea, "+user), pending("likes milk, "+user))
	}
	for range 2 {
		s.upload(asServer(), "note.md", "# A note")
	}
	all := []struct {
		path string
		as   headers
	}{
		{"/memory-approvals/pending", as("ann")}, {"/memory-approvals/pending", as("bob")}, {"/memory-approvals/pending", asServer()},
		{"/memory-approvals/pending?agent_id=clerk", asServer()}, {"/memory-approvals/pending?user_id=ann", asServer()},
		{"/agents/assistant/memories", asServer()}, {"/agents/clerk/memories", asServer()}, {"/agents/assistant/memories?status=pending", asServer()},
		{"/agents/assistant/memories?user_id=ann", asServer()}, {"/agents/assistant/memories?user_id=bob", asServer()},
		{"/agents/assistant/memories/user/ann", asServer()}, {"/agents/assistant/memories/user/bob", asServer()}, {"/agents/clerk/memories/user/ann", asServer()},
		{"/agents/assistant/memories/user/ann", as("ann")}, {"/agents/assistant/memories/user/ann?type=fact", asServer()},
	}
	at := func(path, query string) string {
		if strings.Contains(path, "?") {
			return path + "&" + query
		}
		return path + "?" + query
	}
	for i, from := range all {
		cursor := decode[struct {
			Next string `json:"next_cursor"`
		}](t, s.do("GET", at(from.path, "limit=1"), from.as, "")).Next
		require.NotEmpty(t, cursor, from.path)
		for k, to := range all {
			w := s.do("GET", at(to.path, "limit=2&cursor="+cursor), to.as, "")
			if i == k {
				require.Equal(t, 200, w.Code, to.path)
			} else {
				refusal(t, w, 400, wire.CodeValidation, "cursor")
			}
		}
	}
	documents := s.listed(asServer(), `{"limit":1}`).NextCursor
	refusal(t, s.do("POST", "/v3/project/demo/knowledgebase", asServer().json(), `{"name_search":"note","cursor":"`+documents+`"}`), 400, wire.CodeValidation, "cursor")
	require.Equal(t, 200, s.do("POST", "/v3/project/demo/knowledgebase", asServer().json(), `{"cursor":"`+documents+`"}`).Code)
	for _, old := range []string{"AQE", "AQI", "AgE", "AwE", "BAE", "BQE"} { // of an earlier release
		refusal(t, s.do("GET", "/memory-approvals/pending?cursor="+old, as("ann"), ""), 400, wire.CodeValidation, "cursor")
	}
}
