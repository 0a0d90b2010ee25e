package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// reviewer is a column of the access table.
type reviewer struct {
	name string
	as   headers
	// blind ones may see nothing of Ann's memories.
	blind bool
}

// reviewers are the columns. Ann, who owns the memories, also appears as the user without the agent
// and as the user with an expired token: owning the memories is not enough.
func reviewers(t *testing.T) []reviewer {
	admin := func(agent string) headers {
		return sign(t, jwt.MapClaims{"sub": "root", "role": "admin", "agents": []string{agent}})
	}
	return []reviewer{
		{"no credentials", headers{}, true},
		{"an expired token", sign(t, jwt.MapClaims{"iat": noon.Unix() - 3600, "exp": noon.Unix() - 61}), true},
		{"user A", sign(t, nil), false},
		{"user B", sign(t, jwt.MapClaims{"sub": "bob"}), true},
		{"a user without this agent", sign(t, jwt.MapClaims{"agents": []string{"clerk"}}), true},
		{"administrator of this agent", admin("assistant"), false},
		{"administrator of another", admin("clerk"), true},
		{"API key", asServer(), false},
		{"API key with x-user-id", as("ann"), false},
	}
}

// attempt is a row of the access table.
type attempt struct {
	name, method, path, body string
	// want is the status for each of the reviewers.
	want [9]int
}

// What administrators write.
const (
	bees    = `{"memory_content":"User keeps bees","memory_type":"fact"}`
	geese   = `{"memory_content":"User keeps geese","memory_type":"fact"}`
	doubled = `{"memory_content":"User keeps the key mem_ann_d","memory_type":"fact"}`
)

// accessTable says who gets what for Ann's memories. A caller with the right to change something
// does so, row by row, down to the last.
var accessTable = []attempt{
	// In order: no credentials, expired, A, B, without, administrator, of another, key, key as A.
	{"getMemorySettings", "GET", "/agents/assistant/memory-settings", "", [9]int{401, 401, 200, 200, 404, 200, 404, 200, 200}},
	{"getMemoryStats", "GET", "/agents/assistant/memory-stats", "", [9]int{401, 401, 200, 200, 404, 200, 404, 200, 200}},
	{"listMemories", "GET", "/agents/assistant/memories", "", [9]int{401, 401, 200, 200, 404, 200, 404, 200, 200}},
	{"listMemories, pending", "GET", "/agents/assistant/memories?status=pending&type=fact", "", [9]int{401, 401, 200, 200, 404, 200, 404, 200, 200}},
	{"listMemories, hers", "GET", "/agents/assistant/memories?user_id=ann", "", [9]int{401, 401, 200, 403, 404, 200, 404, 200, 200}},
	{"listUserMemories", "GET", "/agents/assistant/memories/user/ann", "", [9]int{401, 401, 200, 403, 404, 200, 404, 200, 200}},
	{"listUserMemories, HEAD", "HEAD", "/agents/assistant/memories/user/ann", "", [9]int{401, 401, 200, 403, 404, 200, 404, 200, 200}},
	{"listUserMemories, approved", "GET", "/agents/assistant/memories/user/ann?status=approved", "", [9]int{401, 401, 200, 403, 404, 200, 404, 200, 200}},
	{"listPendingMemories", "GET", "/memory-approvals/pending", "", [9]int{401, 401, 200, 200, 200, 200, 200, 200, 200}},
	{"listPendingMemories, of the agent", "GET", "/memory-approvals/pending?agent_id=assistant", "", [9]int{401, 401, 200, 200, 404, 200, 404, 200, 200}},
	{"listPendingMemories, hers", "GET", "/memory-approvals/pending?user_id=ann", "", [9]int{401, 401, 200, 403, 200, 200, 200, 200, 200}},
	{"listPendingMemories, hers, of the agent", "GET", "/memory-approvals/pending?agent_id=assistant&user_id=ann", "", [9]int{401, 401, 200, 403, 404, 200, 404, 200, 200}},
	{"getMemoryStats, hers", "GET", "/agents/assistant/memory-stats?user_id=ann", "", [9]int{401, 401, 200, 403, 404, 200, 404, 200, 200}},
	{"memoriesOfSource", "GET", "/agents/assistant/memories?source_message_id=msg_ann", "", [9]int{401, 401, 200, 200, 404, 200, 404, 200, 200}},
	{"memoriesOfSource, a chat", "GET", "/agents/assistant/memories?source_chat_id=chat_ann", "", [9]int{401, 401, 200, 200, 404, 200, 404, 200, 200}},
	{"answersOfMemory", "GET", "/memories/mem_ann_d/answers", "", [9]int{401, 401, 200, 404, 404, 200, 404, 200, 200}},
	{"listErasures", "GET", "/agents/assistant/erasures", "", [9]int{401, 401, 403, 403, 404, 200, 404, 200, 403}},
	{"updateMemory", "PUT", "/memories/mem_ann_c", geese, [9]int{401, 401, 403, 403, 403, 200, 404, 200, 403}},
	{"updateMemory, a rejected one", "PUT", "/memories/mem_ann_e", geese, [9]int{401, 401, 403, 403, 403, 409, 404, 409, 403}},
	{"createMemory, the same", "POST", "/agents/assistant/memories/user/ann", doubled, [9]int{401, 401, 403, 403, 404, 409, 404, 409, 403}},
	{"createMemory", "POST", "/agents/assistant/memories/user/ann", bees, [9]int{401, 401, 403, 403, 404, 200, 404, 200, 403}},
	{"approveMemory, edited", "POST", "/memory-approvals/mem_ann_f/action", `{"action":"approve","memory_content":"User keeps ducks"}`,
		[9]int{401, 401, 200, 404, 404, 200, 404, 200, 200}},
	{"approveMemory", "POST", "/memory-approvals/mem_ann_a/action", `{"action":"approve"}`, [9]int{401, 401, 200, 404, 404, 200, 404, 200, 200}},
	{"approveMemory, again", "POST", "/memory-approvals/mem_ann_a/action", `{"action":"approve"}`, [9]int{401, 401, 409, 404, 404, 409, 404, 409, 409}},
	{"rejectMemory", "POST", "/memory-approvals/mem_ann_b/action", `{"action":"reject"}`, [9]int{401, 401, 200, 404, 404, 200, 404, 200, 200}},
	{"rejectMemory, an approved one", "POST", "/memory-approvals/mem_ann_d/action", `{"action":"reject"}`, [9]int{401, 401, 409, 404, 404, 409, 404, 409, 409}},
	{"deleteMemory, pending", "DELETE", "/memories/mem_ann_c", "", [9]int{401, 401, 200, 404, 404, 200, 404, 200, 200}},
	{"deleteMemory, approved", "DELETE", "/memories/mem_ann_d", "", [9]int{401, 401, 200, 404, 404, 200, 404, 200, 200}},
	{"deleteMemory, rejected", "DELETE", "/memories/mem_ann_e", "", [9]int{401, 401, 200, 404, 404, 200, 404, 200, 200}},
	{"deleteUserMemories", "DELETE", "/agents/assistant/memories/user/ann", "", [9]int{401, 401, 200, 403, 404, 200, 404, 200, 200}},
	{"updateMemorySettings", "PUT", "/agents/assistant/memory-settings", `{"max_memories":7}`, [9]int{401, 401, 403, 403, 404, 200, 404, 200, 403}},
}

// others starts a service in which people other than Ann have memories.
func others(t *testing.T) *service {
	s := start(t, nil)
	s.remember("assistant", "bob", pending("mem_bob_a"), approved("mem_bob_b"))
	s.remember("clerk", "bob", pending("mem_bob_clerk"))
	return s
}

// withAnn starts a service in which Ann has memories too.
func withAnn(t *testing.T) *service {
	s := others(t)
	s.remember("assistant", "ann", pending("mem_ann_a"), pending("mem_ann_b"), pending("mem_ann_c"), approved("mem_ann_d"), rejected("mem_ann_e"),
		pending("mem_ann_f"))
	return s
}

func (s *service) try(h headers, a attempt) *httptest.ResponseRecorder {
	return s.do(a.method, a.path, h.json(), a.body)
}

// unknown is the same attempt for something that doesn't exist. Callers who get 403 get it for an
// agent that they may use.
func (a attempt) unknown(status int) attempt {
	names := []string{"mem_ann_a", "mem_nobody", "mem_ann_b", "mem_nobody", "mem_ann_c", "mem_nobody",
		"mem_ann_d", "mem_nobody", "mem_ann_e", "mem_nobody", "mem_ann_f", "mem_nobody",
		"/user/ann", "/user/nobody", "user_id=ann", "user_id=nobody"}
	if status != http.StatusForbidden {
		names = append(names, "/assistant/", "/nothing/", "agent_id=assistant", "agent_id=nothing")
	}
	a.path = strings.NewReplacer(names...).Replace(a.path)
	return a
}

func TestWhoMayDoWhatWithMemories(t *testing.T) {
	t.Parallel()
	for column, caller := range reviewers(t) {
		t.Run(caller.name, func(t *testing.T) {
			t.Parallel()
			s, empty := withAnn(t), others(t)
			for _, row := range accessTable {
				before := s.everything()
				status := row.want[column]
				got := s.try(caller.as, row)
				require.Equal(t, status, got.Code, "%s: %s", row.name, got.Body)
				if caller.blind {
					require.Equal(t, whole(empty.try(caller.as, row)), whole(got), "%s: where Ann has none", row.name)
				}
				if status == http.StatusOK {
					continue
				}
				require.Equal(t, before, s.everything(), "%s: nothing has changed", row.name)
				if status != http.StatusConflict {
					require.Equal(t, whole(s.try(caller.as, row.unknown(status))), whole(got), "%s: of what doesn't exist", row.name)
				}
			}
		})
	}
}

// If a caller gets a list, it has exactly what they may see.
func TestWhoSeesWhichMemories(t *testing.T) {
	t.Parallel()
	s := withAnn(t)
	hers := []string{"mem_ann_a", "mem_ann_b", "mem_ann_c", "mem_ann_f", "mem_ann_d", "mem_ann_e"}
	his := []string{"mem_bob_a", "mem_bob_b"}
	herQueue := hers[:4]
	rows := []struct {
		path string
		// want is for user A, user B, without, administrator, of another, key, as A.
		want [7][]string
	}{
		{"/agents/assistant/memories", [7][]string{hers, his, nil, slices.Concat(hers, his), nil, slices.Concat(hers, his), hers}},
		{"/agents/assistant/memories?user_id=ann", [7][]string{hers, nil, nil, hers, nil, hers, hers}},
		{"/agents/assistant/memories/user/ann", [7][]string{hers, nil, nil, hers, nil, hers, hers}},
		{"/agents/assistant/memories/user/bob", [7][]string{nil, his, nil, his, nil, his, nil}},
		{"/agents/clerk/memories", [7][]string{nil, {"mem_bob_clerk"}, nil, nil, {"mem_bob_clerk"}, {"mem_bob_clerk"}, nil}},
		{"/memory-approvals/pending", [7][]string{herQueue, {"mem_bob_a", "mem_bob_clerk"}, nil, append(slices.Clone(herQueue), "mem_bob_a"), {"mem_bob_clerk"},
			append(slices.Clone(herQueue), "mem_bob_a", "mem_bob_clerk"), herQueue}},
		{"/memory-approvals/pending?user_id=ann", [7][]string{herQueue, nil, nil, herQueue, nil, herQueue, herQueue}},
		{"/memory-approvals/pending?agent_id=clerk", [7][]string{nil, {"mem_bob_clerk"}, nil, nil, {"mem_bob_clerk"}, {"mem_bob_clerk"}, nil}},
	}
	id := regexp.MustCompile(`"id":"(\w+)"`)
	for _, row := range rows {
		for i, caller := range reviewers(t)[2:] {
			found := []string{}
			for _, match := range id.FindAllStringSubmatch(s.do("GET", row.path, caller.as, "").Body.String(), -1) {
				found = append(found, match[1])
			}
			require.ElementsMatch(t, row.want[i], found, "%s: %s", caller.name, row.path)
		}
	}
	const stats = "/agents/assistant/memory-stats"
	require.JSONEq(t, `{"total":6,"approved":1,"pending":4,"rejected":1,"superseded":0,"users":1}`, s.get(as("ann"), stats))
	require.JSONEq(t, `{"total":2,"approved":1,"pending":1,"rejected":0,"superseded":0,"users":1}`, s.get(as("bob"), stats))
	require.JSONEq(t, `{"total":0,"approved":0,"pending":0,"rejected":0,"superseded":0,"users":0}`, s.get(as("zoe"), stats))
	require.JSONEq(t, `{"total":8,"approved":2,"pending":5,"rejected":1,"superseded":0,"users":2,"detection":{"detector":"embedded","waiting":0}}`, s.get(asServer(), stats))
}

// An administrator without a list of agents may use all of them, one with an empty list none. In
// chats an administrator is an ordinary user.
func TestAdministrators(t *testing.T) {
	t.Parallel()
	s := withAnn(t)
	all := s.token(wire.AccessTokenRequest{UserID: "root", Role: wire.RoleAdmin})
	none := s.token(wire.AccessTokenRequest{UserID: "root", Role: wire.RoleAdmin, Agents: []string{}})
	require.Equal(t, s.get(asServer(), "/memory-approvals/pending"), s.get(all, "/memory-approvals/pending"))
	require.JSONEq(t, `{"approvals":[],"total":0,"has_more":false}`, s.get(none, "/memory-approvals/pending"))
	refusal(t, s.do("GET", "/agents/assistant/memories", none, ""), 404, wire.CodeNotFound)
	refusal(t, s.do("DELETE", "/memories/mem_ann_a", none, ""), 404, wire.CodeNotFound)
	sent := s.newChat("ann")
	refusal(t, s.do("GET", "/project/demo/chat/"+sent.ChatID+"/all", all, ""), 404, wire.CodeNotFound)
}

// Credentials are checked before anything else in a request.
func TestMemoriesAskForCredentialsFirst(t *testing.T) {
	t.Parallel()
	s := withAnn(t)
	for _, row := range accessTable {
		for name, h := range map[string]headers{"no": {}, "wrong": asServer().with("x-api-secret", "x")} {
			w := s.do(row.method, row.path, h, "no JSON")
			require.Equal(t, 401, w.Code, "%s credentials: %s", name, row.name)
			require.Equal(t, `Bearer realm="chatsdk"`, w.Header().Get("WWW-Authenticate"))
		}
	}
	refusal(t, s.do("GET", "/agents/assistant/memories?user_id=", sign(t, nil).with("x-user-id", "bob"), ""), 400, wire.CodeValidation, "x-user-id")
}
