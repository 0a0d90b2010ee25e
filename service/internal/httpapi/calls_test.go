package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/tool"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// The parameters of the tests' tools, and the tools of the tests' page.
const (
	countSchema = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`
	paint       = `{"description":"Paints","parameters":` + countSchema + `,"timeout":60}`
	red         = `{"n":1}`
)

// Claims of two pages.
var (
	oneClaim   = strings.Repeat("1", 32)
	otherClaim = strings.Repeat("2", 32)
)

// nobody is an API key without a user.
var nobody = access.Caller{Scope: access.Scope{ProjectID: project}}

// actor is a model that makes calls, one list of them in each round, and then ends. It records what
// it was asked.
type actor struct {
	rounds [][]toolcall.ModelCall

	mu      sync.Mutex
	prompts []answering.Prompt
}

// calling makes one round of calls of a tool.
func calling(name string, arguments ...string) *actor {
	a := &actor{rounds: [][]toolcall.ModelCall{nil}}
	for i, text := range arguments {
		a.rounds[0] = append(a.rounds[0], toolcall.ModelCall{ID: fmt.Sprint("p", i), Name: name, Arguments: text})
	}
	return a
}

func (a *actor) script() script {
	return func(_ context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
		a.mu.Lock()
		a.prompts = append(a.prompts, prompt)
		a.mu.Unlock()
		pieces := []answering.Piece{{Text: "Done."}}
		if round := len(prompt.Rounds); round < len(a.rounds) && len(prompt.Tools) > 0 {
			pieces = []answering.Piece{{Text: "I ask."}}
			for _, call := range a.rounds[round] {
				pieces = append(pieces, answering.Piece{Call: &call})
			}
		}
		return say(append(pieces, answering.Piece{FinishReason: wire.FinishStop})...)(context.Background(), prompt)
	}
}

// asked returns what it was asked so far.
func (a *actor) asked() []answering.Prompt {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]answering.Prompt(nil), a.prompts...)
}

// carrier runs the calls of an http tool.
type carrier func(ctx context.Context, call tool.Call) tool.Outcome

// Carry does what the test defines.
func (c carrier) Carry(ctx context.Context, call tool.Call) tool.Outcome { return c(ctx, call) }

// does is a carrier that ends at once.
func does(context.Context, tool.Call) tool.Outcome {
	return tool.Outcome{Status: wire.CallDone, Result: "did"}
}

// withTools gives the agent assistant tools of the operator: act, an http tool with this approval,
// and show, which the page runs.
func withTools(t testing.TB, model *actor, approval string, carry carrier, pageTools string) func(*setup) {
	return func(up *setup) {
		act, err := tool.New(tool.Definition{
			Kind: wire.ToolHTTP, Name: "act", Description: "Acts", Address: "http://127.0.0.1/act", Parameters: wire.JSON(countSchema), Approval: approval,
		}, carry)
		require.NoError(t, err)
		show, err := tool.New(tool.Definition{Kind: wire.ToolPage, Name: "show", Description: "Shows", Parameters: wire.JSON(countSchema)}, nil)
		require.NoError(t, err)
		set, err := tool.NewSet([]*tool.Tool{act, show}, nil, pageTools)
		require.NoError(t, err)
		up.chat.Agents[0].Tools = set
		up.provider = model.script()
	}
}

func with(model *actor) func(*setup) { return func(up *setup) { up.provider = model.script() } }

// offering returns the fields of a send from a page with tools.
func offering(pageTools string) []field {
	return []field{{name: "tool_calls", value: "true"}, {name: "page_tools", value: pageTools}}
}

// painter offers the tool paint with this approval.
func painter(approval string) []field {
	return offering(`{"paint":` + painted(approval) + `}`)
}

func painted(approval string) string {
	return strings.Replace(paint, `"timeout"`, `"approval":"`+approval+`","timeout"`, 1)
}

// waits sends a message whose answer waits, and returns that answer and its only call.
func (s *service) waits(h headers, fields ...field) (wire.SendMessageResponse, wire.ToolCall) {
	s.t.Helper()
	w := s.send(h, fields...)
	require.Equal(s.t, 202, w.Code, w.Body)
	response := decode[wire.SendMessageResponse](s.t, w)
	require.NotEmpty(s.t, response.StreamID)
	require.Len(s.t, response.Message.ToolCalls, 1)
	return response, response.Message.ToolCalls[0]
}

func (s *service) decideCall(h headers, callID, body string) *httptest.ResponseRecorder {
	return s.do("POST", "/tool-calls/"+callID+"/decision", h.json(), body)
}

func (s *service) claim(h headers, callID, claim, definition string) *httptest.ResponseRecorder {
	return s.do("POST", "/tool-calls/"+callID+"/claim", h.json(), fmt.Sprintf(`{"claim":%q,"definition":%s}`, claim, definition))
}

func (s *service) result(h headers, callID, claim, result string) *httptest.ResponseRecorder {
	return s.do("POST", "/tool-calls/"+callID+"/result", h.json(), fmt.Sprintf(`{"claim":%q,"result":%s}`, claim, quoted(result)))
}

// quoted returns a text as JSON.
func quoted(text string) string {
	all, _ := json.Marshal(text)
	return string(all)
}

const (
	approve = `{"action":"approve"}`
	deny    = `{"action":"deny","reason":"no"}`
)

// changed requires a 200, and returns the call in it.
func changed(t testing.TB, w *httptest.ResponseRecorder) wire.ToolCall {
	t.Helper()
	require.Equal(t, 200, w.Code, w.Body)
	return decode[wire.ToolCallResponse](t, w).Call
}

// conflicts requires a 409 with the current state of the call.
func conflicts(t testing.TB, w *httptest.ResponseRecorder, status string, fields ...string) {
	t.Helper()
	refusal(t, w, 409, wire.CodeConflict, fields...)
	require.Equal(t, status, decode[wire.ToolCallResponse](t, w).Call.Status)
}

// seen returns a call as an API key sees it.
func (s *service) seen(callID string) wire.ToolCall {
	s.t.Helper()
	w := s.do("GET", "/tool-calls/"+callID, asServer(), "")
	require.Equal(s.t, 200, w.Code, w.Body)
	return decode[wire.ToolCall](s.t, w)
}

// carried runs calls and continues answers, until the test ends.
func (s *service) carried() *service {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.chat.Run(ctx)
	}()
	s.t.Cleanup(func() {
		cancel()
		<-done
	})
	return s
}

// attend does everything that is due.
func (s *service) attend() {
	s.t.Helper()
	require.NoError(s.t, s.chat.Attend(context.Background()))
}

// ended reads a stream to its end, and returns the answer in complete.
func (s *service) ended(streamID string) wire.Message {
	s.t.Helper()
	text := s.resume(asServer(), streamID, "").Body.String()
	_, rest, found := strings.Cut(text, "event: complete\ndata: ")
	require.True(s.t, found, text)
	data, _, _ := strings.Cut(rest, "\n")
	var whole wire.Complete
	require.NoError(s.t, json.Unmarshal([]byte(data), &whole))
	return whole.Message
}

// A call over HTTP from the question to the end. openapi.yaml describes each answer.
func TestACallOfThePage(t *testing.T) {
	t.Parallel()
	model := calling("paint", red)
	s := start(t, with(model))
	waiting, call := s.waits(as("ann"), painter("user")...)
	require.Equal(t, []string{wire.CallAwaiting, wire.ToolPage, "Paints", red}, []string{call.Status, call.Kind, call.Description, call.Arguments})
	require.Empty(t, waiting.Message.FinishReason)
	require.Equal(t, waiting.StreamID, waiting.Message.StreamID)

	decided := changed(t, s.decideCall(as("ann"), call.ID, `{"action":"approve","arguments":"{\"n\": 2}","reason":"two"}`))
	require.Equal(t, []any{wire.CallApproved, "ann", "two", true, `{"n": 2}`},
		[]any{decided.Status, decided.DecidedBy, decided.Reason, decided.Edited, decided.Arguments})
	claimed := decode[wire.ClaimResponse](t, s.claim(as("ann"), call.ID, oneClaim, painted("user")))
	require.Equal(t, []any{wire.CallRunning, 60.0}, []any{claimed.Call.Status, claimed.Timeout})
	long := strings.Repeat("ä", 3000)
	done := changed(t, s.result(as("ann"), call.ID, oneClaim, long))
	require.Equal(t, []any{wire.CallDone, long, 6000, false}, []any{done.Status, done.Result, done.ResultSize, done.Truncated})
	s.attend()

	answer := s.ended(waiting.StreamID)
	require.Equal(t, "I ask.\n\nDone.", answer.Content)
	shown := answer.ToolCalls[0]
	require.Equal(t, []any{long[:4096], 6000, true}, []any{shown.Result, shown.ResultSize, shown.Truncated})
	require.Equal(t, long, s.seen(call.ID).Result)
	history := decode[wire.ChatHistoryResponse](t, s.do("GET", "/project/demo/chat/"+waiting.ChatID+"/all", as("ann"), ""))
	require.Equal(t, answer.ToolCalls, history.Messages[1].ToolCalls)
	list := decode[wire.ListToolCallsResponse](t, s.do("GET", "/tool-calls", as("ann"), ""))
	require.Equal(t, answer.ToolCalls, list.ToolCalls)

	events := s.resume(as("ann"), waiting.StreamID, "").Body.String()
	var statuses []string
	for _, rest := range strings.Split(events, "event: tool_call\ndata: ")[1:] {
		_, rest, _ = strings.Cut(rest, `"status":"`)
		status, _, _ := strings.Cut(rest, `"`)
		statuses = append(statuses, status)
	}
	require.Equal(t, []string{wire.CallAwaiting, wire.CallApproved, wire.CallRunning, wire.CallDone}, statuses)
	for _, text := range []string{events, list.ToolCalls[0].Arguments, fmt.Sprint(s.log.lines("request"))} {
		require.NotContains(t, text, oneClaim, "a claim is shown nowhere")
	}
}

// A call of an http tool, with a person's approval.
func TestACallOfTheService(t *testing.T) {
	t.Parallel()
	carried := make(chan tool.Call, 10)
	s := start(t, withTools(t, calling("act", red), wire.ApprovalUser, func(_ context.Context, call tool.Call) tool.Outcome {
		carried <- call
		return tool.Outcome{Status: wire.CallDone, Result: "did"}
	}, tool.PageToolsAny))
	waiting, call := s.waits(as("ann"), field{name: "tool_calls", value: "true"})
	conflicts(t, s.claim(as("ann"), call.ID, oneClaim, paint), wire.CallAwaiting)
	changed(t, s.decideCall(as("ann"), call.ID, approve))
	s.attend()
	require.Equal(t, tool.Call{ID: call.ID, UserID: "ann", ChatID: waiting.ChatID, Arguments: red}, <-carried)
	s.settled(call.ID)
	s.attend()
	require.Equal(t, "I ask.\n\nDone.", s.ended(waiting.StreamID).Content)
	require.Empty(t, carried)
}

// settled waits until a running call is settled.
func (s *service) settled(callID string) {
	s.t.Helper()
	call := s.seen(callID)
	require.NotEmpty(s.t, call.StreamID)
	stream, err := s.chat.Resume(context.Background(), nobody, call.StreamID, 0)
	require.NoError(s.t, err)
	for events, err := range stream.Events(context.Background()) {
		require.NoError(s.t, err)
		for _, event := range events {
			var one wire.ToolCall
			if event.Type == wire.EventToolCall && json.Unmarshal(event.Data, &one) == nil && one.ID == callID && toolcall.IsSettled(one.Status) {
				return
			}
		}
	}
}
