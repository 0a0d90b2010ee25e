package httpapi_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// root administers the agent.
func root(t *testing.T) headers {
	return sign(t, jwt.MapClaims{"sub": "root", "role": "admin", "agents": []string{"assistant"}})
}

func (s *service) memory(id string) wire.Memory {
	one, err := s.store.Memory(s.t.Context(), project, id)
	require.NoError(s.t, err)
	return one
}

func TestWhoDecidedIsKept(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.remember("assistant", "ann", pending("m1"), pending("m2"), pending("m3"))
	require.Equal(t, "root", s.decide(root(t), "m1", "approve").Memory.DecidedBy)
	require.Equal(t, "ann", s.decide(as("ann"), "m2", "reject").Memory.DecidedBy)
	require.Equal(t, wire.ByAPIKey, s.decide(asServer(), "m3", "reject").Memory.DecidedBy)
	refusal(t, s.do("POST", "/memory-approvals/m2/action", root(t).json(), `{"action":"approve"}`), 409, wire.CodeConflict)
	require.Equal(t, "ann", s.memory("m2").DecidedBy, "the second reviewer can see who was first")
}

func TestAnApprovalThatEdits(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.remember("assistant", "ann", pending("m1"), pending("m2"), approved("m3"))
	const path = "/memory-approvals/m1/action"
	for content, fields := range map[string][]string{
		strings.Repeat("x", 301): {"memory_content"}, " \n ": {"memory_content"}, "User has the password hunter2hunter2": {"memory_content"},
	} {
		refusal(t, s.do("POST", path, root(t).json(), fmt.Sprintf(`{"action":"approve","memory_content":%q}`, content)), 400, wire.CodeValidation, fields...)
	}
	for _, body := range []string{
		`{"action":"reject","memory_content":"User keeps ducks"}`, `{"action":"reject","memory_content":""}`,
		`{"action":"approve","memory_content":""}`, `{"action":"approve","memory_content":"\u200b - \u200d"}`,
	} {
		refusal(t, s.do("POST", path, root(t).json(), body), 400, wire.CodeValidation, "memory_content")
	}
	w := s.do("POST", path, root(t).json(), `{"action":"approve","memory_content":"User keeps the key m3"}`)
	refusal(t, w, 409, wire.CodeConflict, "memory_content")
	require.Contains(t, w.Body.String(), "m3", "it names the memory that says the same")
	require.Equal(t, wire.MemoryPending, s.memory("m1").Status, "a refusal changes nothing")

	w = s.do("POST", path, root(t).json(), `{"action":"approve","memory_content":"User keeps\n ducks "}`)
	got := decode[wire.MemoryActionResponse](t, w).Memory
	at := float64(noon.Unix())
	require.Equal(t, []any{"User keeps ducks", "User keeps the key m1", "root", at, wire.MemoryApproved, "root"},
		[]any{got.MemoryContent, got.OriginalContent, got.EditedBy, got.EditedAt, got.Status, got.DecidedBy})
	require.Equal(t, wire.OriginUser, got.Origin, "what the user said is still there")
	require.Equal(t, got, s.memory("m1"))
	require.Contains(t, s.newChat("ann").Message.MemoryIDs, "m1")
}

func TestMemoriesByHand(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { up.http.Limits.UserIDBytes = 100 })
	const path = "/agents/assistant/memories/user/ann"
	for body, field := range map[string]string{
		`{"memory_content":"User keeps bees"}`:                                         "memory_type",
		`{"memory_content":"User keeps bees","memory_type":"rule"}`:                    "memory_type",
		`{"memory_content":"","memory_type":"fact"}`:                                   "memory_content",
		`{"memory_content":"User's card is 4111 1111 1111 1111","memory_type":"fact"}`: "memory_content",
	} {
		refusal(t, s.do("POST", path, root(t).json(), body), 400, wire.CodeValidation, field)
	}
	key := root(t).json().with("idempotency-key", "once")
	first := decode[wire.Memory](t, s.do("POST", path, key, bees))
	at := float64(noon.Unix())
	require.Equal(t, wire.Memory{
		ID: first.ID, AgentID: "assistant", UserID: "ann", MemoryContent: "User keeps bees", MemoryType: wire.MemoryFact, ConfidenceScore: 1,
		Status: wire.MemoryApproved, CreatedAt: at, UpdatedAt: at, ApprovedAt: at, Origin: wire.OriginAdministrator, DecidedBy: "root",
	}, first)
	again := s.do("POST", path, key, bees)
	require.Equal(t, "true", again.Header().Get(wire.HeaderReplayed))
	require.Equal(t, first, decode[wire.Memory](t, again), "a repeat makes no second one")
	refusal(t, s.do("POST", path, key, geese), 422, wire.CodeKeyReused, "idempotency-key")
	refusal(t, s.do("POST", path, root(t).json(), bees), 409, wire.CodeConflict, "memory_content")

	longID := "/agents/assistant/memories/user/" + strings.Repeat("x", 2000)
	require.Equal(t, 413, s.do("POST", longID, root(t).json(), bees).Code, "nobody can sign in with such an id")
	edited := decode[wire.Memory](t, s.do("PUT", "/memories/"+first.ID, root(t).json(), geese))
	require.Equal(t, []any{"User keeps geese", "User keeps bees", "root", at},
		[]any{edited.MemoryContent, edited.OriginalContent, edited.EditedBy, edited.EditedAt})
	require.Equal(t, edited, decode[wire.Memory](t, s.do("PUT", "/memories/"+first.ID, root(t).json(), geese)), "a repeat changes nothing")
	retyped := decode[wire.Memory](t, s.do("PUT", "/memories/"+first.ID, asServer().json(), `{"memory_content":"User keeps geese","memory_type":"context"}`))
	require.Equal(t, []string{wire.MemoryContext, "User keeps bees", wire.ByAPIKey}, []string{retyped.MemoryType, retyped.OriginalContent, retyped.EditedBy})
	require.Len(t, s.newChat("ann").Message.MemoryIDs, 1)
}

// After an administrator changes a user's statement, it is the administrator's, and the answer
// names its conflicts.
func TestAnEditByHandIsTheAdministrators(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	paris := approved("paris")
	paris.MemoryContent = "User lives in Paris"
	s.remember("assistant", "ann", paris, pending("m1"))
	edited := decode[wire.Memory](t, s.do("PUT", "/memories/m1", root(t).json(), `{"memory_content":"User lives in Lyon","memory_type":"fact"}`))
	require.Equal(t, []string{wire.MemoryPending, wire.OriginAdministrator, "User keeps the key m1"},
		[]string{edited.Status, edited.Origin, edited.OriginalContent})
	require.Equal(t, []string{"paris"}, edited.ConflictsWith)
}

// A request that arrives twice at once makes one memory, and both get it.
func TestCreatingTwiceAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	key := root(t).json().with("idempotency-key", "once")
	answers := make([]*httptest.ResponseRecorder, 12)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = s.do("POST", "/agents/assistant/memories/user/ann", key, bees) })
	}
	all.Wait()
	for _, w := range answers {
		require.Equal(t, answers[0].Body.String(), w.Body.String())
		require.Equal(t, 200, w.Code)
	}
	require.Len(t, decode[[]wire.Memory](t, s.do("GET", "/agents/assistant/memories/user/ann", root(t), "")), 1)
}

// Memories by hand count towards a user's limit.
func TestMemoriesByHandAreCounted(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { up.memory.MemoriesPerUser = 2 })
	s.remember("assistant", "ann", pending("m1"))
	const path = "/agents/assistant/memories/user/ann"
	require.Equal(t, 200, s.do("POST", path, root(t).json(), bees).Code)
	refusal(t, s.do("POST", path, root(t).json(), geese), 429, wire.CodeQuotaExceeded)
}

// After an edit the old statement stays known: if the user repeats it, there is no second memory,
// and a deleted one does not come back.
func TestWhatWasEditedIsKnown(t *testing.T) {
	t.Parallel()
	duplicates := 0
	s := start(t, func(up *setup) {
		on := true
		up.memory.Defaults = map[string]wire.MemorySettings{"assistant": {MemoryEnabled: &on}}
		up.memory.Duplicates = func(findings int) { duplicates += findings }
	})
	found := s.found("I have a cat")
	require.Len(t, found, 1)
	s.do("POST", "/memory-approvals/"+found[0].ID+"/action", root(t).json(), `{"action":"approve","memory_content":"User owns a grey parrot"}`)
	require.Len(t, s.found("I have a cat"), 1)
	require.Len(t, s.found("I own a grey parrot"), 1)
	require.Equal(t, 2, duplicates)
	require.Equal(t, 200, s.do("DELETE", "/memories/"+found[0].ID, root(t), "").Code)
	require.Empty(t, s.found("I have a cat"))
	require.Empty(t, s.found("I own a grey parrot"))
}

// found examines a message of Ann, and returns all her memories.
func (s *service) found(message string, more ...field) []wire.Memory {
	fields := append([]field{{name: "message", value: message}, {name: "project_id", value: project}}, more...)
	require.Equal(s.t, 200, s.post(as("ann"), form(s.t, fields...)).Code)
	ctx, stop := context.WithCancel(s.t.Context())
	var running sync.WaitGroup
	running.Go(func() { s.config.Memory.Run(ctx) })
	require.Eventually(s.t, func() bool {
		left, err := s.config.Memory.Backlog(ctx)
		return err == nil && left == 0
	}, time.Minute, time.Millisecond)
	stop()
	running.Wait()
	return decode[[]wire.Memory](s.t, s.do("GET", "/agents/assistant/memories/user/ann", as("ann"), ""))
}

func TestManyDecisions(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.remember("assistant", "ann", pending("m1"), pending("m2"), approved("m3"))
	s.remember("assistant", "bob", pending("b1"))
	const path = "/memory-approvals/actions"
	for body, field := range map[string]string{
		`{"action":"approve","memory_ids":[]}`:                                       "memory_ids",
		`{"action":"erase","memory_ids":["m1"]}`:                                     "action",
		`{"action":"approve","memory_ids":["` + strings.Repeat(`m","`, 500) + `m"]}`: "memory_ids",
		`{"action":"approve","memory_ids":"m1"}`:                                     "memory_ids",
	} {
		refusal(t, s.do("POST", path, root(t).json(), body), 400, wire.CodeValidation, field)
	}
	refusal(t, s.do("POST", path, root(t).json(), `{"action":"approve","memory_ids":["m1","m1"]}`), 400, wire.CodeValidation, "memory_ids")
	body := `{"action":"approve","memory_ids":["m1","m3","nobody","b1","m2"]}`
	key := as("ann").json().with("idempotency-key", "many")
	want := `{"results":[{"memory_id":"m1","status":200},{"memory_id":"m3","status":409},{"memory_id":"nobody","status":404},
		{"memory_id":"b1","status":404},{"memory_id":"m2","status":200}]}`
	require.JSONEq(t, want, s.do("POST", path, key, body).Body.String())
	require.Equal(t, 200, s.do("DELETE", "/memories/m1", root(t), "").Code)
	again := s.do("POST", path, key, body)
	require.JSONEq(t, want, again.Body.String(), "a repeat reports what the first request did, whatever happened since")
	require.Equal(t, "true", again.Header().Get(wire.HeaderReplayed))
	require.Equal(t, wire.MemoryPending, s.memory("b1").Status)
	require.Equal(t, "ann", s.memory("m2").DecidedBy)
	for _, other := range []string{strings.Replace(body, "approve", "reject", 1), `{"action":"approve","memory_ids":["m4"]}`} {
		refusal(t, s.do("POST", path, key, other), 422, wire.CodeKeyReused, "idempotency-key")
	}
}

func TestUndoBySource(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) {
		on := true
		up.memory.Defaults = map[string]wire.MemorySettings{"assistant": {MemoryEnabled: &on, AutoApprove: &on}}
	})
	old := s.found("I live in Paris")[0]
	sent := s.newChat("ann")
	s.found("I live in Berlin", field{name: "chat_id", value: sent.ChatID})
	byChat := decode[wire.ListMemoriesResponse](t, s.do("GET", "/agents/assistant/memories?source_chat_id="+sent.ChatID, root(t), ""))
	require.Equal(t, 1, byChat.TotalMemories)
	wrong := byChat.MemoriesByUser["ann"][0]
	require.Equal(t, sent.ChatID, wrong.SourceChatID)
	byMessage := decode[wire.ListMemoriesResponse](t, s.do("GET", "/agents/assistant/memories?source_message_id="+wrong.SourceMessageID, root(t), ""))
	require.Equal(t, byChat.MemoriesByUser, byMessage.MemoriesByUser)
	refusal(t, s.do("GET", "/agents/assistant/memories?source_chat_id=a&source_message_id=b", root(t), ""), 400, wire.CodeValidation,
		"source_chat_id", "source_message_id")
	gone := s.memory(old.ID)
	require.Equal(t, []string{wire.RejectedSuperseded, wrong.ID}, []string{gone.RejectReason, gone.SupersededBy})

	approve := func() *httptest.ResponseRecorder {
		return s.do("POST", "/memory-approvals/"+old.ID+"/action", root(t).json(), `{"action":"approve"}`)
	}
	refusal(t, approve(), 409, wire.CodeConflict)
	require.Equal(t, 200, s.do("DELETE", "/memories/"+wrong.ID, root(t), "").Code)
	require.Equal(t, 200, approve().Code, "what it superseded may be approved again")
	back := s.memory(old.ID)
	require.Equal(t, []string{wire.MemoryApproved, "", "", "root"}, []string{back.Status, back.SupersededBy, back.RejectReason, back.DecidedBy})
	refusal(t, approve(), 409, wire.CodeConflict)
}

func TestAnswersOfAMemory(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.remember("assistant", "ann", approved("m1"), approved("m2"))
	first, second := s.newChat("ann"), s.newChat("ann")
	const path = "/memories/m1/answers"
	page := decode[wire.AnswersOfMemoryResponse](t, s.do("GET", path+"?limit=1", as("ann"), ""))
	require.Equal(t, []wire.MemoryAnswer{{ChatID: second.ChatID, MessageID: second.Message.ID}}, page.Answers)
	require.True(t, page.HasMore)
	page = decode[wire.AnswersOfMemoryResponse](t, s.do("GET", path+"?limit=1&cursor="+page.NextCursor, as("ann"), ""))
	require.Equal(t, []wire.MemoryAnswer{{ChatID: first.ChatID, MessageID: first.Message.ID}}, page.Answers)
	require.Equal(t, 200, s.do("DELETE", "/chat/delete", as("ann").json(), `{"project_id":"demo","chat_id":"`+first.ChatID+`"}`).Code)
	require.JSONEq(t, `{"answers":[{"chat_id":"`+second.ChatID+`","message_id":"`+second.Message.ID+`"}],"has_more":false}`, s.get(as("ann"), path))
}

func TestErasuresAreShown(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.remember("assistant", "ann", pending("m1"), approved("m2"))
	const path = "/agents/assistant/erasures"
	require.JSONEq(t, `{"erasures":[],"has_more":false}`, s.get(root(t), path))
	require.Equal(t, 200, s.do("DELETE", "/memories/m1", as("ann"), "").Code)
	require.Equal(t, 200, s.do("DELETE", "/agents/assistant/memories/user/ann", asServer(), "").Code)
	at := noon.Unix()
	require.JSONEq(t, fmt.Sprintf(`{"has_more":false,"erasures":[
		{"kind":"user","at":%d,"by":"api_key","counts":{"memories":1,"sources":0}},
		{"kind":"memory","at":%d,"by":"ann","counts":{"memories":1,"sources":0}}]}`, at, at), s.get(root(t), path))
	page := decode[wire.ListErasuresResponse](t, s.do("GET", path+"?limit=1", root(t), ""))
	require.True(t, page.HasMore)
	refusal(t, s.do("GET", path+"?cursor=x", root(t), ""), 400, wire.CodeValidation, "cursor")
}

func TestDetectionThatFails(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	const path = "/agents/assistant/memory-stats"
	stats := `{"total":0,"approved":0,"pending":0,"rejected":0,"superseded":0,"users":0%s}`
	require.NoError(t, s.store.FailDetection(t.Context(),
		memory.Job{Owner: memory.Owner{ProjectID: project, AgentID: "assistant"}, GivenUp: true},
		memory.Failure{At: 100, Code: wire.CodeProviderFailed, Status: 401}))
	require.JSONEq(t, fmt.Sprintf(stats, `,"detection":{"detector":"embedded","waiting":0,
		"failure":{"since":100,"failures":1,"given_up":1,"code":"PROVIDER_FAILED","status":401}}`), s.get(root(t), path))
	require.JSONEq(t, fmt.Sprintf(stats, ""), s.get(as("ann"), path), "it is for administrators")
	require.JSONEq(t, fmt.Sprintf(stats, ""), s.get(root(t), path+"?user_id=ann"), "it belongs to the agent")
}

func TestRoomForMemories(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { up.memory.Rooms = map[string]int{"assistant": 600} })
	s.remember("assistant", "ann", approved("m1"))
	stats := func(h headers, path string) *wire.MemoryRoom {
		return decode[wire.MemoryStats](t, s.do("GET", "/agents/assistant/memory-stats"+path, h, "")).Room
	}
	require.Nil(t, stats(root(t), ""), "each user has their own room")
	one := stats(root(t), "?user_id=ann")
	require.Equal(t, one, stats(as("ann"), ""))
	require.Equal(t, []int{600, 0}, []int{one.RoomBytes, one.LeftOut})
	require.Less(t, one.UsedBytes, 600)
	s.remember("assistant", "ann", approved("m2"), approved("m3"), approved("m4"))
	many := stats(root(t), "?user_id=ann")
	require.Greater(t, many.UsedBytes, 600)
	require.Positive(t, many.LeftOut)
	require.Zero(t, stats(root(t), "?user_id=nobody").UsedBytes)
}
