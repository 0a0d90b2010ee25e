package sqlite_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// A database from before branches has an answer that failed to replace another one, and one that is
// about to. The upgrade makes the history the path; these two answers are not on it.
func TestUpgradeMakesAPathOfAHistory(t *testing.T) {
	t.Parallel()
	store := upgraded(t, 11, `
		INSERT INTO projects VALUES ('project', 3);
		INSERT INTO chats (id, project_id, user_id, place, name, named, created_at, updated_at) VALUES
			('c1', 'project', 'ann', 1, 'N', 1, 100, 100), ('c2', 'project', 'ann', 2, 'N', 1, 100, 100), ('c3', 'project', 'ann', 3, 'N', 1, 100, 100);
		INSERT INTO messages (id, chat_id, role, content, created_at, model_name, agent_id, finish_reason, is_test, replaces) VALUES
			('q1', 'c1', 'user', 'One?', 100, '', '', '', 0, NULL), ('a1', 'c1', 'assistant', 'One.', 100, '', 'agent', 'stop', 0, NULL),
			('p1', 'c2', 'user', 'Other?', 100, '', '', '', 0, NULL), ('b1', 'c2', 'assistant', 'Other.', 100, '', 'agent', 'stop', 0, NULL),
			('q2', 'c1', 'user', 'Two?', 101, '', '', '', 0, NULL), ('a2', 'c1', 'assistant', 'Two.', 101, '', 'agent', 'stop', 0, NULL),
			('failed', 'c1', 'assistant', 'half', 102, '', 'agent', 'error', 0, 'gone'),
			('again', 'c1', 'assistant', '', 103, '', 'agent', '', 0, 'a2'),
			('nobody', 'c1', 'assistant', '', 104, '', 'agent', 'error', 0, 'gone');
		INSERT INTO streams (id, message_id, question_id, ended_at, last_id, swept, number) VALUES
			('s1', 'a1', 'q1', 100, 3, 1, 1), ('s2', 'a2', 'q2', 101, 3, 1, 3), ('sf', 'failed', 'q2', 102, 3, 1, 5), ('sa', 'again', 'q2', NULL, 0, 0, 7)`)
	broken, err := store.EndBrokenTurns(t.Context(), chat.Broken(300, errors.New("killed")))
	require.NoError(t, err)
	require.Equal(t, []string{"sa"}, broken)
	path := func(chatID string) (ids []string) {
		history, err := store.ChatHistory(t.Context(), ann, chatID)
		require.NoError(t, err)
		for _, message := range history.Messages {
			ids = append(ids, message.ID)
		}
		return ids
	}
	require.Equal(t, []string{"q1", "a1", "q2", "a2"}, path("c1"))
	require.Equal(t, []string{"p1", "b1"}, path("c2"))
	require.Empty(t, path("c3"))
	last, err := store.Message(t.Context(), ann, "c1", "a2")
	require.NoError(t, err)
	require.Equal(t, []any{"q2", []string{"a2", "failed", "again"}}, []any{last.ParentID, last.Siblings})
	failed, err := store.Stream(t.Context(), ann, "sf")
	require.NoError(t, err)
	require.Equal(t, []string{"half", wire.FinishError}, []string{failed.Answer.Content, failed.Answer.FinishReason})

	next := turn("c1", "next")
	require.NoError(t, store.BeginTurn(t.Context(), ann, next))
	require.Equal(t, []string{"q1", "a1", "q2", "a2"}, path("c1")[:4])
	require.Len(t, path("c1"), 6)
}
