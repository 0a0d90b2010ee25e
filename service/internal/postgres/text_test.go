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
		`INSERT INTO projects VALUES ($1, 1)`,
		`UPDATE projects SET last_place = 2 WHERE id = $1`,
		`DELETE FROM projects WHERE id = $1 AND last_place = 2`,
	}, "a\ufdd0"))
	left := 0
	require.NoError(t, store.Read(t.Context(), `SELECT count(*) FROM projects`, &left))
	require.Zero(t, left)
}
