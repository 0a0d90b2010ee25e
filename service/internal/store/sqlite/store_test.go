package sqlite_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/chat/storetest"
	memorytest "github.com/chatsdk/chatsdk/service/internal/memory/storetest"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite/sqlitetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) chat.Store { return openNew(t) })
}

func TestMemoryStore(t *testing.T) {
	t.Parallel()
	memorytest.Run(t, func(t *testing.T) memorytest.Store { return openNew(t) })
}

// openNew returns an empty store that is closed with the test.
func openNew(t *testing.T) *sqlite.Store {
	t.Helper()
	return openFile(t, sqlitetest.File(t))
}

func openFile(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func TestFirstReadings(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	storetest.FirstReadings(t, store, store)
}
