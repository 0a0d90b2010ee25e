package main_test

import (
	"database/sql"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// A database that is removed under a running service takes nothing more, and the next start doesn't
// begin anew without a word.
func TestALostDatabaseIsTold(t *testing.T) {
	t.Parallel()
	const warning = "the data folder was served before, but had no database"
	folder := t.TempDir()
	p := startIn(t, folder, nil)
	require.Equal(t, http.StatusOK, p.do(http.MethodGet, "/readyz", nil, "").status)
	path := filepath.Join(folder, "data", "chatsdk.db")
	require.NoError(t, os.Rename(path, path+".away"))
	for _, r := range []reply{
		p.do(http.MethodGet, "/readyz", nil, ""),
		p.do(http.MethodPost, "/chat/create", asJSON(), `{"project_id":"demo"}`),
	} {
		require.Equal(t, http.StatusServiceUnavailable, r.status)
		require.Equal(t, "2", r.header.Get("Retry-After"))
		told := decode[wire.ErrorBody](t, r, http.StatusServiceUnavailable)
		require.Equal(t, wire.CodeUnavailable, told.Error.Code)
		require.Contains(t, told.Error.Message, "was removed or replaced while the service ran")
	}
	answers := make(chan int)
	for range 32 { // new connections make no new file
		go func() { answers <- p.do(http.MethodGet, "/project/demo/chat", nil, "").status }()
	}
	for range 32 {
		<-answers
	}
	require.NoFileExists(t, path)
	p.stop()
	require.NotContains(t, p.stderr.String(), warning, "of a first start")
	require.Contains(t, p.stderr.String(), "data/chatsdk.db: UNAVAILABLE")

	p = startIn(t, folder, nil)
	p.stop()
	require.Contains(t, p.stderr.String(), warning)
}

// An answer whose end finds the database locked by another program is whole once the lock is gone.
func TestTheDatabaseIsLockedAtTheEnd(t *testing.T) {
	t.Parallel()
	folder, model := t.TempDir(), newModel(t)
	p := startIn(t, folder, model.env())
	s, c := p.answering(model, "Hi", "One two")
	other, err := sql.Open("sqlite", filepath.Join(folder, "data", "chatsdk.db")+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer other.Close()
	lock, err := other.Begin()
	require.NoError(t, err)
	c.finish()
	for p.do(http.MethodGet, "/readyz", nil, "").status == http.StatusOK {
		runtime.Gosched() // it looks at the database now and then
	}
	require.NoError(t, lock.Rollback())
	require.Equal(t, "One two", s.complete().Message.Content)
	require.Equal(t, wire.FinishStop, p.history(s.start.ChatID).Messages[1].FinishReason)
}
