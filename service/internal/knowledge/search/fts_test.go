package search_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search/searchtest"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

func open(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	db.SetMaxOpenConns(1)
	_, err = db.Exec(search.Schema)
	require.NoError(t, err)
	return db
}

func TestFTSIsAnIndex(t *testing.T) {
	t.Parallel()
	searchtest.Run(t, func(t *testing.T) search.Index {
		db := open(t)
		return search.FTS{Writer: db, Reader: db}
	})
}

func TestNothingOfADocumentIsLeft(t *testing.T) {
	t.Parallel()
	ctx, db := context.Background(), open(t)
	index := search.FTS{Writer: db, Reader: db}
	for i := range 3 {
		text := fmt.Sprintf("marmalade number %d", i)
		require.NoError(t, index.Add(ctx, search.Document{Key: "a", Title: "A", Passages: []split.Passage{{Text: text, End: len(text)}}}))
	}
	require.NoError(t, index.Remove(ctx, "a"))
	for _, query := range []string{
		`SELECT count(*) FROM passages`,
		`SELECT count(*) FROM passages_index WHERE passages_index MATCH 'marmalade'`,
	} {
		var n int
		require.NoError(t, db.QueryRow(query).Scan(&n))
		require.Zero(t, n, query)
	}
	_, err := db.Exec(`INSERT INTO passages_index (passages_index) VALUES ('integrity-check')`)
	require.NoError(t, err)
}

func TestAnEndedContextEndsTheSearch(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	db := open(t)
	index := search.FTS{Writer: db, Reader: db}
	_, err := index.Search(ctx, "marmalade", []string{"a"}, 5)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, index.Add(ctx, search.Document{Key: "a"}), context.Canceled)
}

func FuzzNoQuestionIsAnExpression(f *testing.F) {
	for _, question := range []string{`"`, `a" OR "b`, `NEAR(a b)`, `title:x`, `x*`, `^x`, `- NOT AND OR`, `(`, "\x00", `'; DROP TABLE passages; --`, strings.Repeat("word ", 5000)} {
		f.Add(question)
	}
	db, err := sql.Open("sqlite", ":memory:")
	require.NoError(f, err)
	f.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	_, err = db.Exec(search.Schema)
	require.NoError(f, err)
	index := search.FTS{Writer: db, Reader: db}
	f.Fuzz(func(t *testing.T, question string) {
		hits, err := index.Search(context.Background(), question, []string{"a"}, 5)
		require.NoError(t, err)
		require.Empty(t, hits)
	})
}
