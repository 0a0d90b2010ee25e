package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Statements that get the same arguments find the same rows, also by an id with a character that
// isn't stored as it is.
func TestStatementsShareTheirArguments(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	require.NoError(t, store.ExecAll(t.Context(), []string{
		`INSERT INTO memory_settings (project_id, agent_id, max_memories) VALUES ($1, $1, 1)`,
		`UPDATE memory_settings SET max_memories = 2 WHERE project_id = $1`,
		`DELETE FROM memory_settings WHERE project_id = $1 AND max_memories = 2`,
	}, "a\ufdd0"))
	left := 0
	require.NoError(t, store.Read(t.Context(), `SELECT count(*) FROM memory_settings`, &left))
	require.Zero(t, left)
}
