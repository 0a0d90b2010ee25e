package chat_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// A call whose answer the chat no longer shows still waits, and says so wherever it is asked for.
func TestACallOfAHiddenBranch(t *testing.T) {
	t.Parallel()
	did := &counter{}
	s := start(t, oneCall().script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalUser}))
	first := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	call, chatID := first.Message.ToolCalls[0], first.Message.ChatID
	hidden := func(callID string) bool {
		one, err := s.Calls().Call(t.Context(), ann, callID)
		require.NoError(t, err)
		list, _, err := s.Calls().List(t.Context(), ann, toolcall.Filter{Limit: 10})
		require.NoError(t, err)
		for _, listed := range list {
			if listed.ID == callID {
				require.Equal(t, one.Hidden, listed.Hidden)
			}
		}
		return one.Hidden
	}
	require.False(t, hidden(call.ID))
	history, err := s.HistoryPage(t.Context(), ann, chatID, chat.Page{Limit: 10, All: true})
	require.NoError(t, err)
	require.False(t, history.Messages[1].ToolCalls[0].Hidden)

	edited := s.waits(ann, chat.Send{Message: "Hello", Edits: history.Messages[0].ID, ChatID: chatID, Offer: knows})
	require.True(t, hidden(call.ID))
	require.False(t, hidden(edited.Message.ToolCalls[0].ID))
	history, err = s.HistoryPage(t.Context(), ann, chatID, chat.Page{Limit: 10, All: true})
	require.NoError(t, err)
	require.True(t, history.Messages[1].ToolCalls[0].Hidden)
	require.False(t, history.Messages[3].ToolCalls[0].Hidden)
	message, err := s.Message(t.Context(), ann, chatID, first.Message.ID)
	require.NoError(t, err)
	require.True(t, message.ToolCalls[0].Hidden)

	_, _, err = s.SelectBranch(t.Context(), ann, chatID, first.Message.ID, once.Request{})
	require.NoError(t, err)
	require.False(t, hidden(call.ID))
	require.True(t, hidden(edited.Message.ToolCalls[0].ID))

	approved, _, err := s.Calls().Decide(t.Context(), ann, edited.Message.ToolCalls[0].ID, approve, once.Request{})
	require.NoError(t, err)
	require.True(t, approved.Hidden, "it was the user's decision all the same")
	_, _, err = s.Calls().Decide(t.Context(), ann, edited.Message.ToolCalls[0].ID, deny, once.Request{})
	var conflict *toolcall.Conflict
	require.ErrorAs(t, err, &conflict)
	require.True(t, conflict.Call.Hidden)
	_, _, err = s.SelectBranch(t.Context(), ann, chatID, edited.Message.ID, once.Request{})
	require.NoError(t, err)
	require.False(t, hidden(edited.Message.ToolCalls[0].ID), "it is not stored with the call")
}
