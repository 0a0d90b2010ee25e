package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// A database from before reviews kept who decided, which a replica of the version before goes on
// writing: its memories are as they were, and what it adds and decides is read.
func TestAReplicaThatKnowsNoReviews(t *testing.T) {
	t.Parallel()
	address, store := upgraded(t, 6, `
		INSERT INTO memories (id, project_id, agent_id, user_id, content, type, confidence, status, reject_reason,
			created_at, updated_at, approved_at, rejected_at, expires_at) VALUES
			('old', 'project', 'agent', 'ann', 'User has a cat', 'fact', 0.9, 'pending', '', 1, 1, 0, 0, 900)`)
	// These two are of the version before, word for word but for the values.
	run(t, address, `
		INSERT INTO memories (id, project_id, agent_id, user_id, content, type, confidence, status, reject_reason,
			created_at, updated_at, approved_at, rejected_at, expires_at,
			source_message_id, triggering_message, span_start, span_end, source_chat_id)
		VALUES ('new', 'project', 'agent', 'ann', 'User has a dog', 'fact', 0.9, 'pending', '', 2, 2, 0, 0, 900, NULL, NULL, NULL, NULL, NULL)`)
	run(t, address, `
		UPDATE memories SET status = 'approved', reject_reason = '', updated_at = 3, approved_at = 3, rejected_at = 0, expires_at = 0
		WHERE id = 'old'`)
	want := func(id, content, status string, created, approved, expires float64) wire.Memory {
		return wire.Memory{
			ID: id, AgentID: "agent", UserID: "ann", MemoryContent: content, MemoryType: wire.MemoryFact, ConfidenceScore: 0.9, Status: status,
			CreatedAt: created, UpdatedAt: max(created, approved), ApprovedAt: approved, ExpiresAt: expires, Origin: wire.OriginUser,
		}
	}
	all, _, err := store.Memories(t.Context(), memory.Query{ProjectID: "project", Now: 100})
	require.NoError(t, err)
	require.Equal(t, []wire.Memory{
		want("new", "User has a dog", wire.MemoryPending, 2, 0, 900), want("old", "User has a cat", wire.MemoryApproved, 1, 3, 0),
	}, all)
}
