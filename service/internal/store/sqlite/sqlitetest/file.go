// Package sqlitetest gives tests databases that need not take every step of the schema first.
package sqlitetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

// empty returns the bytes of a database of the current schema in which nothing was stored.
var empty = sync.OnceValues(func() (content []byte, err error) {
	folder, err := os.MkdirTemp("", "chatsdk-empty-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "empty.db")
	store, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := store.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// File makes an empty database of the current schema in a folder of the test, and returns its
// path.
func File(t testing.TB) string {
	t.Helper()
	content, err := empty()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}
