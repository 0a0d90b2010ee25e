package memory_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// What each caller gets from each operation on a memory of ann. An operation
// on what a caller may not see fails as if it did not exist.
func TestAccess(t *testing.T) {
	t.Parallel()
	const ok, gone, denied = "", "not found", wire.CodePermissionDenied
	operations := []string{"settings", "update", "list", "list of ann", "user ann", "pending", "pending of ann", "stats", "approve", "delete", "delete ann"}
	tests := []struct {
		name   string
		caller access.Caller
		want   []string
		sees   int // of the memories of ann and bob
	}{
		{"the user", ann, []string{ok, denied, ok, ok, ok, ok, ok, ok, ok, ok, ok}, 1},
		{"another user", bob, []string{ok, denied, ok, denied, denied, ok, denied, ok, gone, gone, denied}, 1},
		{"a user without this agent", access.Caller{Scope: access.Scope{ProjectID: "project", UserID: "ann"}, Agents: []string{"other"}},
			[]string{gone, gone, gone, gone, gone, gone, gone, gone, gone, gone, gone}, 0},
		{"a user without agents", noAgent, []string{gone, gone, gone, gone, gone, gone, gone, gone, gone, gone, gone}, 0},
		{"an administrator of this agent", review, []string{ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok}, 2},
		{"an administrator of another", access.Caller{Scope: access.Scope{ProjectID: "project", UserID: "eve"}, Admin: true, Agents: []string{"other"}},
			[]string{gone, gone, gone, gone, gone, gone, gone, gone, gone, gone, gone}, 0},
		{"an API key", apiKey, []string{ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok}, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, says{})
			s.learn("bob", "User has a boat")
			id := s.learn("ann", "User has a cat")[0].ID
			require.Equal(t, test.sees, seen(t, s, test.caller))
			for i, operation := range operations {
				if i >= 8 {
					id = s.learn("ann", "User has a "+operation)[0].ID
				}
				before := s.of("ann")
				err := operate(t, s, test.caller, operation, id)
				switch test.want[i] {
				case ok:
					require.NoError(t, err, operation)
				case gone:
					require.ErrorIs(t, err, fault.ErrNotFound, operation)
				default:
					requireErrorCode(t, err, test.want[i], operation)
				}
				changed := test.want[i] == ok && i >= 8
				require.Equal(t, !changed, reflect.DeepEqual(before, s.of("ann")), operation)
			}
		})
	}
}

func requireErrorCode(t *testing.T, err error, code, name string) {
	t.Helper()
	var known *fault.Error
	require.ErrorAs(t, err, &known, name)
	require.Equal(t, code, known.Code, name)
}

func operate(t *testing.T, s *service, caller access.Caller, operation, id string) (err error) {
	ctx, agent := t.Context(), "assistant"
	switch operation {
	case "settings":
		_, err = s.Settings(ctx, caller, agent)
	case "update":
		_, err = s.UpdateSettings(ctx, caller, agent, wire.MemorySettings{MaxMemories: to(30)})
	case "list":
		_, _, err = s.List(ctx, caller, agent, memory.Filter{})
	case "list of ann":
		_, _, err = s.List(ctx, caller, agent, memory.Filter{UserID: "ann"})
	case "user ann":
		_, _, err = s.ListUser(ctx, caller, agent, "ann", memory.Filter{})
	case "pending":
		_, _, err = s.Pending(ctx, caller, memory.PendingFilter{AgentID: agent})
	case "pending of ann":
		_, _, err = s.Pending(ctx, caller, memory.PendingFilter{AgentID: agent, UserID: "ann"})
	case "stats":
		_, err = s.Stats(ctx, caller, agent, "")
	case "approve":
		_, err = s.Decide(ctx, caller, id, wire.MemoryActionRequest{Action: wire.ActionApprove}, once.Request{})
	case "delete":
		err = s.Delete(ctx, caller, id)
	case "delete ann":
		_, err = s.DeleteUser(ctx, caller, agent, "ann")
	}
	return err
}

// seen counts the pending memories that a caller sees, which lists and
// statistics must agree on.
func seen(t *testing.T, s *service, caller access.Caller) int {
	t.Helper()
	pending, _, err := s.Pending(t.Context(), caller, memory.PendingFilter{})
	require.NoError(t, err)
	if stats, err := s.Stats(t.Context(), caller, "assistant", ""); err == nil {
		require.Equal(t, caller.Administers(), stats.Detection != nil)
		stats.Detection = nil
		require.Equal(t, wire.MemoryStats{Total: len(pending), Pending: len(pending), Users: len(pending)}, stats)
		list, _, err := s.List(t.Context(), caller, "assistant", memory.Filter{})
		require.NoError(t, err)
		require.Equal(t, list, pending)
	}
	return len(pending)
}

func TestAnotherProjectSeesNothing(t *testing.T) {
	t.Parallel()
	s := start(t, says{})
	id := s.learn("ann", "User has a cat")[0].ID
	_, err := s.Decide(t.Context(), alien, id, wire.MemoryActionRequest{Action: wire.ActionApprove}, once.Request{})
	require.ErrorIs(t, err, fault.ErrNotFound)
	require.ErrorIs(t, s.Delete(t.Context(), alien, id), fault.ErrNotFound)
	list, _, err := s.List(t.Context(), alien, "assistant", memory.Filter{})
	require.NoError(t, err)
	require.Empty(t, list)
	deleted, err := s.DeleteUser(t.Context(), alien, "assistant", "ann")
	require.NoError(t, err)
	require.Zero(t, deleted)
	require.Len(t, s.of("ann"), 1)
}

func TestUnknownThings(t *testing.T) {
	t.Parallel()
	s := start(t, says{})
	for _, operation := range []string{"approve", "delete"} {
		require.ErrorIs(t, operate(t, s, apiKey, operation, "unknown"), fault.ErrNotFound)
	}
	_, err := s.Settings(t.Context(), apiKey, "unknown")
	require.ErrorIs(t, err, fault.ErrNotFound)
	_, _, err = s.Pending(t.Context(), apiKey, memory.PendingFilter{AgentID: "unknown"})
	require.ErrorIs(t, err, fault.ErrNotFound)
	_, err = s.DeleteUser(t.Context(), ann, "assistant", "")
	require.ErrorIs(t, err, fault.ErrNotFound)
}
