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
		`SELECT count(*) FROM passages`, `SELECT count(*) FROM passages_runs`,
		`SELECT count(*) FROM passages_index WHERE passages_index MATCH 'marmalade'`,
	} {
		var n int
		require.NoError(t, db.QueryRow(query).Scan(&n))
		require.Zero(t, n, query)
	}
	_, err := db.Exec(`INSERT INTO passages_index (passages_index) VALUES ('integrity-check')`)
	require.NoError(t, err)
}

// Passages of two documents that were written at once lie among each other.
func TestPassagesMayLieAmongOthers(t *testing.T) {
	t.Parallel()
	ctx, db := context.Background(), open(t)
	index := search.FTS{Writer: db, Reader: db}
	for i := range 600 {
		_, err := db.Exec(`INSERT INTO passages (document_key, number, title, headings, start_at, end_at, text) VALUES (?, ?, 'T', '[]', 0, 20, ?)`,
			fmt.Sprint("document", i%3), i/3, fmt.Sprintf("marmalade number %d", i))
		require.NoError(t, err)
	}
	for d := range 3 {
		hits, err := index.Search(ctx, "marmalade", []string{fmt.Sprint("document", d)}, 1000)
		require.NoError(t, err)
		require.Len(t, hits, 200)
		for place, hit := range hits {
			require.Equal(t, fmt.Sprintf("marmalade number %d", place*3+d), hit.Text)
		}
	}
	_, err := db.Exec(`DELETE FROM passages WHERE document_key <> 'document1'`)
	require.NoError(t, err)
	var left string
	require.NoError(t, db.QueryRow(`SELECT group_concat(DISTINCT document_key) FROM passages_runs`).Scan(&left))
	require.Equal(t, "document1", left)
}

// A word that very many passages hold is passed over where another one tells
// more, and searched for where none does.
func TestACommonWordIsPassedOver(t *testing.T) {
	t.Parallel()
	ctx, db := context.Background(), open(t)
	index := search.FTS{Writer: db, Reader: db}
	_, err := db.Exec(`
		WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20004)
		INSERT INTO passages (document_key, number, title, headings, start_at, end_at, text)
		SELECT 'a', n, 'T', '[]', 0, 20, CASE WHEN n % 2000 THEN 'marmalade' ELSE 'marmalade on toast' END FROM numbers`)
	require.NoError(t, err)
	hits, err := index.Search(ctx, "marmalade toast", []string{"a"}, 100)
	require.NoError(t, err)
	require.Len(t, hits, 11)
	hits, err = index.Search(ctx, "marmalade", []string{"a"}, 100)
	require.NoError(t, err)
	require.Len(t, hits, 100)
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
