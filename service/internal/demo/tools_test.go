package demo

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

func TestDemoTools(t *testing.T) {
	t.Parallel()
	set, address, end := runTools(t)
	t.Cleanup(end)
	all, err := set.Offer(nil, nil)
	require.NoError(t, err)
	require.Len(t, all, 2)
	ticket, order := all[0], all[1]
	require.Equal(t, []string{wire.ToolHTTP, "create_ticket", wire.ApprovalUser}, []string{ticket.Kind, ticket.Name, ticket.Approval})
	require.Equal(t, []string{wire.ToolMCP, "shop_lookup_order", wire.ApprovalNever}, []string{order.Kind, order.Name, order.Approval})

	call := tool.Call{ID: "call_1", UserID: "ana", ChatID: "chat_1", Arguments: `{"title":"My lamp is broken"}`}
	require.NoError(t, ticket.Check(call.Arguments))
	require.Error(t, ticket.Check(`{"title":""}`))
	for range 2 {
		out := ticket.Carry(t.Context(), call)
		require.Equal(t, tool.Outcome{Status: wire.CallDone, Result: `{"priority":"normal","ticket":"T-1001","title":"My lamp is broken"}`}, out, "a call has one ticket")
	}
	call.ID = "call_2"
	require.Contains(t, ticket.Carry(t.Context(), call).Result, "T-1002")

	require.NoError(t, order.Check(`{"order":"AB-1234"}`))
	require.Error(t, order.Check(`{"number":"AB-1234"}`))
	out := order.Carry(t.Context(), tool.Call{ID: "call_3", Arguments: `{"order":"AB-1234"}`})
	require.Equal(t, tool.Outcome{Status: wire.CallDone, Result: "Order AB-1234, two mugs: sent on Monday, arrives on Thursday."}, out)
	out = order.Carry(t.Context(), tool.Call{ID: "call_4", Arguments: `{"order":"XX-1"}`})
	require.Equal(t, tool.Outcome{Status: wire.CallFailed, Error: "there is no such order; try AB-1234 or CD-5678"}, out)

	for _, path := range []string{"/tickets", "/mcp"} {
		response, err := http.Post(address+path, "application/json", strings.NewReader(`{"title":"forged"}`))
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, response.Body)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusUnauthorized, response.StatusCode, path)
	}
}

// A call that waits for its approval continues after a restart of the demo.
func TestDemoToolsAreTheSameAtEachStart(t *testing.T) {
	t.Parallel()
	digests := map[string]bool{}
	for range 2 {
		set, _, end := runTools(t)
		all, err := set.Offer(nil, nil)
		require.NoError(t, err)
		for _, one := range all {
			digests[one.Digest()] = true
		}
		end()
	}
	require.Len(t, digests, 2)
}

// runTools returns the demo's tools, which are served at an address until end is called.
func runTools(t *testing.T) (set *tool.Set, address string, end func()) {
	server := httptest.NewServer(serveTools("secret"))
	set, err := newTools(server.URL, "secret", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { set.Run(ctx, "assistant", nil) })
	set.Tried(t.Context())
	return set, server.URL, func() {
		cancel()
		running.Wait()
		set.Close()
		server.Close()
	}
}
