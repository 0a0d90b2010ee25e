package tooltest_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/tool"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
	"github.com/chatsdk/chatsdk/service/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ask asks the model as the service does.
func ask(t *testing.T, m *tooltest.Model, prompt answering.Prompt) (text string, calls []toolcall.ModelCall) {
	t.Helper()
	provider, err := openai.New(openai.Config{BaseURL: m.URL + "/v1", APIKey: "k"})
	require.NoError(t, err)
	defer provider.Close()
	for piece, err := range provider.Answer(t.Context(), prompt) {
		require.NoError(t, err)
		text += piece.Text
		if piece.Call != nil {
			calls = append(calls, *piece.Call)
		}
	}
	return text, calls
}

func TestModelFollowsItsScript(t *testing.T) {
	for _, id := range []string{"a", "b", "c", "d"} { // their calls are cut differently
		m := tooltest.NewModel()
		script := tooltest.Script{ID: id, Rounds: []tooltest.Round{
			{Text: "Let me see. ", Calls: []tooltest.Call{{Name: "pay", Arguments: tooltest.Do("answer", 1)}, {Name: "note", Arguments: `{"broken`}}},
			{Text: "Done 🙂."},
		}}
		prompt := answering.Prompt{
			Messages: []answering.PromptMessage{{Role: wire.RoleUser, Text: script.Question()}}, Tools: []answering.PromptTool{{Name: "pay",
				Parameters: wire.JSON(tooltest.Parameters)}},
		}
		text, calls := ask(t, m, prompt)
		require.Equal(t, "Let me see. ", text)
		require.Equal(t, []toolcall.ModelCall{
			{ID: script.ProviderID(0, 0), Name: "pay", Arguments: `{"do": "answer", "n": 1}`}, {ID: script.ProviderID(0, 1), Name: "note", Arguments: `{"broken`},
		}, calls)
		prompt.Rounds = []answering.Round{{Text: text, Calls: []answering.RoundCall{{ModelCall: calls[0], Outcome: "one"}, {ModelCall: calls[1], Outcome: "two"}}}}
		text, calls = ask(t, m, prompt)
		require.Equal(t, "Done 🙂.", text)
		require.Empty(t, calls)
		asked := m.Asked(id)
		require.Len(t, asked, 2)
		require.Equal(t, tooltest.Asking{Round: 0, Told: map[string]string{}, Tools: []string{"pay"}}, asked[0])
		require.Equal(t, map[string]string{script.ProviderID(0, 0): "one", script.ProviderID(0, 1): "two"}, asked[1].Told)
		m.Close()
	}
}

// carry carries a call out as the service does.
func carry(t *testing.T, carrier tool.Carrier, arguments string) tool.Outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	return carrier.Carry(ctx, tool.Call{ID: "call_1", UserID: "ann/ü", ChatID: "chat_1", Arguments: arguments})
}

func TestHTTPToolsDoWhatTheyAreTold(t *testing.T) {
	tools := tooltest.NewTools()
	defer tools.Close()
	happened := make(chan struct{}, 2)
	tools.Happens = func() { happened <- struct{}{} }
	carrier, err := tool.NewHTTP(tools.URL+"/http/pay", tooltest.Secret, time.Now, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	for what, status := range map[string]string{
		tooltest.DoAnswer: wire.CallDone, tooltest.DoSlowly: wire.CallDone, tooltest.DoMuch: wire.CallDone, tooltest.DoInstruct: wire.CallDone,
		tooltest.DoRefuse: wire.CallFailed, tooltest.DoRedirect: wire.CallFailed, tooltest.DoCut: wire.CallUnknown, tooltest.DoHang: wire.CallUnknown,
	} {
		before := len(tools.Attempts())
		arguments := tooltest.Do(what, 7)
		outcome := carry(t, carrier, arguments)
		require.Equal(t, status, outcome.Status, what)
		<-happened // the call came
		<-happened // the tool has noted what it gave, which its caller may have read before
		attempts := tools.Attempts()
		require.Len(t, attempts, before+1)
		a := attempts[before]
		require.Equal(t, []string{"call_1", "pay", arguments, "ann/ü", "chat_1", ""}, []string{a.CallID, a.Tool, a.Arguments, a.UserID, a.ChatID, a.Fault})
		if status == wire.CallDone {
			require.Equal(t, tooltest.ResultOf("call_1", arguments), a.Result)
			require.True(t, strings.HasPrefix(a.Result, strings.ToValidUTF8(outcome.Result, "")))
		}
	}
	forged, err := http.Post(tools.URL+"/http/pay", "application/json", strings.NewReader("{}"))
	require.NoError(t, err)
	defer func() { _ = forged.Body.Close() }()
	attempts := tools.Attempts()
	require.Equal(t, "the signature is wrong", attempts[len(attempts)-1].Fault)
	http.DefaultClient.CloseIdleConnections()
}

func TestTheMCPServerDoesWhatItIsTold(t *testing.T) {
	tools := tooltest.NewTools("book")
	defer tools.Close()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: tools.URL + "/mcp"}, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close()) }()
	params := &mcp.CallToolParams{Name: "book", Arguments: map[string]any{"do": tooltest.DoAnswer, "n": 1}, Meta: mcp.Meta{"chatsdk/call_id": "call_2"}}
	result, err := session.CallTool(t.Context(), params)
	require.NoError(t, err)
	require.False(t, result.IsError)
	params.Arguments, params.Meta = map[string]any{"do": tooltest.DoRefuse, "n": 2}, nil
	result, err = session.CallTool(t.Context(), params)
	require.NoError(t, err)
	require.True(t, result.IsError)
	attempts := tools.Attempts()
	require.Equal(t, []string{"call_2", "book", ""}, []string{attempts[0].CallID, attempts[0].Tool, attempts[0].Fault})
	require.Equal(t, "the call has no id in _meta", attempts[1].Fault)
}
