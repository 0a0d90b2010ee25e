package sqlite_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// Lists of calls come from their index in order, for every caller and every filter.
func TestListsOfCallsUseTheirIndex(t *testing.T) {
	t.Parallel()
	_, readers := openNew(t).Pools()
	const (
		project, ofUser, ofAdmins = "tool_calls_of_project (project_id=?", "tool_calls_of_user (project_id=? AND user_id=?", "tool_calls_of_admins (project_id=?"
		open, openOfUser          = "tool_calls_open (project_id=?", "tool_calls_open_of_user (project_id=? AND user_id=?"
		ofChat, ofMessage         = "tool_calls_of_chat (chat_id=?", "tool_calls_of_message (message_id=?"
	)
	for _, test := range []struct {
		name   string
		filter toolcall.Filter
		want   []string
	}{
		{"a project", toolcall.Filter{}, []string{project}},
		{"waiting calls of a project", toolcall.Filter{Status: wire.CallAwaiting}, []string{open}},
		{"done calls of a project", toolcall.Filter{Status: wire.CallDone}, []string{project}},
		{"a chat of a project", toolcall.Filter{ChatID: "c"}, []string{ofChat}},
		{"a message of a project", toolcall.Filter{MessageID: "m", Status: wire.CallRunning}, []string{ofMessage}},
		{"a user", toolcall.Filter{UserID: "u"}, []string{ofUser}},
		{"waiting calls of a user", toolcall.Filter{UserID: "u", Status: wire.CallAwaiting}, []string{openOfUser}},
		{"expired calls of a user", toolcall.Filter{UserID: "u", Status: wire.CallExpired}, []string{ofUser}},
		{"a chat of a user", toolcall.Filter{UserID: "u", ChatID: "c", Status: wire.CallAwaiting}, []string{ofChat}},
		{"a message of a user", toolcall.Filter{UserID: "u", ChatID: "c", MessageID: "m"}, []string{ofMessage}},
		{"a user of some agents", toolcall.Filter{UserID: "u", Agents: []string{"a", "b"}}, []string{ofUser}},
		{"an administrator", toolcall.Filter{UserID: "u", Administers: true}, []string{ofUser, ofAdmins}},
		{"an administrator of some agents", toolcall.Filter{UserID: "u", Administers: true, Agents: []string{"a", "b"}}, []string{ofUser, ofAdmins}},
		{"waiting calls for an administrator", toolcall.Filter{UserID: "u", Administers: true, Agents: []string{"a"}, Status: wire.CallAwaiting},
			[]string{openOfUser, open}},
		{"a chat for an administrator", toolcall.Filter{UserID: "u", Administers: true, ChatID: "c"}, []string{ofChat, ofChat}},
		{"a message for an administrator", toolcall.Filter{UserID: "u", Administers: true, ChatID: "c", MessageID: "m"}, []string{ofMessage, ofMessage}},
	} {
		for _, before := range []int64{0, 9} {
			test.filter.ProjectID, test.filter.Before, test.filter.Limit = "p", before, 3
			texts := sqlite.CallLists(test.filter)
			require.Len(t, texts, len(test.want), test.name)
			for i, text := range texts {
				steps := plan(t, readers, text, make([]any, 20)...)
				all := strings.Join(steps, "\n")
				require.NotContains(t, all, "TEMP B-TREE", test.name)
				require.NotContains(t, all, "SCAN", test.name)
				index := "SEARCH tool_calls USING INDEX " + test.want[i]
				if before > 0 {
					index += " AND position<?"
				}
				require.Contains(t, steps, index+")", test.name)
			}
		}
	}
}

func TestQueriesOfCallsUseTheirIndex(t *testing.T) {
	t.Parallel()
	_, readers := openNew(t).Pools()
	want := map[string]string{
		"due":              "SEARCH tool_calls USING INDEX tool_calls_due (due_at>? AND due_at<?)",
		"lost":             "SEARCH tool_calls USING INDEX tool_calls_due (due_at>?)",
		"ready":            "SEARCH streams USING INDEX streams_ready (waits_for=?)",
		"count":            "SEARCH streams USING INDEX streams_parked (project_id=? AND user_id=?)",
		"rounds":           "SEARCH rounds USING INDEX rounds_of_stream (stream_id=?)",
		"calls to remove":  "SEARCH tool_calls USING COVERING INDEX tool_calls_of_chat (chat_id=?)",
		"rounds to remove": "SEARCH rounds USING COVERING INDEX rounds_of_chat (chat_id=?)",
	}
	for name, query := range sqlite.CallQueries {
		steps := plan(t, readers, query, make([]any, 20)...)
		all := strings.ReplaceAll(strings.Join(steps, "\n"), "SCAN json_each ", "") // a parameter's
		require.NotContains(t, all, "SCAN ", name)
		require.NotContains(t, all, "TEMP B-TREE", name)
		require.True(t, want[name] == "" || slices.Contains(steps, want[name]), "%s: %s", name, steps)
	}
}

// The turns of all calls that can begin are counted in the order of an index that holds them alone.
func TestCallsThatCanBeginUseTheirIndex(t *testing.T) {
	t.Parallel()
	_, readers := openNew(t).Pools()
	all := strings.Join(plan(t, readers, sqlite.ReadyCalls, make([]any, 4)...), "\n")
	require.Contains(t, all, "SCAN tool_calls USING INDEX tool_calls_ready")
	require.Equal(t, 1, strings.Count(all, "TEMP B-TREE"), all) // of turns
}
