package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	knowledgetest "github.com/chatsdk/chatsdk/service/internal/knowledge/storetest"
)

// Rows that were copied from elsewhere lack counters and the index of documents.
func TestCopiedRowsAreSettled(t *testing.T) {
	t.Parallel()
	address := emptyDatabase(t)
	store := openAt(t, address, "one")
	knowledgetest.Fill(t, store)
	begin(t, store, ann, "before")
	found, err := store.Search(t.Context(), "salmon", knowledgetest.Keys(), 10)
	require.NoError(t, err)
	require.Len(t, found, 3)

	run(t, address, `DELETE FROM passage_terms`)
	run(t, address, `UPDATE documents SET passages = 0, passages_length = 0, term_pages = 0`)
	run(t, address, `SELECT setval('message_positions', 1, false), setval(pg_get_serial_sequence('documents', 'position'), 1, false)`)
	run(t, address, `UPDATE messages SET position = position + 3, parent = CASE parent WHEN 0 THEN 0 ELSE parent + 3 END`)
	run(t, address, `UPDATE chats SET path_end = path_end + 3`)
	for range 2 { // the second has nothing to do
		require.NoError(t, store.Settle(t.Context()))
	}
	again, err := store.Search(t.Context(), "salmon", knowledgetest.Keys(), 10)
	require.NoError(t, err)
	require.Equal(t, found, again)
	begin(t, store, ann, "after")
	more := turn("more")
	more.NewChat, more.Question.ChatID, more.Answer.ChatID = nil, "before-c", "before-c"
	require.NoError(t, store.BeginTurn(t.Context(), ann, more))
	history, err := store.ChatHistory(t.Context(), ann, "before-c")
	require.NoError(t, err)
	require.Equal(t, "more-q", history.Messages[2].ID)
	require.NoError(t, store.AddDocument(t.Context(), knowledge.Document{Key: "new", ProjectID: "project"}, nil, nil))
}
