package httpapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// forReview starts a service with a memory in each state.
func forReview(t *testing.T) *service {
	s := start(t, nil)
	s.remember("assistant", "ann", pending("m1"), approved("m2"), rejected("m3"))
	return s
}

func TestMemoryQueriesThatAreWrong(t *testing.T) {
	t.Parallel()
	s := forReview(t)
	const list, user, queue = "/agents/assistant/memories", "/agents/assistant/memories/user/ann", "/memory-approvals/pending"
	tests := []struct {
		name, path string
		fields     []string
	}{
		{"unknown status", list + "?status=active", []string{"status"}},
		{"status in capitals", list + "?status=Pending", []string{"status"}},
		{"empty status", list + "?status=", []string{"status"}},
		{"status twice", list + "?status=pending&status=pending", []string{"status"}},
		{"status with a blank", list + "?status=pending%20", []string{"status"}},
		{"unknown type", list + "?type=opinion", []string{"type"}},
		{"empty type", list + "?type", []string{"type"}},
		{"type with a NUL", list + "?type=fact%00", []string{"type"}},
		{"empty user", list + "?user_id=", []string{"user_id"}},
		{"user .", list + "?user_id=.", []string{"user_id"}},
		{"user ..", list + "?user_id=..", []string{"user_id"}},
		{"user twice", list + "?user_id=ann&user_id=bob", []string{"user_id"}},
		{"user with a NUL", list + "?user_id=a%00", []string{"user_id"}},
		{"user that is not UTF-8", list + "?user_id=%FF", []string{"user_id"}},
		{"all three", list + "?status=&type=&user_id=", []string{"status", "type", "user_id"}},
		{"invalid escape", list + "?status=%zz", nil},
		{"semicolon", list + "?status=pending;type=fact", nil},
		{"of a user, unknown status", user + "?status=gone", []string{"status"}},
		{"of a user, unknown type", user + "?type=gone", []string{"type"}},
		{"of a user, empty type", user + "?type=", []string{"type"}},
		{"of the user .", "/agents/assistant/memories/user/%2E", []string{"user_id"}},
		{"of the user ..", "/agents/assistant/memories/user/%2E%2E", []string{"user_id"}},
		{"of a user with a NUL", "/agents/assistant/memories/user/a%00", []string{"user_id"}},
		{"of a user that is not UTF-8", "/agents/assistant/memories/user/%FF", []string{"user_id"}},
		{"queue, empty agent", queue + "?agent_id=", []string{"agent_id"}},
		{"queue, agents", queue + "?agent_id=assistant&agent_id=clerk", []string{"agent_id"}},
		{"queue, empty user", queue + "?user_id=", []string{"user_id"}},
		{"queue, both wrong", queue + "?user_id=..&agent_id=.", []string{"agent_id", "user_id"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, h := range []headers{asServer(), as("ann")} {
				refusal(t, s.do("GET", test.path, h, ""), 400, wire.CodeValidation, test.fields...)
			}
		})
	}
	for _, user := range []string{"%2E", "%2E%2E", "a%00", "%FF"} {
		refusal(t, s.do("DELETE", "/agents/assistant/memories/user/"+user, asServer(), ""), 400, wire.CodeValidation, "user_id")
	}
}

func TestMemorySettingsThatAreWrong(t *testing.T) {
	t.Parallel()
	s := forReview(t)
	before := s.everything()
	tests := []struct {
		name, body string
		fields     []string
	}{
		{"limit of 0", `{"max_memories":0}`, []string{"max_memories"}},
		{"limit below 0", `{"max_memories":-1}`, []string{"max_memories"}},
		{"limit of 1001", `{"max_memories":1001}`, []string{"max_memories"}},
		{"limit beyond all numbers", `{"max_memories":1e99}`, []string{"max_memories"}},
		{"fractional limit", `{"max_memories":1.5}`, []string{"max_memories"}},
		{"limit as a string", `{"max_memories":"50"}`, []string{"max_memories"}},
		{"on as a string", `{"memory_enabled":"true"}`, []string{"memory_enabled"}},
		{"on as a number", `{"memory_enabled":1}`, []string{"memory_enabled"}},
		{"auto-approval as a list", `{"auto_approve":[true]}`, []string{"auto_approve"}},
		{"unknown type", `{"memory_types":["fact","opinion"]}`, []string{"memory_types"}},
		{"empty type", `{"memory_types":[""]}`, []string{"memory_types"}},
		{"type in capitals", `{"memory_types":["Fact"]}`, []string{"memory_types"}},
		{"type twice", `{"memory_types":["fact","context","fact"]}`, []string{"memory_types"}},
		{"types as a string", `{"memory_types":"fact"}`, []string{"memory_types"}},
		{"null among types", `{"memory_types":["fact",null]}`, []string{"memory_types"}},
		{"one right, one wrong", `{"memory_enabled":true,"max_memories":0}`, []string{"max_memories"}},
		{"all wrong", `{"memory_enabled":0,"max_memories":{},"auto_approve":"","memory_types":{}}`, []string{"memory_enabled", "max_memories", "auto_approve", "memory_types"}},
		{"a setting twice", `{"max_memories":5,"max_memories":6}`, []string{"max_memories"}},
		{"no body", ``, nil},
		{"list", `[{"max_memories":5}]`, nil},
		{"cut short", `{"max_memories":5`, nil},
		{"something after it", `{"max_memories":5}{}`, nil},
		{"invalid UTF-8", "{\"memory_types\":[\"\xff\"]}", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := s.do("PUT", "/agents/assistant/memory-settings", asServer().json(), test.body)
			refusal(t, w, 400, wire.CodeValidation, test.fields...)
			require.NotContains(t, w.Body.String(), "opinion", "the error does not repeat what was sent")
		})
	}
	t.Cleanup(func() { require.Equal(t, before, s.everything(), "nothing has changed") })
}

func TestActionsThatAreWrong(t *testing.T) {
	t.Parallel()
	s := forReview(t)
	before := s.everything()
	tests := []struct {
		name, id, body string
		status         int
		code           string
		fields         []string
	}{
		{"none", "m1", `{}`, 400, wire.CodeValidation, []string{"action"}},
		{"null", "m1", `{"action":null}`, 400, wire.CodeValidation, []string{"action"}},
		{"empty", "m1", `{"action":""}`, 400, wire.CodeValidation, []string{"action"}},
		{"unknown", "m1", `{"action":"accept"}`, 400, wire.CodeValidation, []string{"action"}},
		{"in capitals", "m1", `{"action":"Approve"}`, 400, wire.CodeValidation, []string{"action"}},
		{"the resulting status", "m1", `{"action":"approved"}`, 400, wire.CodeValidation, []string{"action"}},
		{"as a list", "m1", `{"action":["approve"]}`, 400, wire.CodeValidation, []string{"action"}},
		{"twice", "m1", `{"action":"approve","action":"reject"}`, 400, wire.CodeValidation, []string{"action"}},
		{"no body", "m1", ``, 400, wire.CodeValidation, nil},
		{"string", "m1", `"approve"`, 400, wire.CodeValidation, nil},
		{"unknown, on a decided memory", "m2", `{"action":"accept"}`, 400, wire.CodeValidation, []string{"action"}},
		{"unknown, on an unknown memory", "m9", `{"action":"accept"}`, 400, wire.CodeValidation, []string{"action"}},
		{"on an unknown memory", "m9", `{"action":"approve"}`, 404, wire.CodeNotFound, nil},
		{"on .", "%2E", `{"action":"approve"}`, 404, wire.CodeNotFound, nil},
		{"on a NUL", "m1%00", `{"action":"approve"}`, 404, wire.CodeNotFound, nil},
		{"on an id that is not UTF-8", "%FF", `{"action":"approve"}`, 404, wire.CodeNotFound, nil},
		{"in capitals, on another id", "M1", `{"action":"approve"}`, 404, wire.CodeNotFound, nil},
		{"on an approved memory", "m2", `{"action":"reject"}`, 409, wire.CodeConflict, nil},
		{"on a rejected memory", "m3", `{"action":"approve"}`, 409, wire.CodeConflict, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := s.do("POST", "/memory-approvals/"+test.id+"/action", asServer().json(), test.body)
			refusal(t, w, test.status, test.code, test.fields...)
		})
	}
	t.Cleanup(func() { require.Equal(t, before, s.everything(), "nothing has changed") })
}

func TestMemoryBodiesOfAnotherTypeOrSize(t *testing.T) {
	t.Parallel()
	s := forReview(t)
	before := s.everything()
	for path, route := range map[string]struct{ method, right string }{
		"/agents/assistant/memory-settings": {"PUT", `{"max_memories":5}`},
		"/memory-approvals/m1/action":       {"POST", `{"action":"approve"}`},
	} {
		refusal(t, s.do(route.method, path, asServer(), route.right), 415, wire.CodeUnsupportedMedia)
		refusal(t, s.do(route.method, path, asServer().with("content-type", "text/plain"), route.right), 415, wire.CodeUnsupportedMedia)
		large := strings.TrimSuffix(route.right, "}") + `,"x":"` + strings.Repeat("x", 64<<10) + `"}`
		refusal(t, s.do(route.method, path, asServer().json(), large), 413, wire.CodePayloadTooLarge)
	}
	require.Equal(t, before, s.everything(), "nothing has changed")
}

// An agent that doesn't exist is always 404.
func TestMemoriesOfUnknownAgents(t *testing.T) {
	t.Parallel()
	s := forReview(t)
	before := s.everything()
	for _, agent := range []string{"nobody", "Assistant", "assistant%20", "%2E%2E", "a%00", "%FF", "assistant%2Fmemories"} {
		for _, route := range []struct{ method, path string }{
			{"GET", "/memory-settings"}, {"PUT", "/memory-settings"}, {"GET", "/memory-stats"}, {"GET", "/memories"}, {"GET", "/memories?status=none&user_id=bob"},
			{"GET", "/memories/user/ann"}, {"DELETE", "/memories/user/ann"},
		} {
			for _, h := range []headers{asServer(), as("ann")} {
				refusal(t, s.do(route.method, "/agents/"+agent+route.path, h.json(), `{"max_memories":0}`), 404, wire.CodeNotFound)
			}
		}
	}
	refusal(t, s.do("GET", "/memory-approvals/pending?agent_id=nobody", asServer(), ""), 404, wire.CodeNotFound)
	refusal(t, s.do("DELETE", "/memories/m9", asServer(), ""), 404, wire.CodeNotFound)
	require.Equal(t, before, s.everything(), "nothing has changed")
}
