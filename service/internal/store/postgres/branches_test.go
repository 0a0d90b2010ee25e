package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Replicas are replaced one by one: one of the previous version stores messages without a parent,
// and replaces an answer by another one.
func TestAReplicaFromBeforePaths(t *testing.T) {
	t.Parallel()
	address := emptyDatabase(t)
	store := openAt(t, address, "one")
	begin(t, store, ann, "t")
	const columns = `position, id, chat_id, role, content, created_at, model_name, agent_id, finish_reason, is_test`
	run(t, address, `INSERT INTO messages (`+columns+`) VALUES
		(nextval('message_positions'), 'q', 't-c', 'user', 'Two?', 1, '', '', '', false)`)
	run(t, address, `INSERT INTO messages (`+columns+`) VALUES
		((SELECT position + 1 FROM messages WHERE id = 'q'), 'a', 't-c', 'assistant', 'Two.', 1, '', 'agent', 'stop', false)`)
	path := func() (ids []string) {
		history, err := store.ChatHistory(t.Context(), ann, "t-c")
		require.NoError(t, err)
		for _, message := range history.Messages {
			ids = append(ids, message.ID)
		}
		return ids
	}
	require.Equal(t, []string{"t-q", "t-a", "q", "a"}, path())

	run(t, address, `INSERT INTO messages (`+columns+`, replaces) VALUES
		(nextval('message_positions'), 'b', 't-c', 'assistant', 'Two!', 1, '', 'agent', 'stop', false, 'a')`)
	beside, err := store.Message(t.Context(), ann, "t-c", "b")
	require.NoError(t, err)
	require.Equal(t, []any{"q", []string{"a", "b"}}, []any{beside.ParentID, beside.Siblings})
	run(t, address, `WITH old AS (DELETE FROM messages WHERE id = 'a' RETURNING position)
		UPDATE messages SET position = old.position, replaces = NULL FROM old WHERE id = 'b'`)
	require.Equal(t, []string{"t-q", "t-a", "q", "b"}, path())
}
