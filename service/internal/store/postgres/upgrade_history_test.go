package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/buildtest"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// Databases of every schema that was ever committed can be opened, get the schema of a new one, and
// keep their data.
func TestUpgradeFromEverySchema(t *testing.T) {
	t.Parallel()
	fresh := pgtest.New(t)
	openAt(t, fresh, "one")
	want := schemaOf(t, fresh)
	committed, err := buildtest.Schemas("service/internal/store/postgres/migrations", "service/internal/postgres/migrations")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(committed), 4)
	for _, schema := range committed {
		t.Run(schema.Commit, func(t *testing.T) {
			t.Parallel()
			address := pgtest.New(t)
			makeSchema(t, address, schema)
			store := openAt(t, address, "one")
			require.Equal(t, want, schemaOf(t, address), "a step that was committed is never changed: databases exist that took it")
			history, err := store.ChatHistory(t.Context(), ann, "c1")
			require.NoError(t, err)
			require.Len(t, history.Messages, 2)
			require.Equal(t, []string{"One?", "One."}, []string{history.Messages[0].Content, history.Messages[1].Content})
			hits, err := store.Search(t.Context(), "herons", []string{"d1", "d2"}, 10)
			require.NoError(t, err)
			require.Len(t, hits, 1)
			require.Equal(t, "Herons.", hits[0].Text)
			list, err := store.ListDocuments(t.Context(), knowledge.Reach{ProjectID: "project", UserID: "ann"}, knowledge.Page{Number: 1, Size: 10})
			require.NoError(t, err)
			require.Len(t, list.Documents, 2)
			begin(t, store, ann, "next")
		})
	}
}

// makeSchema makes a database as the program of that time did, with a chat and documents.
func makeSchema(t *testing.T, address string, schema buildtest.Schema) {
	t.Helper()
	run(t, address, `CREATE TABLE chatsdk_schema (version integer PRIMARY KEY, taken_at timestamptz NOT NULL DEFAULT clock_timestamp())`)
	for i, step := range schema.Steps {
		run(t, address, step.SQL)
		run(t, address, fmt.Sprintf(`INSERT INTO chatsdk_schema (version) VALUES (%d)`, i+1))
	}
	run(t, address, `INSERT INTO projects VALUES ('project', 1)`)
	run(t, address, `INSERT INTO chats (id, project_id, user_id, place, name, named, created_at, updated_at) VALUES ('c1', 'project', 'ann', 1, 'N', true, 100, 100)`)
	run(t, address, `INSERT INTO messages (position, id, chat_id, role, content, created_at, model_name, agent_id, finish_reason, is_test) VALUES
		(nextval('message_positions'), 'q1', 'c1', 'user', 'One?', 100, '', '', '', false), (nextval('message_positions'), 'a1', 'c1', 'assistant', 'One.', 100, '', 'agent', 'stop', false)`)
	run(t, address, `INSERT INTO documents (key, project_id, user_id, name, title, folded, kind, status, error, size, created_at) VALUES
		('d1', 'project', 'ann', 'a.md', 'A', 'a', 'markdown', 'synced', '', 7, 100), ('d2', 'project', 'ann', 'b.md', 'B', 'b', 'markdown', 'synced', '', 7, 100)`)
	run(t, address, `INSERT INTO passages (document_key, number, title, headings, start_at, end_at, text) VALUES ('d1', 0, 'A', '[]', 0, 7, 'Herons.'), ('d2', 0, 'B', '[]', 0, 4, 'Ibis.')`)
	if strings.Contains(schema.Steps[2].SQL, "numbers  bytea") {
		run(t, address, `INSERT INTO passage_terms SELECT position, CASE key WHEN 'd1' THEN 'heron' ELSE 'ibi' END, '\x01' FROM documents`)
		run(t, address, `UPDATE documents SET passages = 1, passages_length = 7`)
		return
	}
	// An index as it is made now is what pagesOf returns: a page with a term, and its only passage.
	run(t, address, `INSERT INTO passage_terms SELECT position, 0, CASE key WHEN 'd1' THEN '\x056865726f6e0101'::bytea ELSE '\x036962690101'::bytea END FROM documents`)
	run(t, address, `UPDATE documents SET passages = 1, passages_length = 7, term_pages = 1`)
}

// schemaOf is each column, index, constraint, trigger and function of a schema.
func schemaOf(t *testing.T, address string) (all []string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, address)
	require.NoError(t, err)
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `
		SELECT format('column %s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default)
			FROM information_schema.columns WHERE table_schema = 'public'
		UNION ALL SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'public'
		UNION ALL SELECT format('constraint %s %s', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
		UNION ALL SELECT 'trigger ' || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
		UNION ALL SELECT 'function ' || proname || ' ' || prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace`)
	require.NoError(t, err)
	all, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	slices.Sort(all)
	return all
}
