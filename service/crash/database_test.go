package crash_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"
)

// openJobs requires that the database of a killed process is intact, before another process recovers
// it. It returns how many messages were not examined yet.
func openJobs(t *testing.T, folder string) (count int) {
	t.Helper()
	db := openCopy(t, filepath.Join(folder, "data", "chatsdk.db"))
	defer func() { require.NoError(t, db.Close()) }()
	var verdict string
	require.NoError(t, db.QueryRow("PRAGMA integrity_check").Scan(&verdict))
	require.Equal(t, "ok", verdict)
	var orphans int
	require.NoError(t, db.QueryRow("SELECT count(*) FROM pragma_foreign_key_check").Scan(&orphans))
	require.Zero(t, orphans, "rows whose foreign key refers to a missing row")
	require.NoError(t, db.QueryRow("SELECT count(*) FROM memory_jobs").Scan(&count))
	return count
}

// openCopy opens a copy of a database, because opening the file itself would recover it.
func openCopy(t *testing.T, path string) *sql.DB {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy.db")
	for _, end := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + end)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(to+end, content, 0o600))
	}
	db, err := sql.Open("sqlite", "file:"+to)
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(to)) })
	return db
}
