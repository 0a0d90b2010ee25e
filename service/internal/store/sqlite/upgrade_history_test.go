package sqlite_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/buildtest"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

// others are objects that a new database does not have, in databases of the commits that are
// named. None of it changes what is found.
var others = map[string][]string{
	"index memories_pending_of_agent": {"6a1fafe", "2ece549"}, // it came into the step a day later: the queue of an agent is slower without it
	"index streams_open":              {"975570b"},            // no query uses it any more
}

// drafts are commits in which the step of tools was being written, when no program made calls
// yet. Their databases open.
var drafts = []string{"4a769c3", "9550caf"}

// Databases of every schema that was ever committed can be opened, get the schema of a new one, and
// keep their data.
func TestUpgradeFromEverySchema(t *testing.T) {
	t.Parallel()
	fresh := filepath.Join(t.TempDir(), "chatsdk.db")
	openFile(t, fresh)
	want := schemaOf(t, fresh)
	committed, err := buildtest.Schemas("service/internal/store/sqlite/migrations", "service/internal/sqlite/migrations")
	require.NoError(t, err)
	require.Greater(t, len(committed), 15)
	for _, schema := range committed {
		commit := schema.Commit
		t.Run(commit, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "chatsdk.db")
			makeSchema(t, path, schema)
			store := openFile(t, path)
			got := schemaOf(t, path)
			for name, commits := range others {
				if slices.Contains(commits, commit) {
					require.NotEqual(t, want[name], got[name], "it need not be named any more")
					delete(got, name)
					if want[name] != "" {
						got[name] = want[name]
					}
				}
			}
			if !slices.Contains(drafts, commit) {
				require.Equal(t, want, got, "a step that was committed is never changed: databases exist that took it")
			}
			findRows(t, store, schema)
			next := turn("c1", "next")
			require.NoError(t, store.BeginTurn(t.Context(), ann, next), "it goes on")
		})
	}
}

// makeSchema makes a database as the program of that time did, with something in each of its
// first tables.
func makeSchema(t *testing.T, path string, schema buildtest.Schema) {
	t.Helper()
	older, err := sql.Open("sqlite", "file:"+path)
	require.NoError(t, err)
	for i, step := range schema.Steps {
		_, err = older.Exec(step.SQL + fmt.Sprintf("; PRAGMA user_version = %d", i+1))
		require.NoError(t, err, step.Name)
	}
	_, err = older.Exec(`
		INSERT INTO projects VALUES ('project', 1);
		INSERT INTO chats (id, project_id, user_id, place, name, named, created_at, updated_at) VALUES ('c1', 'project', 'ann', 1, 'N', 1, 100, 100);
		INSERT INTO messages (id, chat_id, role, content, created_at, model_name, agent_id, finish_reason, is_test) VALUES
			('q1', 'c1', 'user', 'One?', 100, '', '', '', 0), ('a1', 'c1', 'assistant', 'One.', 100, '', 'agent', 'stop', 0)`)
	require.NoError(t, err)
	if schema.Has("_branches.sql") {
		_, err = older.Exec(`
			UPDATE messages SET parent = (SELECT position FROM messages WHERE id = 'q1') WHERE id = 'a1';
			UPDATE chats SET path_end = (SELECT position FROM messages WHERE id = 'a1')`)
		require.NoError(t, err)
	}
	whole := !schema.Has("_steps.sql") // images and texts are not yet in parts
	if whole && schema.Has("_images.sql") {
		_, err = older.Exec(`INSERT INTO images (id, message_id, media_type, width, height, content) VALUES ('img', 'q1', 'image/png', 1, 1, CAST('png' AS BLOB))`)
		require.NoError(t, err)
	}
	if whole && schema.Has("_documents.sql") {
		_, err = older.Exec(`
			INSERT INTO documents (key, project_id, user_id, name, title, folded, kind, status, error, size, created_at, text)
				VALUES ('d1', 'project', 'ann', 'a.md', 'A', 'a', 'markdown', 'synced', '', 7, 100, 'Herons.');
			INSERT INTO passages (document_key, number, title, headings, start_at, end_at, text) VALUES ('d1', 0, 'A', '[]', 0, 7, 'Herons.')`)
		require.NoError(t, err)
	}
	require.NoError(t, older.Close())
}

// findRows finds the rows that makeSchema inserted.
func findRows(t *testing.T, store *sqlite.Store, schema buildtest.Schema) {
	t.Helper()
	history, err := store.ChatHistory(t.Context(), ann, "c1")
	require.NoError(t, err)
	require.Len(t, history.Messages, 2)
	require.Equal(t, []string{"One?", "One.", wire.FinishStop}, []string{history.Messages[0].Content, history.Messages[1].Content, history.Messages[1].FinishReason})
	whole := !schema.Has("_steps.sql")
	if whole && schema.Has("_images.sql") {
		image, err := store.Image(t.Context(), "project", "img")
		require.NoError(t, err)
		require.True(t, bytes.Equal([]byte("png"), contentOf(t, store, image)))
	}
	if whole && schema.Has("_documents.sql") {
		anns := knowledge.Reach{ProjectID: "project", UserID: "ann"}
		content, err := store.Content(t.Context(), anns, "d1", nil)
		require.NoError(t, err)
		require.Equal(t, "Herons.", content.Text)
		hits, err := store.Search(t.Context(), "herons", []string{"d1"}, 10)
		require.NoError(t, err)
		require.Len(t, hits, 1)
	}
}

var comments = regexp.MustCompile(`--[^\n]*`)

// schemaOf returns each object of a schema as it was created, without comments and spaces.
func schemaOf(t *testing.T, path string) map[string]string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	require.NoError(t, err)
	defer db.Close()
	rows, err := db.Query("SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema")
	require.NoError(t, err)
	defer rows.Close()
	all := map[string]string{}
	for rows.Next() {
		var name, text string
		require.NoError(t, rows.Scan(&name, &text))
		all[name] = strings.Join(strings.Fields(comments.ReplaceAllString(text, "")), " ")
	}
	require.NoError(t, rows.Err())
	return all
}
