package sqlite_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/knowledge"
)

// A database from before searches kept to their documents and files were read in
// rounds: what was searched is found, and what was queued is read in turn.
func TestUpgradeKeepsDocuments(t *testing.T) {
	t.Parallel()
	store := upgraded(t, 5, `
		INSERT INTO documents (key, project_id, user_id, name, title, folded, kind, status, error, size, created_at, text) VALUES
			('a', 'project', 'ann', 'a.md', 'A', 'a', 'markdown', 'synced', '', 7, 100, 'Salmon.'),
			('b', 'project', 'bob', 'b.md', 'B', 'b', 'markdown', 'synced', '', 7, 100, 'Salmon.'),
			('q1', 'project', 'ann', 'q1.md', 'Q', 'q', 'markdown', 'queued', '', 7, 100, ''),
			('q2', 'project', 'ann', 'q2.md', 'Q', 'q', 'markdown', 'queued', '', 7, 100, ''),
			('q3', 'project', NULL, 'q3.md', 'Q', 'q', 'markdown', 'queued', '', 7, 100, '');
		INSERT INTO document_jobs (document_key, failures, due, file) VALUES
			('q1', 1, 0, CAST('x' AS BLOB)), ('q2', 0, 0, CAST('x' AS BLOB)), ('q3', 0, 0, CAST('x' AS BLOB));
		INSERT INTO passages (document_key, number, title, headings, start_at, end_at, text) VALUES
			('a', 0, 'A', '[]', 0, 20, 'Salmon swim.'), ('a', 1, 'A', '[]', 20, 30, 'Salmon eat.'),
			('b', 0, 'B', '[]', 0, 9, 'Salmon.'), ('a', 2, 'A', '[]', 30, 36, 'Herons.')`)

	hits, err := store.Search(t.Context(), "salmon herons", []string{"a"}, 10)
	require.NoError(t, err)
	require.Len(t, hits, 3)
	hits, err = store.Search(t.Context(), "salmon herons", []string{"b"}, 10)
	require.NoError(t, err)
	require.Len(t, hits, 1)
	writer, _ := store.Pools()
	var runs string
	require.NoError(t, writer.QueryRow(`
		SELECT group_concat(document_key || ' ' || first_id || ' ' || last_id || ' ' || length, '; ')
		FROM (SELECT * FROM passages_runs ORDER BY document_key, first_id)`).Scan(&runs))
	require.Equal(t, "a 1 2 30; a 4 4 6; b 3 3 9", runs)

	jobs, err := store.DocumentJobs(t.Context(), 100, 10)
	require.NoError(t, err)
	require.Equal(t, []knowledge.Job{
		{Key: "q1", Name: "q1.md", Owner: `["project","ann"]`, Failures: 1}, {Key: "q3", Name: "q3.md", Owner: `["project",null]`},
	}, jobs)
}
