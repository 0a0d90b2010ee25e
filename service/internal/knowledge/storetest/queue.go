package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
)

func due(t *testing.T, store knowledge.Store, now float64) (keys []string) {
	t.Helper()
	jobs, err := store.DocumentJobs(t.Context(), now, 10)
	require.NoError(t, err)
	for _, job := range jobs {
		keys = append(keys, job.Key)
	}
	return keys
}

func queue(t *testing.T, store knowledge.Store) {
	for _, key := range []string{"c", "a", "b"} {
		add(t, store, document(key, "user of "+key, key+".md"))
	}
	require.Equal(t, []string{"c", "a", "b"}, due(t, store, 100))
	require.NoError(t, store.PutOffDocument(t.Context(), "c", 200))
	require.Equal(t, []string{"a", "b"}, due(t, store, 199))
	jobs, err := store.DocumentJobs(t.Context(), 200, 1)
	require.NoError(t, err)
	require.Len(t, jobs, 1)
	require.NotEmpty(t, jobs[0].Owner)
	jobs[0].Owner = ""
	require.Equal(t, []knowledge.Job{{Key: "c", Name: "c.md", Failures: 1}}, jobs)
	count, err := store.CountDocumentJobs(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, count)
}

// order returns the keys in the order in which one worker reads everything that
// is due.
func order(t *testing.T, store knowledge.Store) string {
	t.Helper()
	var keys []string
	for next := due(t, store, 1000); len(next) > 0; next = due(t, store, 1000) {
		keys = append(keys, next[0])
		require.NoError(t, store.FinishDocument(t.Context(), next[0], read.Document{Kind: read.Markdown, Title: "T", Text: "Text."}, passages("Text.")))
	}
	return strings.Join(keys, " ")
}

func rounds(t *testing.T, store knowledge.Store) {
	for _, user := range []string{"eve", "eve", "eve", "eve", "", "", "ann"} {
		jobs, err := store.CountDocumentJobs(t.Context())
		require.NoError(t, err)
		add(t, store, document(fmt.Sprintf("%s%d", user, jobs), user, "a.md"))
	}
	add(t, store, knowledge.Document{Key: "elsewhere", ProjectID: "other", UserID: "eve", Name: "a.md", Status: "queued"})
	require.Equal(t, []string{"eve0", "4", "ann6", "elsewhere"}, due(t, store, 100),
		"one for each owner: the project is an owner, and so is a user of another project")
	for _, key := range []string{"eve0", "eve1"} {
		require.NoError(t, store.FailDocument(t.Context(), key, "broken"))
	}
	add(t, store, document("bob", "bob", "a.md"))
	require.Equal(t, "4 ann6 elsewhere bob 5 eve2 eve3", order(t, store), "a new owner joins the current round")
}

func roundsAfterFailure(t *testing.T, store knowledge.Store) {
	add(t, store, document("late", "ann", "a.md"))
	require.NoError(t, store.PutOffDocument(t.Context(), "late", 900))
	for i := range 4 {
		add(t, store, document(fmt.Sprint("eve", i), "eve", "a.md"))
	}
	for i := range 2 {
		require.NoError(t, store.FailDocument(t.Context(), fmt.Sprint("eve", i), "broken"))
	}
	for i := range 2 {
		add(t, store, document(fmt.Sprint("bob", i), "bob", "a.md"))
	}
	add(t, store, document("ann", "ann", "a.md"))
	require.Equal(t, []string{"eve2", "bob0", "ann"}, due(t, store, 899))
	require.Equal(t, "late eve2 bob0 ann eve3 bob1", order(t, store))
}
