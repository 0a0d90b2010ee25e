package storetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

func listCalls(t *testing.T, store chat.Store, filter toolcall.Filter) (ids []string) {
	t.Helper()
	filter.ProjectID, filter.Limit = "project", 100
	calls, next, err := store.ListCalls(t.Context(), filter)
	require.NoError(t, err)
	require.Zero(t, next)
	for _, call := range calls {
		ids = append(ids, call.ID)
	}
	return ids
}

func callsAreListed(t *testing.T, store chat.Store) {
	anns, bobs := turnInNew("c1", "anns"), turnInNew("c2", "bobs")
	admin := callOf(bobs, "k3")
	admin.Approval = wire.ApprovalAdmin
	park(t, store, anns, callOf(anns, "k1"), callOf(anns, "k2"))
	begin(t, store, bob, tools(bobs))
	require.NoError(t, store.ParkTurn(t.Context(), held("bobs-s"), parkingOf(admin, callOf(bobs, "k4"))))

	require.Equal(t, []string{"k4", "k3", "k2", "k1"}, listCalls(t, store, toolcall.Filter{}))
	require.Equal(t, []string{"k2", "k1"}, listCalls(t, store, toolcall.Filter{UserID: "ann"}))
	require.Equal(t, []string{"k3", "k2", "k1"}, listCalls(t, store, toolcall.Filter{UserID: "ann", Administers: true}))
	for agents, want := range map[string][]string{"agent": {"k3", "k2", "k1"}, "other agent": {"k3", "k2", "k1"}, "other": nil, "": nil} {
		filter := toolcall.Filter{UserID: "ann", Administers: true, Agents: strings.Fields(agents)}
		require.Equal(t, want, listCalls(t, store, filter), "of agents %q", agents)
		filter.Administers, filter.UserID = false, ""
		require.Len(t, listCalls(t, store, filter), 4*min(1, len(want)), "of agents %q", agents)
	}
	require.Equal(t, []string{"k4", "k3"}, listCalls(t, store, toolcall.Filter{ChatID: "c2"}))
	require.Equal(t, []string{"k2", "k1"}, listCalls(t, store, toolcall.Filter{MessageID: "anns-a"}))
	require.Empty(t, listCalls(t, store, toolcall.Filter{UserID: "ann", ChatID: "c2"}))
	none, _, err := store.ListCalls(t.Context(), toolcall.Filter{ProjectID: "elsewhere", Limit: 100})
	require.NoError(t, err)
	require.Empty(t, none)

	var ids []string
	for before := int64(0); ; {
		page, next, err := store.ListCalls(t.Context(), toolcall.Filter{ProjectID: "project", Before: before, Limit: 3})
		require.NoError(t, err)
		for _, call := range page {
			ids = append(ids, call.ID)
		}
		if before = next; next == 0 {
			break
		}
	}
	require.Equal(t, []string{"k4", "k3", "k2", "k1"}, ids)
}

func callsAsOfNow(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	page := callOf(turn, "page")
	page.Kind, page.Status = wire.ToolPage, wire.CallApproved
	tried := page
	tried.ID, tried.Attempts = "tried", 1
	park(t, store, turn, callOf(turn, "waits"), page, tried)
	at := func(status string, now float64) []string {
		return listCalls(t, store, toolcall.Filter{Status: status, Now: now})
	}
	require.Equal(t, []string{"waits"}, at(wire.CallAwaiting, 999))
	require.Equal(t, []string{"tried", "page"}, at(wire.CallApproved, 999))
	require.Empty(t, at(wire.CallExpired, 999))
	require.Empty(t, at(wire.CallAwaiting, 1000))
	require.Equal(t, []string{"page", "waits"}, at(wire.CallExpired, 1000))
	require.Equal(t, []string{"tried"}, at(wire.CallUnknown, 1000))
}
