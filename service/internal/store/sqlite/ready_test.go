package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

// What would be written into a file that is gone is refused, and whoever asks learns what to do.
func TestAFileThatIsGoneIsNoticed(t *testing.T) {
	t.Parallel()
	moved := func(end string) func(*testing.T, string) (back func()) {
		return func(t *testing.T, path string) func() {
			away := filepath.Join(filepath.Dir(path), "away")
			require.NoError(t, os.Rename(path+end, away))
			return func() { require.NoError(t, os.Rename(away, path+end)) }
		}
	}
	tests := []struct {
		name string
		do   func(t *testing.T, path string) (back func())
	}{
		{"the database was moved away", moved("")},
		{"its log was", moved("-wal")},
		{"its index of the log was", moved("-shm")},
		{"another file has its place", func(t *testing.T, path string) func() {
			back := moved("")(t, path)
			require.NoError(t, os.WriteFile(path, nil, 0o600))
			return back
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "chatsdk.db")
			store := openFile(t, path)
			require.NoError(t, store.Ping(t.Context()))
			back := test.do(t, path)
			for name, err := range map[string]error{
				"ping":   store.Ping(t.Context()),
				"create": store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c", Name: "N"}, nil),
			} {
				require.True(t, fault.IsUnavailable(err), "%s: %v", name, err)
				require.Contains(t, fault.Of(err).Message, "was removed or replaced", name)
				require.Contains(t, fault.Of(err).Message, "restore a backup", name)
				require.ErrorContains(t, err, path, "the log says which")
			}
			back()
			require.NoError(t, store.Ping(t.Context()))
			require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c", Name: "N"}, nil))
		})
	}
}

// One broken page makes some requests fail. Trying them again doesn't help, but somebody must know.
func TestADamagedFileIsNoticed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	first, err := sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	fill(t, first, "a", "word")
	writer, _ := first.Pools()
	var page, size int64
	require.NoError(t, writer.QueryRow(`SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = 'memories'`).Scan(&page, &size))
	require.NoError(t, first.Close())
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for n := range size {
		content[(page-1)*size+n] = 0xff
	}
	require.NoError(t, os.WriteFile(path, content, 0o600))

	store := openFile(t, path)
	require.NoError(t, store.Ping(t.Context()), "nobody has read that page")
	_, _, err = store.Memories(t.Context(), memory.Query{ProjectID: "project", UserID: "a"})
	require.Equal(t, wire.CodeInternal, fault.Of(err).Code, "%v", err)
	require.Contains(t, fault.Of(err).Message, "The database is damaged")
	err = store.Ping(t.Context())
	require.Contains(t, fault.Of(err).Message, "The database is damaged: its operator must stop the service and restore a backup")
}

// A transaction that has not ended after half a second holds up everything that is written.
func TestAStalledWriteIsNoticed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	store := openFile(t, path)
	store.Fresh(0)
	end := locked(t, store, path)
	pragma("PRAGMA busy_timeout(60000)", "")(t, store, path)
	err := store.Ping(t.Context())
	require.True(t, fault.IsUnavailable(err), "%v", err)
	require.Contains(t, fault.Of(err).Message, "The database takes no writes: another program has its lock")
	end()
}
