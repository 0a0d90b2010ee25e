package sqlite_test

import (
	"database/sql"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	knowledgetest "github.com/chatsdk/chatsdk/service/internal/knowledge/storetest"
)

func TestKnowledgeStore(t *testing.T) {
	t.Parallel()
	knowledgetest.Run(t, func(t *testing.T) knowledge.Store { return openNew(t) })
}

// The migration has what package search works with.
func TestPassagesAreAsSearchWantsThem(t *testing.T) {
	t.Parallel()
	bare, err := sql.Open("sqlite", ":memory:")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, bare.Close()) })
	bare.SetMaxOpenConns(1)
	_, err = bare.Exec(search.Schema)
	require.NoError(t, err)
	writer, _ := openNew(t).Pools()
	require.Equal(t, passagesSchema(t, bare), passagesSchema(t, writer))
}

var spaces = regexp.MustCompile(`\s+`)

func passagesSchema(t *testing.T, db *sql.DB) (all []string) {
	t.Helper()
	rows, err := db.Query(`SELECT sql FROM sqlite_schema WHERE name LIKE 'passages%' AND sql <> '' ORDER BY name`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		all = append(all, spaces.ReplaceAllString(text, " "))
	}
	require.NoError(t, rows.Err())
	require.GreaterOrEqual(t, len(all), 5)
	return all
}

// A deletion leaves nothing in any table, the index included.
func TestNothingOfADocumentIsLeft(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	knowledgetest.Fill(t, store)
	require.NoError(t, store.DeleteDocuments(t.Context(), "project", knowledgetest.Keys()))
	writer, _ := store.Pools()
	for _, query := range []string{
		`SELECT count(*) FROM documents`, `SELECT count(*) FROM document_jobs`, `SELECT count(*) FROM passages`, `SELECT count(*) FROM passages_runs`,
		`SELECT count(*) FROM passages_index WHERE passages_index MATCH 'salmon OR heron OR marmalade'`,
	} {
		var count int
		require.NoError(t, writer.QueryRow(query).Scan(&count))
		require.Zero(t, count, query)
	}
	_, err := writer.Exec(`INSERT INTO passages_index (passages_index) VALUES ('integrity-check')`)
	require.NoError(t, err)
}
