package sqlite_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// A database from before the limits: what is in it counts from then on,
// stays readable, and is swept.
func TestUpgradeCountsWhatWasThere(t *testing.T) {
	t.Parallel()
	store := upgraded(t, 5, `
		INSERT INTO documents (key, project_id, user_id, name, title, folded, kind, status, error, size, created_at, text)
		VALUES ('d1', 'project', 'ann', 'n', 'n', 'n', 'text', 'synced', '', 60, 100, 'text'),
			('d2', 'project', 'ann', 'n', 'n', 'n', 'text', 'synced', '', 60, 100, 'text');
		INSERT INTO memories (id, project_id, agent_id, user_id, content, type, confidence, status, reject_reason,
			created_at, updated_at, approved_at, rejected_at, expires_at)
		VALUES ('m1', 'project', 'a', 'ann', 'c', 'fact', 1, 'rejected', 'superseded', 1, 1, 0, 50, 0),
			('m2', 'project', 'a', 'ann', 'c', 'fact', 1, 'approved', '', 1, 1, 1, 0, 0)`)

	store.Limits.DocumentBytes = 100
	add := func(size int64) error {
		d := knowledge.Document{Key: "d3", ProjectID: "project", UserID: "ann", Kind: "text", Status: wire.DocumentQueued, Size: size}
		return store.AddDocument(t.Context(), d, []byte("x"), nil)
	}
	var refusal *fault.Error
	require.ErrorAs(t, add(1), &refusal)
	list, err := store.ListDocuments(t.Context(), knowledge.Reach{ProjectID: "project", UserID: "ann"}, knowledge.Page{Number: 1, Size: 10})
	require.NoError(t, err)
	require.Len(t, list.Documents, 2)
	require.NoError(t, store.DeleteDocuments(t.Context(), "project", []string{"d1"}, 200))
	require.NoError(t, add(40))

	require.NoError(t, store.SweepMemories(t.Context(), 50))
	memories, _, err := store.Memories(t.Context(), memory.Query{ProjectID: "project"})
	require.NoError(t, err)
	require.Len(t, memories, 1)
	require.Equal(t, "m2", memories[0].ID)
}
