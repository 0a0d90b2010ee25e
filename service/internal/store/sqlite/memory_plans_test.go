package sqlite_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

// plan returns the steps in which SQLite runs a query.
func plan(t *testing.T, db *sql.DB, query string, args ...any) (steps []string) {
	t.Helper()
	rows, err := db.Query("EXPLAIN QUERY PLAN "+query, args...)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var step string
		require.NoError(t, rows.Scan(&id, &parent, &unused, &step))
		steps = append(steps, step)
	}
	require.NoError(t, rows.Err())
	return steps
}

// Lists come out of their index in order, with every filter.
func TestListsOfMemoriesUseTheirIndex(t *testing.T) {
	t.Parallel()
	_, readers := openNew(t).Pools()
	tests := []struct {
		name  string
		query memory.Query
		want  string
	}{
		{"an agent", memory.Query{Agents: []string{"a"}}, "memories_of_agent (project_id=? AND agent_id=?)"},
		{"a user of an agent", memory.Query{Agents: []string{"a"}, UserID: "u"}, "memories_of_user (project_id=? AND agent_id=? AND user_id=?)"},
		{"pending of all agents", memory.Query{Status: wire.MemoryPending}, "memories_pending (project_id=?)"},
		{"pending of an agent", memory.Query{Status: wire.MemoryPending, Agents: []string{"a"}}, "memories_pending_of_agent (project_id=? AND agent_id=?)"},
		{"pending of some agents", memory.Query{Status: wire.MemoryPending, Agents: []string{"a", "b"}}, "memories_pending (project_id=?)"},
		{"pending of a user", memory.Query{Status: wire.MemoryPending, UserID: "u"}, "memories_pending_of_user (project_id=? AND user_id=?)"},
		{"pending of a user of an agent", memory.Query{Status: wire.MemoryPending, UserID: "u", Agents: []string{"a"}},
			"memories_pending_of_user (project_id=? AND user_id=?)"},
	}
	for _, test := range tests {
		for _, kind := range []string{"", wire.MemoryFact} {
			test.query.Type = kind
			requireList(t, readers, test.name, test.query, test.want)
		}
	}
	of := memory.Query{Agents: []string{"a"}, Page: memory.Page{Before: 9, Limit: 3}}
	requireList(t, readers, "a page of an agent", of, "memories_of_agent (project_id=? AND agent_id=? AND rowid<?)")
	of.UserID = "u"
	requireList(t, readers, "a page of a user", of, "memories_of_user (project_id=? AND agent_id=? AND user_id=? AND rowid<?)")
	of.Agents, of.UserID, of.Status = nil, "", wire.MemoryPending
	requireList(t, readers, "a page of pending ones", of, "memories_pending (project_id=? AND rowid<?)")
	for _, user := range []string{"", "u"} {
		for _, status := range []string{wire.MemoryPending, wire.MemoryApproved, wire.MemoryRejected} {
			query := memory.Query{Agents: []string{"a"}, UserID: user, Status: status}
			requireList(t, readers, fmt.Sprint(query), query, "")
		}
	}
}

// requireList requires that the list uses an index that has its order.
func requireList(t *testing.T, db *sql.DB, name string, query memory.Query, index string) {
	t.Helper()
	text, args := sqlite.MemoriesQuery(query)
	steps := plan(t, db, text, args...)
	require.NotContains(t, strings.Join(steps, "\n"), "TEMP B-TREE", "%s: %s", name, steps)
	require.NotContains(t, strings.Join(steps, "\n"), "SCAN", "%s: %s", name, steps)
	require.Contains(t, steps[0], "SEARCH memories USING INDEX "+index, name)
}

func TestQueriesOfMemoriesUseTheirIndex(t *testing.T) {
	t.Parallel()
	_, readers := openNew(t).Pools()
	owner := "(project_id=? AND agent_id=? AND user_id=?"
	want := map[string]string{
		"approved":            "SEARCH memories USING INDEX memories_by_status " + owner + " AND status=?)",
		"open":                "SEARCH memories USING INDEX memories_by_status " + owner + " AND status=?)",
		"rejected by reviews": "SEARCH memories USING INDEX memories_by_status " + owner + " AND status=? AND reject_reason=?)",
		"counts":              "SEARCH memories USING COVERING INDEX memories_by_status (project_id=? AND agent_id=?)",
		"counts of a user":    "SEARCH memories USING COVERING INDEX memories_by_status " + owner + ")",
		"expire":              "SEARCH memories USING COVERING INDEX memories_expiring (expires_at<?)",
		"forget pending":      "SEARCH memories USING INDEX memories_of_chat (source_chat_id=?)",
		"forget messages":     "SEARCH memories USING COVERING INDEX memories_of_chat (source_chat_id=?)",
		"marks":               "SEARCH m USING PRIMARY KEY " + owner + ")",
		"sweep":               "SEARCH memories USING INDEX memories_to_sweep (rejected_at<?)",
		"count spent":         "SEARCH memories USING COVERING INDEX memories_by_status " + owner + ")",
		"of a chat":           "SEARCH memories USING INDEX memories_of_chat (source_chat_id=?)",
		"receipts":            "SEARCH erasures USING INDEX erasures_of_agent (project_id=? AND agent_id=? AND rowid<?)",
		"answers":             "SEARCH messages USING INDEX messages_of_chat (chat_id=? AND position<?)",
		"delete jobs":         "SEARCH memory_jobs USING COVERING INDEX memory_jobs_of_user " + owner + ")",
		"jobs of an agent":    "SEARCH memory_jobs USING COVERING INDEX memory_jobs_of_user (project_id=? AND agent_id=?)",
	}
	for name, query := range sqlite.MemoryQueries {
		steps := plan(t, readers, query, make([]any, 20)...)
		require.NotContains(t, strings.Join(steps, "\n"), "SCAN ", name)
		require.True(t, want[name] == "" || slices.Contains(steps, want[name]), "%s: %s", name, steps)
	}
}

// The queue is read from its beginning, and only the data of a job is looked up.
func TestQueueUsesIndexes(t *testing.T) {
	t.Parallel()
	_, readers := openNew(t).Pools()
	steps := plan(t, readers, sqlite.DueJobs, 0.0, 1)
	require.NotContains(t, strings.Join(steps, "\n"), "TEMP B-TREE")
	require.Equal(t, "SCAN job", steps[0], "in the order of the rows")
	for _, step := range steps[1:] {
		require.False(t, strings.HasPrefix(step, "SCAN "), steps)
	}
}
