//go:build unix

package compat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/tooltest"
)

// withTools is a new service whose agent has tools, and a client with the old SDK.
type withTools struct {
	t       *testing.T
	model   *tooltest.Model
	tools   *tooltest.Tools
	address string
	ann     *client
}

func newWithTools(t *testing.T) *withTools {
	t.Helper()
	w := &withTools{t: t, model: tooltest.NewModel(), tools: tooltest.NewTools()}
	t.Cleanup(w.model.Close)
	t.Cleanup(w.tools.Close)
	text := "agents:\n  - id: assistant\n    window: 200000\n    tools:\n"
	for name, approval := range map[string]string{"pay": wire.ApprovalUser, "grant": wire.ApprovalAdmin, "look": wire.ApprovalNever} {
		text += fmt.Sprintf("      - {kind: http, name: %s, url: %q, secret_env: TOOL_SECRET, description: Does it., parameters: %s, approval: %s}\n",
			name, w.tools.URL+"/http/"+name, tooltest.Parameters, approval)
	}
	folder := t.TempDir()
	agents := filepath.Join(folder, "agents.yaml")
	require.NoError(t, os.WriteFile(agents, []byte(text), 0o600))
	env := append(w.model.Env(), "AGENTS="+agents, "TOOL_SECRET="+tooltest.Secret)
	w.address = start(t, newVersion, folder, newModel(t), env...).address
	w.ann = newClient(t, oldVersion, w.address, "ann")
	w.ann.gaps = true
	return w
}

// attempts returns the names of the tools that were called.
func (w *withTools) attempts() (names []string) {
	for _, a := range w.tools.Attempts() {
		require.Empty(w.t, a.Fault)
		names = append(names, a.Tool)
	}
	return names
}

// post sends JSON as a user, or as the administrator if userID is empty.
func (w *withTools) post(path, userID string, body, answer any) {
	w.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(w.t, err)
	w.do(http.MethodPost, path, userID, "application/json", text, answer)
}

func (w *withTools) do(method, path, userID, contentType string, body []byte, answer any) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.address+path, bytes.NewReader(body))
	require.NoError(w.t, err)
	r.Close = true
	for name, value := range map[string]string{"X-Api-Key": apiKey, "X-Api-Secret": apiSecret, "X-User-Id": userID, "Content-Type": contentType} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(w.t, err)
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	require.NoError(w.t, err)
	require.Less(w.t, response.StatusCode, 300, "%s", content)
	require.NoError(w.t, json.Unmarshal(content, answer), "%s", content)
}

// ask sends a question as a client that supports tool calls. The answer waits for a decision.
func (w *withTools) ask(script tooltest.Script) (answer wire.SendMessageResponse) {
	w.t.Helper()
	var form bytes.Buffer
	fields := multipart.NewWriter(&form)
	for name, value := range map[string]string{
		wire.FieldMessage: script.Question(), wire.FieldProjectID: "demo", wire.FieldToolCalls: "true", wire.FieldSkipStream: "true",
	} {
		require.NoError(w.t, fields.WriteField(name, value))
	}
	require.NoError(w.t, fields.Close())
	w.do(http.MethodPost, "/v3/chat/message", "ann", fields.FormDataContentType(), form.Bytes(), &answer)
	require.NotEmpty(w.t, answer.StreamID, "the answer waits for a decision")
	return answer
}

// waiting returns the call of a chat that awaits a decision.
func (w *withTools) waiting(chatID string) wire.ToolCall {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		var list wire.ListToolCallsResponse
		w.do(http.MethodGet, "/tool-calls?status=awaiting&chat_id="+chatID, "ann", "", nil, &list)
		if len(list.ToolCalls) > 0 {
			return list.ToolCalls[0]
		}
	}
	w.t.Fatal("no call awaits a decision")
	return wire.ToolCall{}
}

func scriptOf(id string, calls ...string) tooltest.Script {
	one := tooltest.Round{Text: "Let me see."}
	for n, name := range calls {
		one.Calls = append(one.Calls, tooltest.Call{Name: name, Arguments: tooltest.Do(tooltest.DoAnswer, n)})
	}
	return tooltest.Script{ID: id, Rounds: []tooltest.Round{one, {Text: "That is all."}}}
}

const wholeText = "Let me see.\n\nThat is all."

// If the client doesn't support tool calls, calls that need an approval are denied, and the client
// gets the complete answer.
func TestAnSDKWithoutTools(t *testing.T) {
	t.Parallel()
	w := newWithTools(t)
	sent := do[wire.SendMessageResponse](w.ann, order{Do: "send", Text: scriptOf("a", "pay", "look", "grant").Question()})
	require.Equal(t, []string{wholeText, wire.FinishStop}, []string{sent.Message.Content, sent.Message.FinishReason})
	streamed := w.ann.begin(order{Do: "stream", Chat: sent.ChatID, Text: scriptOf("b", "look", "pay").Question()}).answer()
	require.Equal(t, wholeText, streamed.Content)
	require.Equal(t, []string{"look", "look"}, w.attempts())
	for _, id := range []string{"a", "b"} {
		asked := w.model.Asked(id)
		require.Len(t, asked, 2)
		for provider, told := range asked[1].Told {
			want := wire.CallDenied
			if provider == "pa_0_1" || provider == "pb_0_0" {
				want = wire.CallDone
			}
			require.Contains(t, told, fmt.Sprintf(`"status":%q`, want), provider)
		}
	}
	again := w.ann.begin(order{Do: "regenerate", Chat: sent.ChatID, ID: streamed.ID}).answer()
	require.Equal(t, wholeText, again.Content)
	require.Len(t, do[wire.ChatHistoryResponse](w.ann, order{Do: "history", Chat: sent.ChatID}).Messages, 4)
}

// To a client that doesn't support tool calls, an answer that waits for a decision looks like one that
// is being written. The client can follow it, ask another question, and stop it.
func TestAnSDKWithoutToolsBesideOneWithTools(t *testing.T) {
	t.Parallel()
	w := newWithTools(t)
	parked := w.ask(scriptOf("a", "pay"))
	chat := parked.ChatID
	followed := w.ann.begin(order{Do: "resume", Chat: chat}).until(wire.EventChunk)
	require.Equal(t, wholeText, w.ann.begin(order{Do: "stream", Chat: chat, Text: scriptOf("b", "look").Question()}).answer().Content)
	var decided wire.ToolCallResponse
	w.post("/tool-calls/"+w.waiting(chat).ID+"/decision", "ann", wire.DecisionRequest{Action: wire.DecisionApprove}, &decided)
	require.Equal(t, wholeText, followed.answer().Content)
	require.ElementsMatch(t, []string{"look", "pay"}, w.attempts())

	parked = w.ask(scriptOf("c", "pay"))
	call := w.waiting(parked.ChatID)
	require.True(t, do[wire.StopReceipt](w.ann, order{Do: "stop", ID: parked.StreamID}).Stopped)
	w.do(http.MethodGet, "/tool-calls/"+call.ID, "ann", "", nil, &call)
	require.Equal(t, []string{wire.CallDenied, wire.ReasonStopped}, []string{call.Status, call.Reason})
	history := do[wire.ChatHistoryResponse](w.ann, order{Do: "history", Chat: parked.ChatID})
	require.Equal(t, wire.FinishStopped, history.Messages[1].FinishReason)
}

// With a service that doesn't support tools, a program with tools works as if it had none.
func TestAServiceWithoutTools(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	p := start(t, oldVersion, t.TempDir(), m)
	program, err := nethttp.NewClient(sdk.Config{
		BaseURL: p.address, ProjectID: "demo", APIKey: apiKey, APISecret: apiSecret, UserID: "ann",
		Transport: &nethttp.Transport{Client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}},
		Tools: []sdk.Tool{{
			Name: "look", Description: "Looks.", Parameters: wire.JSON(tooltest.Parameters), Approval: wire.ApprovalNever,
			Run: func(context.Context, wire.JSON, string) (string, error) {
				t.Error("the tool was called")
				return "", nil
			},
		}},
	})
	require.NoError(t, err)
	ctx := t.Context()
	sent, err := program.SendMessage(ctx, "One?", sdk.SendMessageOptions{IdempotencyKey: "k"})
	require.NoError(t, err)
	require.Equal(t, []string{whole("One?", 1), ""}, []string{sent.Message.Content, sent.StreamID})
	again, err := program.SendMessage(ctx, "One?", sdk.SendMessageOptions{IdempotencyKey: "k"})
	require.NoError(t, err)
	require.Equal(t, sent.MessageID, again.MessageID)
	finish := func(events iter.Seq2[sdk.Event, error]) (text string) {
		for e, err := range events {
			require.NoError(t, err)
			if e.Message != nil {
				text = e.Message.Content
			}
		}
		return text
	}
	require.Equal(t, whole("Two?", 1), finish(program.Stream(ctx, "Two?", sdk.SendMessageOptions{ChatID: sent.ChatID})))
	history, err := program.GetChatHistory(ctx, sent.ChatID, sdk.GetChatHistoryOptions{})
	require.NoError(t, err)
	require.Len(t, history.Messages, 4)
	require.Equal(t, whole("Two?", 2), finish(program.Regenerate(ctx, sent.ChatID, history.Messages[3].ID, sdk.RegenerateOptions{})))
	_, err = program.ListToolCalls(ctx, sdk.ListToolCallsOptions{})
	var failure *sdk.APIError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, http.StatusNotFound, failure.Status, "the old service has no such route")
}
