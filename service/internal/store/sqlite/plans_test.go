package sqlite_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

// A query that reads a whole table, or sorts what an index could give in order,
// gets slower with every chat.
func TestQueriesUseTheirIndex(t *testing.T) {
	t.Parallel()
	_, readers := openNew(t).Pools()
	want := map[string]string{
		"list of a project": "SEARCH chats USING INDEX chats_of_project (project_id=? AND place<?)",
		"list of a user":    "SEARCH chats USING INDEX chats_of_user (project_id=? AND user_id=? AND place<?)",
		"page of a path":    "SEARCH messages USING COVERING INDEX messages_of_chat (chat_id=? AND position=?)",
		"page of branches":  "SEARCH messages USING INDEX messages_of_chat (chat_id=? AND position<?)",
		"count of chats":    "SEARCH chats USING COVERING INDEX chats_counted (project_id=? AND user_id=? AND deleted_at=?)",
		"count of files":    "SEARCH documents USING COVERING INDEX documents_sizes (project_id=? AND user_id=? AND deleted_at=?)",
		"page of documents": "SEARCH documents USING INDEX documents_of_project (project_id=? AND rowid<?)",
		"events at places":  "SEARCH events USING INTEGER PRIMARY KEY (rowid=?)",
		"recent exchanges":  "SEARCH messages USING COVERING INDEX messages_of_chat (chat_id=? AND position=?)",
	}
	for name, query := range sqlite.Queries {
		t.Run(name, func(t *testing.T) {
			steps := plan(t, readers, query, make([]any, 20)...)
			for _, step := range steps {
				isTable := !strings.HasPrefix(step, "SCAN json_each ") && // a parameter's
					!slices.Contains([]string{"SCAN path", "SCAN below"}, step) && !strings.HasPrefix(step, "SCAN (subquery") // the rows that were found
				require.False(t, isTable && strings.HasPrefix(step, "SCAN "), step)
				require.NotContains(t, step, "TEMP B-TREE")
			}
			require.NotEmpty(t, steps)
			require.True(t, want[name] == "" || slices.Contains(steps, want[name]), steps)
		})
	}
}
