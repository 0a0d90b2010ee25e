package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// A database from before reviews recorded who decided. A replica of the previous version keeps
// writing to it: its memories are as they were, and what the replica adds and decides is read.
func TestAReplicaFromBeforeReviews(t *testing.T) {
	t.Parallel()
	address, store := upgraded(t, 6, `
		INSERT INTO memories (id, project_id, agent_id, user_id, content, type, confidence, status, reject_reason,
			created_at, updated_at, approved_at, rejected_at, expires_at) VALUES
			('old', 'project', 'agent', 'ann', 'User has a cat', 'fact', 0.9, 'pending', '', 1, 1, 0, 0, 900)`)
	// These two are from the previous version, word for word except for the values.
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

// A database from before failures of detection were stored. A replica of the previous version keeps
// writing to it: it takes and puts off messages, and what fails here is counted.
func TestAReplicaFromBeforeFailures(t *testing.T) {
	t.Parallel()
	address, store := upgraded(t, 7, `
		INSERT INTO projects VALUES ('project', 1);
		INSERT INTO chats (id, project_id, user_id, place, name, named, created_at, updated_at, path_end) VALUES ('c', 'project', 'ann', 1, 'N', true, 100, 100, 2);
		INSERT INTO messages (position, id, chat_id, role, content, created_at, model_name, agent_id, finish_reason, is_test, parent) VALUES
			(1, 'q1', 'c', 'user', 'I have a dog', 100, '', '', '', false, 0), (2, 'a1', 'c', 'assistant', 'One.', 100, '', 'agent', 'stop', false, 1);
		INSERT INTO memory_jobs (message_id, stream_id, project_id, agent_id, user_id, failures, due) VALUES ('q1', 's1', 'project', 'agent', 'ann', 2, 0)`)
	// This one is from the previous version, word for word except for the values.
	run(t, address, `UPDATE memory_jobs SET failures = failures + 1, due = 150, replica = NULL WHERE message_id = 'q1' AND (replica IS NULL OR replica = 'old')`)
	jobs, err := store.Jobs(t.Context(), 150, 10)
	require.NoError(t, err)
	require.Len(t, jobs, 1)
	require.Equal(t, 3, jobs[0].Failures)
	require.NoError(t, store.FailDetection(t.Context(), jobs[0], memory.Failure{At: 150, Code: wire.CodeProviderTimeout}))
	detection, err := store.Detection(t.Context(), "project", "agent")
	require.NoError(t, err)
	require.Equal(t, wire.MemoryDetection{
		Waiting: 1, Failure: &wire.DetectionFailure{Since: 150, Failures: 1, Code: wire.CodeProviderTimeout},
	}, detection)
}

// A replica of the version before knows no edits. It decides about a memory that was edited, and the edits stay.
func TestAReplicaFromBeforeEdits(t *testing.T) {
	t.Parallel()
	const before = `{"origin":"administrator","original_content":"User has a cat","edited_by":"root","edited_at":2}`
	address, store := upgraded(t, 10, `
		INSERT INTO memories (id, project_id, agent_id, user_id, content, type, confidence, status, reject_reason,
			created_at, updated_at, approved_at, rejected_at, expires_at, details) VALUES
			('old', 'project', 'agent', 'ann', 'User has two cats', 'fact', 0.9, 'pending', '', 1, 1, 0, 0, 900, '`+before+`'),
			('plain', 'project', 'agent', 'ann', 'User has a dog', 'fact', 0.9, 'pending', '', 1, 1, 0, 0, 900, NULL)`)
	owner := memory.Owner{ProjectID: "project", AgentID: "agent", UserID: "ann"}
	edits := map[string][]wire.MemoryEdit{}
	require.NoError(t, store.ChangeMemories(t.Context(), owner, "", func(state memory.State) (changes memory.Changes, err error) {
		for _, one := range state.Memories {
			one.Edits = []wire.MemoryEdit{{Text: "before \"" + one.ID + "\"", By: "root", At: 2}}
			edits[one.ID] = one.Edits
			changes.Updated = append(changes.Updated, one)
		}
		return changes, nil
	}))
	// This is what the previous version stores, word for word except for the values.
	const update = `
		UPDATE memories
		SET status = $1, reject_reason = $2, updated_at = $3, approved_at = $4, rejected_at = $5, expires_at = $6, content = $7, type = $8, details = $9
		WHERE id = $10`
	run(t, address, update, "approved", "", 3.0, 3.0, 0.0, 0.0, "User has two cats", "fact", before, "old")
	run(t, address, update, "approved", "", 3.0, 3.0, 0.0, 0.0, "User has a dog", "fact", nil, "plain")
	all, _, err := store.Memories(t.Context(), memory.Query{ProjectID: "project", Now: 100})
	require.NoError(t, err)
	require.Len(t, all, 2)
	for _, one := range all {
		require.Equal(t, wire.MemoryApproved, one.Status)
		require.Equal(t, edits[one.ID], one.Edits)
	}
	require.Equal(t, "root", all[1].EditedBy)
}
