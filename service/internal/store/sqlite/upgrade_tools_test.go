package sqlite_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// A database from before tools has an answer that its process left open. The upgrade ends that
// answer, since nothing was parked then, and the chat goes on with calls.
func TestUpgradeParksNothing(t *testing.T) {
	t.Parallel()
	store := upgraded(t, 12, `
		INSERT INTO projects VALUES ('project', 1);
		INSERT INTO chats (id, project_id, user_id, place, name, named, created_at, updated_at, path_end) VALUES ('c1', 'project', 'ann', 1, 'N', 1, 100, 100, 4);
		INSERT INTO messages (position, id, chat_id, role, content, created_at, model_name, agent_id, finish_reason, is_test, parent) VALUES
			(1, 'q1', 'c1', 'user', 'One?', 100, '', '', '', 0, 0), (2, 'a1', 'c1', 'assistant', 'One.', 100, '', 'agent', 'stop', 0, 1),
			(3, 'q2', 'c1', 'user', 'Two?', 101, '', '', '', 0, 2), (4, 'a2', 'c1', 'assistant', '', 101, '', 'agent', '', 0, 3);
		INSERT INTO streams (id, message_id, question_id, ended_at, last_id, swept, number, places) VALUES
			('s1', 'a1', 'q1', 100, 3, 1, 1, NULL), ('s2', 'a2', 'q2', NULL, 0, 0, 5, NULL);
		INSERT INTO events (position, stream, first_id, events) VALUES (6, 5, 1, CAST('start {}
chunk {"text":"Tw"}
' AS BLOB));
		INSERT INTO idempotency_keys VALUES ('project', 'ann', 'k1', x'01', 's1', '', 100), ('project', 'ann', 'k2', x'02', 's2', '', 100)`)
	none, err := store.ReadyTurns(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, none)
	count, err := store.CountParked(t.Context(), access.Scope{ProjectID: "project", UserID: "ann"})
	require.NoError(t, err)
	require.Zero(t, count)
	require.NoError(t, store.AppendEvents(t.Context(), stream.Lease{StreamID: "s2", Epoch: 1}, chunk(3, "o")))
	require.NoError(t, store.Sweep(t.Context(), 0, 100))
	require.Equal(t, 1, rows(t, store)["idempotency_keys"], "that of the open one")
	broken, err := store.EndBrokenTurns(t.Context(), chat.Broken(300, errors.New("killed")))
	require.NoError(t, err)
	require.Equal(t, []string{"s2"}, broken)
	history, err := store.ChatHistory(t.Context(), ann, "c1")
	require.NoError(t, err)
	require.Len(t, history.Messages, 4)
	require.Equal(t, []string{"Two", wire.FinishError}, []string{history.Messages[3].Content, history.Messages[3].FinishReason})

	next := turn("c1", "next")
	next.Asked = &chat.Asked{Calls: true}
	require.NoError(t, store.BeginTurn(t.Context(), ann, next))
	call := toolcall.Call{ToolCall: wire.ToolCall{ID: "k", ChatID: "c1", MessageID: next.Answer.ID, StreamID: next.StreamID, Status: wire.CallDone}}
	require.NoError(t, store.ParkTurn(t.Context(), stream.Lease{StreamID: next.StreamID, Epoch: 1}, chat.Parking{Calls: []toolcall.Call{call}}))
	ready, err := store.ReadyTurns(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, []string{next.StreamID}, ready)
}
