package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

// openTables returns the tables of package sqlite.
func openTables(t testing.TB) *sql.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "search.db")
	store, err := sqlite.Open(context.Background(), path)
	require.NoError(t, err)
	require.NoError(t, store.Close())
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=synchronous(off)")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func findIn(t *testing.T, db *sql.DB, question, key string, limit int) []search.Hit {
	t.Helper()
	tx, err := db.Begin()
	require.NoError(t, err)
	defer tx.Rollback() // nothing was changed
	hits, err := search.Find(context.Background(), sqlite.PassagesOf(tx), question, []string{key}, limit)
	require.NoError(t, err)
	return hits
}

// Passages of two documents that were written at the same time are mixed.
func TestPassagesMayLieAmongOthers(t *testing.T) {
	t.Parallel()
	db := openTables(t)
	for i := range 600 {
		_, err := db.Exec(`INSERT INTO passages (document_key, number, title, headings, start_at, end_at, text) VALUES (?, ?, 'T', '[]', 0, 20, ?)`,
			fmt.Sprint("document", i%3), i/3, fmt.Sprintf("marmalade number %d", i))
		require.NoError(t, err)
	}
	for d := range 3 {
		hits := findIn(t, db, "marmalade", fmt.Sprint("document", d), 1000)
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

// A word that very many passages hold is skipped if another one says more, and searched for if
// none does.
func TestACommonWordIsSkipped(t *testing.T) {
	t.Parallel()
	db := openTables(t)
	_, err := db.Exec(`
		WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20004)
		INSERT INTO passages (document_key, number, title, headings, start_at, end_at, text)
		SELECT 'a', n, 'T', '[]', 0, 20, CASE WHEN n % 2000 THEN 'marmalade' ELSE 'marmalade on toast' END FROM numbers`)
	require.NoError(t, err)
	require.Len(t, findIn(t, db, "marmalade toast", "a", 100), 11)
	require.Len(t, findIn(t, db, "marmalade", "a", 100), 100)
}

func FuzzNoQuestionIsAnExpression(f *testing.F) {
	for _, question := range []string{`"`, `a" OR "b`, `NEAR(a b)`, `title:x`, `x*`, `^x`,
		`- NOT AND OR`, `(`, "\x00", `'; DROP TABLE passages; --`, strings.Repeat("word ", 5000)} {
		f.Add(question)
	}
	db := openTables(f)
	f.Fuzz(func(t *testing.T, question string) {
		require.Empty(t, findIn(t, db, question, "a", 5))
	})
}
