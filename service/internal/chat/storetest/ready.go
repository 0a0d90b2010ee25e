package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

func begins(t *testing.T, store chat.Store, held toolcall.Held, limit int) (ids []string) {
	t.Helper()
	calls, err := store.ReadyCalls(t.Context(), held, limit)
	require.NoError(t, err)
	for _, call := range calls {
		ids = append(ids, call.ID)
	}
	return ids
}

// Each tool and each user has its turn, whoever has waited longest, and what is held hides nothing.
func callsAreReadyInTurn(t *testing.T, store chat.Store) {
	for i, all := range [][]string{{"annA1", "annA2", "annA3", "annB1"}, {"bobA1", "bobA2"}, {"cyB1"}} {
		owner := []access.Scope{ann, {ProjectID: ann.ProjectID, UserID: "bob"}, {ProjectID: ann.ProjectID, UserID: "cy"}}[i]
		turn := turnInNew("c"+owner.UserID, "t"+owner.UserID)
		turn.NewChat.UserID = owner.UserID
		var calls []toolcall.Call
		for _, id := range all {
			call := callOf(turn, id)
			call.Name, call.Status = id[len(id)-2:len(id)-1], wire.CallApproved
			calls = append(calls, call)
		}
		begin(t, store, owner, tools(turn))
		require.NoError(t, store.ParkTurn(t.Context(), held(turn.StreamID), parkingOf(calls...)))
	}
	a, b := toolcall.ToolKey{AgentID: "agent", Name: "A"}, toolcall.ToolKey{AgentID: "agent", Name: "B"}
	require.Equal(t, []string{"annA1", "annB1", "bobA1", "cyB1", "annA2", "bobA2", "annA3"}, begins(t, store, toolcall.Held{}, 10))
	require.Equal(t, []string{"annA1", "annB1", "bobA1", "cyB1"}, begins(t, store, toolcall.Held{}, 4))
	require.Equal(t, []string{"annB1", "cyB1"}, begins(t, store, toolcall.Held{Tools: []toolcall.ToolKey{a}}, 10))
	require.Equal(t, []string{"annB1", "bobA1", "cyB1", "bobA2"}, begins(t, store, toolcall.Held{Users: []toolcall.ToolUser{{ToolKey: a, UserID: "ann"}}}, 10))
	require.Equal(t, []string{"annA1", "annA2", "annA3"}, begins(t, store, toolcall.Held{
		Tools: []toolcall.ToolKey{b, {AgentID: "other", Name: "A"}}, Users: []toolcall.ToolUser{{ToolKey: a, UserID: "bob"}, {ToolKey: a, UserID: "cy"}},
	}, 10))
}
