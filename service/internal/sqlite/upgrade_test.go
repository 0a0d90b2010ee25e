package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// A database of the release before, left by a process that was killed in the
// middle of an answer: what its readers saw is kept, and ends with an error.
func TestUpgradeKeepsAnswersThatWereBeingWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	older, err := sql.Open("sqlite", "file:"+path)
	require.NoError(t, err)
	for _, step := range []string{"0001_chats.sql", "0002_memories.sql"} {
		text, err := os.ReadFile(filepath.Join("migrations", step))
		require.NoError(t, err)
		_, err = older.Exec(string(text))
		require.NoError(t, err)
	}
	_, err = older.Exec(`
		PRAGMA user_version = 2;
		INSERT INTO projects VALUES ('project', 1);
		INSERT INTO chats VALUES ('c1', 'project', 'ann', 1, 'N', 1, NULL, NULL, 100, 100);
		INSERT INTO messages (id, chat_id, role, content, created_at, model_name, agent_id, finish_reason, is_test) VALUES
			('q1', 'c1', 'user', 'One?', 100, '', '', '', 0), ('a1', 'c1', 'assistant', 'One.', 100, '', 'agent', 'stop', 0),
			('q2', 'c1', 'user', 'Two?', 101, '', '', '', 0), ('a2', 'c1', 'assistant', '', 101, '', 'agent', '', 0);
		INSERT INTO streams VALUES ('s2', 'a2');
		INSERT INTO events VALUES ('s2', 1, 'start', CAST('{}' AS BLOB)), ('s2', 2, 'chunk', CAST('{"text":"Tw"}' AS BLOB))`)
	require.NoError(t, err)
	require.NoError(t, older.Close())

	store := openFile(t, path)
	count, err := store.EndBrokenTurns(t.Context(), chat.Broken(300, wire.ErrorBody{StatusCode: 503}))
	require.NoError(t, err)
	require.Equal(t, 1, count)
	kept, err := store.Stream(t.Context(), ann, "s2")
	require.NoError(t, err)
	require.Equal(t, wire.Start{StreamID: "s2", ChatID: "c1", MessageID: "a2", UserMessageID: "q2"}, kept.Start)
	require.Equal(t, []string{"Tw", wire.FinishError}, []string{kept.Answer.Content, kept.Answer.FinishReason})
	require.Equal(t, int64(4), kept.LastID)
	events, err := store.Events(t.Context(), "s2", 1, 10)
	require.NoError(t, err)
	require.Len(t, events, 3)
	options, err := store.SendOptions(t.Context(), "q1")
	require.NoError(t, err)
	require.Nil(t, options, "nobody kept them then")
	writer, _ := store.Pools()
	var fault string
	require.ErrorIs(t, writer.QueryRow("PRAGMA foreign_key_check").Scan(&fault), sql.ErrNoRows)
	_, err = writer.Exec("DELETE FROM chats")
	require.NoError(t, err)
	require.Zero(t, rows(t, store)["events"], "events still go with their chat")
}
