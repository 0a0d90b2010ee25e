package postgres_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/chat/storetest"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	knowledgetest "github.com/chatsdk/chatsdk/service/internal/knowledge/storetest"
	memorytest "github.com/chatsdk/chatsdk/service/internal/memory/storetest"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) chat.Store { return openDeparting(t) })
}

func TestMemoryStore(t *testing.T) {
	t.Parallel()
	memorytest.Run(t, func(t *testing.T) memorytest.Store { return openDeparting(t) })
}

func TestKnowledgeStore(t *testing.T) {
	t.Parallel()
	knowledgetest.Run(t, func(t *testing.T) knowledge.Store { return openNew(t) })
}

func TestLimitOfChats(t *testing.T) {
	t.Parallel()
	storetest.RunLimits(t, func(t *testing.T) (chat.Store, func(int)) {
		store := openNew(t)
		return store, func(chats int) { store.Limits.Chats = chats }
	})
}

func TestLimitsOfDocuments(t *testing.T) {
	t.Parallel()
	knowledgetest.RunLimits(t, func(t *testing.T) (knowledge.Store, func(documents, bytes int)) {
		store := openNew(t)
		return store, func(documents, bytes int) {
			store.Limits = postgres.Limits{Documents: documents, DocumentBytes: bytes}
		}
	})
}

// openNew returns a store on an empty database that is closed with the test.
func openNew(t *testing.T) *postgres.Store {
	t.Helper()
	return openAt(t, emptyDatabase(t), "one")
}

// openAt returns a store that is one of several on a database.
func openAt(t *testing.T, address, replica string) *postgres.Store {
	t.Helper()
	store, err := postgres.Open(t.Context(), postgres.Config{URL: address, Replica: replica})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// departing is a store whose broken turns another store ends: broken turns are what another replica
// has left, never a replica's own.
type departing struct {
	*postgres.Store
	other *postgres.Store
	// depart ends the store's lease.
	depart func()
}

func (d *departing) EndBrokenTurns(ctx context.Context, end chat.End, _ ...string) ([]string, error) {
	d.depart()
	return d.other.EndBrokenTurns(ctx, end)
}

func openDeparting(t *testing.T) *departing {
	t.Helper()
	address := emptyDatabase(t)
	d := &departing{Store: openAt(t, address, "one"), other: openAt(t, address, "two")}
	d.depart = func() {
		run(t, address, `UPDATE replicas SET lease_until = '-infinity' WHERE id = $1`, d.Store.Replica())
	}
	return d
}
