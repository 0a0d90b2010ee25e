package main_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/tool"
	"github.com/chatsdk/chatsdk/service/tooltest"
)

const example = "../examples/18-tools"

func TestTheExampleOfATool(t *testing.T) {
	t.Parallel()
	address := tooltest.Refunds(t, "secret-1")
	text, err := os.ReadFile(example + "/agents.yaml")
	require.NoError(t, err)
	require.Contains(t, guide(t, "tools.md"), "```yaml examples/18-tools/agents.yaml\n"+string(text)+"```\n", "the page shows it")
	require.Contains(t, string(text), "http://127.0.0.1:8081/refund")
	folder := writeAgents(t, strings.Replace(string(text), "http://127.0.0.1:8081", address, 1))
	sets, end, err := runTools(folder, env{"REFUND_SECRET": "secret-1"})
	require.NoError(t, err)
	t.Cleanup(end)
	refund, err := sets["clerk"].Current("refund")
	require.NoError(t, err)
	arguments := `{"order": "AB-1234", "amount": 12.5}`
	require.NoError(t, refund.Check(arguments))
	require.Error(t, refund.Check(`{"order": "AB-1234", "amount": 501}`))
	for range 2 {
		out := refund.Carry(t.Context(), tool.Call{ID: "call_1", UserID: "änn", ChatID: "chat_1", Arguments: arguments})
		require.Equal(t, tool.Outcome{Status: wire.CallDone, Result: "Paid 12.50 back for order AB-1234, refund 1."}, out, "it pays once")
	}
	response, err := http.Post(address+"/refund", "application/json", strings.NewReader(arguments))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
}
