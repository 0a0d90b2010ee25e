package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

const week = 7 * 24 * 3600

// pending is a memory that was found a minute before noon. Its content is made from its id: no two
// are equal.
func pending(id string) wire.Memory {
	at := float64(noon.Unix() - 60)
	return wire.Memory{
		ID: id, MemoryContent: "User keeps the key " + id, MemoryType: wire.MemoryFact, ConfidenceScore: 0.5, Status: wire.MemoryPending,
		CreatedAt: at, UpdatedAt: at, ExpiresAt: at + week, Origin: wire.OriginUser,
	}
}

func approved(id string) wire.Memory {
	m := pending(id)
	m.Status, m.ApprovedAt, m.UpdatedAt, m.ExpiresAt = wire.MemoryApproved, m.CreatedAt+30, m.CreatedAt+30, 0
	return m
}

func rejected(id string) wire.Memory {
	m := pending(id)
	m.Status, m.RejectedAt, m.UpdatedAt, m.ExpiresAt, m.RejectReason = wire.MemoryRejected, m.CreatedAt+30, m.CreatedAt+30, 0, wire.RejectedByReviewer
	return m
}

func typed(kind string, m wire.Memory) wire.Memory {
	m.MemoryType = kind
	return m
}

// remember stores memories of a user, oldest first.
func (s *service) remember(agent, user string, memories ...wire.Memory) {
	s.change(agent, user, memory.Changes{Added: memories})
}

func (s *service) change(agent, user string, changes memory.Changes) {
	for i := range changes.Added {
		changes.Added[i].AgentID, changes.Added[i].UserID = agent, user
	}
	owner := memory.Owner{ProjectID: project, AgentID: agent, UserID: user}
	err := s.store.ChangeMemories(context.Background(), owner, "", func(memory.State) (memory.Changes, error) { return changes, nil })
	require.NoError(s.t, err)
}

// get returns the body of a correct answer.
func (s *service) get(h headers, path string) string {
	w := s.do("GET", path, h, "")
	require.Equal(s.t, http.StatusOK, w.Code, w.Body)
	return w.Body.String()
}

func (s *service) decide(h headers, id, action string) wire.MemoryActionResponse {
	w := s.do("POST", "/memory-approvals/"+id+"/action", h.json(), fmt.Sprintf(`{"action":%q}`, action))
	require.Equal(s.t, http.StatusOK, w.Code, w.Body)
	return decode[wire.MemoryActionResponse](s.t, w)
}

func TestMemorySettings(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) {
		limit := 20
		up.memory.Defaults = map[string]wire.MemorySettings{"clerk": {MaxMemories: &limit}}
	})
	const path = "/agents/assistant/memory-settings"
	defaults := `{"memory_enabled":false,"max_memories":50,"auto_approve":false,"memory_types":["preference","fact","context"]}`
	require.JSONEq(t, defaults, s.get(as("ann"), path))
	steps := []struct{ name, body, want string }{
		{"none of the four", `{}`, defaults},
		{"null for absent", `{"memory_enabled":null,"max_memories":null,"auto_approve":null,"memory_types":null}`, defaults},
		{"unknown fields", `{"-":1,"Max_Memories":7,"Raw":1}`, defaults},
		{"on", `{"memory_enabled":true}`, `{"memory_enabled":true,"max_memories":50,"auto_approve":false,"memory_types":["preference","fact","context"]}`},
		{"smallest limit and one type", `{"max_memories":1,"memory_types":["fact"]}`, `{"memory_enabled":true,"max_memories":1,"auto_approve":false,"memory_types":["fact"]}`},
		{"no types", `{"memory_types":[]}`, `{"memory_enabled":true,"max_memories":1,"auto_approve":false,"memory_types":[]}`},
		{"all four", `{"memory_enabled":false,"max_memories":1000,"auto_approve":true,"memory_types":["context","preference"]}`,
			`{"memory_enabled":false,"max_memories":1000,"auto_approve":true,"memory_types":["context","preference"]}`},
	}
	for _, step := range steps {
		w := s.do("PUT", path, asServer().json(), step.body)
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		require.JSONEq(t, `{"success":true,"message":"Settings updated","settings":`+step.want+`}`, w.Body.String(), step.name)
		require.JSONEq(t, step.want, s.get(as("ann"), path), step.name)
	}
	require.JSONEq(t, `{"memory_enabled":false,"max_memories":20,"auto_approve":false,"memory_types":["preference","fact","context"]}`,
		s.get(as("ann"), "/agents/clerk/memory-settings"), "each agent has its own")
}

func TestListsOfMemories(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, path := range []string{"/agents/assistant/memories", "/agents/assistant/memories?user_id=nobody"} {
		require.JSONEq(t, `{"memories_by_user":{},"total_users":0,"total_memories":0,"has_more":false}`, s.get(asServer(), path))
	}
	require.Equal(t, `[]`, s.get(asServer(), "/agents/assistant/memories/user/nobody"))
	require.JSONEq(t, `{"approvals":[],"total":0,"has_more":false}`, s.get(asServer(), "/memory-approvals/pending"))
	require.JSONEq(t, `{"total":0,"approved":0,"pending":0,"rejected":0,"superseded":0,"users":0}`, s.get(as("ann"), "/agents/assistant/memory-stats"))

	s.remember("assistant", "ann", pending("a1"), typed(wire.MemoryContext, approved("a2")))
	s.remember("assistant", "b/ö b", rejected("b1"), typed(wire.MemoryPreference, pending("b2")))
	s.remember("clerk", "ann", pending("c1"))
	tests := []struct {
		path string
		want map[string][]string
	}{
		{"", map[string][]string{"ann": {"a2", "a1"}, "b/ö b": {"b2", "b1"}}},
		{"?colour=red&status=pending", map[string][]string{"ann": {"a1"}, "b/ö b": {"b2"}}},
		{"?status=approved", map[string][]string{"ann": {"a2"}}},
		{"?status=rejected", map[string][]string{"b/ö b": {"b1"}}},
		{"?type=fact", map[string][]string{"ann": {"a1"}, "b/ö b": {"b1"}}},
		{"?type=preference&status=approved", map[string][]string{}},
		{"?user_id=b%2F%C3%B6+b&type=fact", map[string][]string{"b/ö b": {"b1"}}},
	}
	for _, test := range tests {
		got := decode[wire.ListMemoriesResponse](t, s.do("GET", "/agents/assistant/memories"+test.path, asServer(), ""))
		found, total := map[string][]string{}, 0
		for user, memories := range got.MemoriesByUser {
			found[user], total = ids(memories), total+len(memories)
		}
		require.Equal(t, test.want, found, test.path)
		require.Equal(t, []int{len(found), total}, []int{got.TotalUsers, got.TotalMemories}, test.path)
	}
	user := "/agents/assistant/memories/user/b%2F%C3%B6%20b"
	for query, want := range map[string][]string{"": {"b2", "b1"}, "?status=pending": {"b2"}, "?type=fact&user_id=ann": {"b1"}, "?type=context": {}} {
		require.Equal(t, want, ids(decode[[]wire.Memory](t, s.do("GET", user+query, asServer(), ""))), query)
	}
	for query, want := range map[string][]string{"": {"c1", "b2", "a1"}, "?agent_id=clerk": {"c1"}, "?user_id=ann": {"c1", "a1"}, "?agent_id=clerk&user_id=bob": {}} {
		got := decode[wire.ListPendingMemoriesResponse](t, s.do("GET", "/memory-approvals/pending"+query, asServer(), ""))
		require.Equal(t, want, ids(got.Approvals), query)
		require.Equal(t, len(want), got.Total, query)
	}
	require.JSONEq(t, `{"total":4,"approved":1,"pending":2,"rejected":1,"superseded":0,"users":2,"detection":{"detector":"embedded","waiting":0}}`,
		s.get(asServer(), "/agents/assistant/memory-stats"))
}

func ids(memories []wire.Memory) []string {
	list := []string{}
	for _, one := range memories {
		list = append(list, one.ID)
	}
	return list
}

func TestMemoryRecord(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	found := pending("m2")
	found.MemoryContent, found.ConfidenceScore = `User says "hi" & <bye>`, 0.875
	found.SourceMessageID, found.TriggeringMessage, found.Span = "msg_1", "Ünï 😀 hi •••", &wire.Span{Start: 7, End: 9}
	s.change("assistant", "ann", memory.Changes{Added: []wire.Memory{approved("m1"), found}, Conflicts: [][2]string{{"m2", "m1"}}})
	at := noon.Unix() - 60
	require.Equal(t, fmt.Sprintf(`{"approvals":[{"id":"m2","agent_id":"assistant","user_id":"ann","memory_content":"User says \"hi\" & <bye>",`+
		`"memory_type":"fact","confidence_score":0.875,"status":"pending","created_at":%d,"updated_at":%d,"origin":"user","expires_at":%d,`+
		`"source_message_id":"msg_1","triggering_message":"Ünï 😀 hi •••","span":{"start":7,"end":9},`+
		`"conflicts_with":["m1"]}],"total":1,"has_more":false}`, at, at, at+week),
		s.get(as("ann"), "/memory-approvals/pending"))
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	require.Equal(t, 200, s.do("PUT", "/agents/assistant/memory-settings", asServer().json(), `{"max_memories":2}`).Code)
	s.remember("assistant", "ann", approved("m1"), pending("m2"), pending("m3"), pending("m4"))

	got := s.decide(as("ann"), "m2", "approve")
	want := approved("m2")
	want.AgentID, want.UserID = "assistant", "ann"
	want.DecidedBy = "ann"
	want.UpdatedAt, want.ApprovedAt = float64(noon.Unix()), float64(noon.Unix())
	require.Equal(t, wire.MemoryActionResponse{Success: true, Message: "Memory approved", Memory: want, Superseded: []string{}}, got)
	require.Equal(t, []string{"m1"}, s.decide(asServer(), "m3", "approve").Superseded)
	got = s.decide(asServer(), "m4", "reject")
	require.Equal(t, "Memory rejected", got.Message)
	require.Equal(t, wire.MemoryRejected, got.Memory.Status)
	require.Equal(t, wire.RejectedByReviewer, got.Memory.RejectReason)
	require.Empty(t, got.Superseded)
	require.NotNil(t, got.Superseded)

	before := s.everything()
	for _, id := range []string{"m1", "m2", "m4"} {
		for _, action := range []string{"approve", "reject"} {
			refusal(t, s.do("POST", "/memory-approvals/"+id+"/action", as("ann").json(), `{"action":"`+action+`"}`), 409, wire.CodeConflict)
		}
	}
	require.Equal(t, before, s.everything(), "decisions are final")
}

// A memory is expired from its time of expiry on, even if nothing has looked at it since.
func TestExpiredMemories(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.remember("assistant", "ann", pending("m1"), pending("m2"))
	s.now.at = noon.Add(-time.Minute + week*time.Second - time.Microsecond)
	require.Equal(t, wire.MemoryApproved, s.decide(as("ann"), "m1", "approve").Memory.Status)
	s.now.at = s.now.at.Add(time.Microsecond)
	before := s.everything()
	for _, action := range []string{"approve", "reject"} {
		refusal(t, s.do("POST", "/memory-approvals/m2/action", as("ann").json(), `{"action":"`+action+`"}`), 409, wire.CodeConflict)
	}
	require.Equal(t, before, s.everything())
	require.JSONEq(t, `{"approvals":[],"total":0,"has_more":false}`, s.get(as("ann"), "/memory-approvals/pending"))
	list := decode[[]wire.Memory](t, s.do("GET", "/agents/assistant/memories/user/ann?status=rejected", as("ann"), ""))
	require.Equal(t, []string{"m2"}, ids(list))
	require.Equal(t, wire.RejectedExpired, list[0].RejectReason)
	require.Equal(t, 200, s.do("DELETE", "/memories/m2", as("ann"), "").Code, "deletion works in every status")
}

func TestReviewersAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.remember("assistant", "ann", pending("m1"))
	answers := make([]int, 10)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			action := []string{"approve", "reject"}[i%2]
			answers[i] = s.do("POST", "/memory-approvals/m1/action", asServer().json(), `{"action":"`+action+`"}`).Code
		})
	}
	all.Wait()
	count := map[int]int{}
	for _, status := range answers {
		count[status]++
	}
	require.Equal(t, map[int]int{200: 1, 409: 9}, count)
}

func TestDeletingMemories(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.remember("assistant", "ann", pending("m1"), approved("m2"), rejected("m3"), pending("m4"))
	s.remember("clerk", "ann", pending("c1"))
	for _, id := range []string{"m1", "m2", "m3"} {
		w := s.do("DELETE", "/memories/"+id, as("ann"), "")
		require.Equal(t, `{"success":true,"message":"Memory deleted"}`, w.Body.String())
		refusal(t, s.do("DELETE", "/memories/"+id, as("ann"), ""), 404, wire.CodeNotFound)
	}
	s.remember("assistant", "ann", approved("m5"))
	for _, deleted := range []int{2, 0} {
		w := s.do("DELETE", "/agents/assistant/memories/user/ann", as("ann"), "")
		require.JSONEq(t, fmt.Sprintf(`{"success":true,"message":"The user's memories are deleted","deleted":%d}`, deleted), w.Body.String())
	}
	require.Equal(t, `[]`, s.get(as("ann"), "/agents/assistant/memories/user/ann"))
	require.Len(t, decode[[]wire.Memory](t, s.do("GET", "/agents/clerk/memories/user/ann", as("ann"), "")), 1)
}

// Every form of an answer names the memories that it used.
func TestAnswersNameTheirMemories(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.remember("assistant", "ann", approved("m1"), pending("m2"), typed(wire.MemoryPreference, approved("m3")))
	s.remember("clerk", "ann", approved("c1"))
	want := []string{"m3", "m1"}
	sent := s.newChat("ann")
	require.Equal(t, want, sent.Message.MemoryIDs)
	history := decode[wire.ChatHistoryResponse](t, s.do("GET", "/project/demo/chat/"+sent.ChatID+"/all", as("ann"), ""))
	require.Nil(t, history.Messages[0].MemoryIDs)
	require.Equal(t, want, history.Messages[1].MemoryIDs)
	require.Contains(t, s.send(as("ann").with("accept", "text/event-stream")).Body.String(), `"memory_ids":["m3","m1"]`)
	require.NotContains(t, s.send(as("bob")).Body.String(), "memory_ids")
	require.NotContains(t, s.send(asServer()).Body.String(), "memory_ids")
}

// brokenMemories is a store that fails.
type brokenMemories struct{ memory.Store }

var errDisk = errors.New("the disk is full of hunter2")

func (brokenMemories) Memories(context.Context, memory.Query) ([]wire.Memory, int64, error) {
	return nil, 0, errDisk
}
func (brokenMemories) CountJobs(context.Context) (int, error) { return 0, errDisk }

func TestMemoriesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { up.memory.Store = brokenMemories{} })
	w := s.do("GET", "/agents/assistant/memories", as("ann").with("x-request-id", "mine"), "")
	refusal(t, w, 500, wire.CodeInternal)
	require.NotContains(t, w.Body.String(), "hunter2")
	require.Equal(t, errDisk.Error(), s.log.line("request failed")["error"])
	require.Contains(t, s.get(asServer(), "/metrics"), "chatsdk_memory_backlog NaN\n")
}

// waitingMemories is a store with a queue.
type waitingMemories struct{ memory.Store }

func (waitingMemories) CountJobs(context.Context) (int, error) { return 3, nil }

func TestBacklogOfMemories(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { up.memory.Store = waitingMemories{} })
	require.Contains(t, s.get(asServer(), "/metrics"), "chatsdk_memory_backlog 3\n")
}

func TestWithoutMemory(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	s.config.Memory = nil
	s.serveChecked()
	for _, path := range []string{"/agents/assistant/memories", "/memory-approvals/pending", "/memories/m1"} {
		w := s.do("GET", path, asServer(), "")
		refusal(t, w, 404, wire.CodeNotFound)
		require.Contains(t, w.Body.String(), "There is nothing at this path")
	}
	require.NotContains(t, s.get(asServer(), "/metrics"), "chatsdk_memory_backlog")
}
