package main_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
	"github.com/chatsdk/chatsdk/service/tooltest"
)

// acting is an agent with the tool act, which needs the user's approval.
func acting(t *testing.T) (tools *tooltest.Tools, agents env) {
	t.Helper()
	tools = tooltest.NewTools()
	t.Cleanup(tools.Close)
	folder := writeAgents(t, fmt.Sprintf(`agents:
  - id: assistant
    tools:
      - {kind: http, name: act, url: '%s/http/act', secret_env: SECRET, description: Acts, parameters: %s}
`, tools.URL, tooltest.Parameters))
	return tools, env{"AGENTS": filepath.Join(folder, "agents.yaml"), "SECRET": tooltest.Secret}
}

// park sends a message whose answer waits, and returns the answer and its call.
func (p *process) park(n int) (wire.SendMessageResponse, wire.ToolCall) {
	p.t.Helper()
	waits := decode[wire.SendMessageResponse](p.t, p.send("/act "+tooltest.Do(tooltest.DoAnswer, n), wire.FieldToolCalls, "true"), http.StatusAccepted)
	require.Len(p.t, waits.Message.ToolCalls, 1)
	require.Equal(p.t, wire.CallAwaiting, waits.Message.ToolCalls[0].Status)
	return waits, waits.Message.ToolCalls[0]
}

func (p *process) approve(callID string) {
	p.t.Helper()
	r := p.do(http.MethodPost, "/tool-calls/"+callID+"/decision", asJSON(), `{"action":"approve"}`)
	require.Equal(p.t, http.StatusOK, r.status, "%s", r.body)
}

// requireActed requires that the answer is complete and that the tool acted once for it.
func requireActed(t *testing.T, tools *tooltest.Tools, answer wire.Message, callID string) {
	t.Helper()
	require.Equal(t, wire.FinishStop, answer.FinishReason)
	require.Equal(t, wire.CallDone, answer.ToolCalls[0].Status)
	count := 0
	for _, attempt := range tools.Attempts() {
		require.Empty(t, attempt.Fault)
		if attempt.CallID == callID {
			count++
			require.True(t, strings.Contains(answer.Content, attempt.Result), answer.Content)
		}
	}
	require.Equal(t, 1, count)
}

// An answer that waits belongs to no replica: any replica accepts a decision or a stop,
// whatever happened to the one that parked it.
func TestAnyReplicaContinuesAnAnswer(t *testing.T) {
	t.Parallel()
	tools, agents := acting(t)
	all := replicas(t, pgtest.New(t), 3, agents)
	waits, call := all[0].park(1)
	stopped, _ := all[0].park(2)
	there := all[1].read(waits.StreamID, 0)
	all[0].kill()
	all[2].approve(call.ID)
	requireActed(t, tools, there.complete().Message, call.ID)

	receipt := decode[wire.StopReceipt](t, all[1].do(http.MethodPost, "/v3/chat/stream/"+stopped.StreamID+"/stop", asJSON(), ""), http.StatusOK)
	require.True(t, receipt.Stopped)
	require.Equal(t, []string{wire.CallDenied, wire.ReasonStopped}, []string{receipt.Message.ToolCalls[0].Status, receipt.Message.ToolCalls[0].Reason})
	require.Len(t, tools.Attempts(), 1)
}

// An answer that waits in a folder continues in the database that it is moved to.
func TestMoveDataKeepsWaitingAnswers(t *testing.T) {
	t.Parallel()
	tools, agents := acting(t)
	database, folder := pgtest.New(t), t.TempDir()
	p := startIn(t, folder, agents)
	waits, call := p.park(1)
	p.stop()
	code, _, stderr := output(t, folder, env{"DATABASE_URL": database}, "move-data")
	require.Zero(t, code, stderr)
	moved := start(t, sharing(database, agents))
	there := moved.read(waits.StreamID, 0)
	moved.approve(call.ID)
	requireActed(t, tools, there.complete().Message, call.ID)
}
