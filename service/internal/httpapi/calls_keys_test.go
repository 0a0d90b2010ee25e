package httpapi_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// A decision is reported again under its key, whatever happened to the call since. A key is for one
// decision.
func TestDecisionsTakeAKey(t *testing.T) {
	t.Parallel()
	s := start(t, with(calling("paint", red)))
	_, call := s.waits(as("ann"), painter("user")...)
	_, other := s.waits(as("ann"), painter("user")...)
	decide := func(key, callID, body string) *httptest.ResponseRecorder {
		return s.decideCall(keyed("ann", key), callID, body)
	}
	refusal(t, decide("k", call.ID, arguments(`{}`)), 400, wire.CodeValidation, "arguments")
	first := decide("k", call.ID, `{"action":"approve","reason":"yes"}`)
	require.Equal(t, wire.CallApproved, changed(t, first).Status, "a refusal leaves the key free")
	require.Empty(t, first.Header().Get("Idempotent-Replayed"))
	again := decide("k", call.ID, ` {"reason":"yes", "action":"\u0061pprove"}`)
	require.Equal(t, first.Body.String(), again.Body.String())
	require.Equal(t, "true", again.Header().Get("Idempotent-Replayed"))
	for name, w := range map[string]*httptest.ResponseRecorder{
		"another action": decide("k", call.ID, deny), "another reason": decide("k", call.ID, approve), "another call": decide("k", other.ID, `{"action":"approve","reason":"yes"}`),
		"other arguments": decide("k", call.ID, `{"action":"approve","reason":"yes","arguments":"{\"n\":2}"}`), "another operation": s.send(keyed("ann", "k")),
	} {
		require.Equal(t, 422, w.Code, name)
		refusal(t, w, 422, wire.CodeKeyReused, "idempotency-key")
	}
	require.Equal(t, wire.CallAwaiting, s.seen(other.ID).Status)
	conflicts(t, decide("other", call.ID, approve), wire.CallApproved)
	conflicts(t, s.decideCall(as("ann"), call.ID, approve), wire.CallApproved)
	refusal(t, s.decideCall(keyed("bob", "k"), call.ID, approve), 404, wire.CodeNotFound)

	changed(t, s.claim(as("ann"), call.ID, oneClaim, painted("user")))
	require.Equal(t, wire.CallRunning, changed(t, decide("k", call.ID, `{"action":"approve","reason":"yes"}`)).Status, "as it is now")
	require.Equal(t, 200, s.do("DELETE", "/chat/delete", as("ann").json(), `{"project_id":"demo","chat_id":"`+call.ChatID+`"}`).Code)
	missing(t, decide("k", call.ID, `{"action":"approve","reason":"yes"}`), "Call", "call_id")
}

// One of several simultaneous decisions wins, and its repeats get the same answer.
func TestDecisionsAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, with(calling("paint", red)))
	_, call := s.waits(as("ann"), painter("user")...)
	answers := make([]*httptest.ResponseRecorder, 16)
	var all sync.WaitGroup
	for i := range answers {
		body, key := approve, fmt.Sprint("k", i%4)
		if i%2 == 0 {
			body = deny
		}
		all.Go(func() { answers[i] = s.decideCall(keyed("ann", key), call.ID, body) })
	}
	all.Wait()
	held := s.seen(call.ID).Status
	count := 0
	for i, w := range answers {
		if w.Code != 200 {
			conflicts(t, w, held)
			continue
		}
		require.Equal(t, held, changed(t, w).Status)
		require.Equal(t, []string{wire.CallDenied, wire.CallApproved}[i%2], held)
		if w.Header().Get("Idempotent-Replayed") == "" {
			count++
		}
	}
	require.Equal(t, 1, count)
}

// The page's tools, and whether it handles calls, are not compared in a repeat: those of the first
// request apply.
func TestWhatAPageOffersIsNotCompared(t *testing.T) {
	t.Parallel()
	model := calling("paint", red)
	s := start(t, with(model))
	first, call := s.waits(keyed("ann", "k"), painter("user")...)
	for name, fields := range map[string][]field{
		"none": {}, "other tools": offering(defined("draw", paint)), "wrong tools": offering(`[]`), "no calls": {{name: "tool_calls", value: "false"}},
		"a parent": append(painter("user"), field{name: "parent_id", value: "msg_x"}), "no stream": {{name: "skip_stream", value: "true"}},
	} {
		w := s.send(keyed("ann", "k"), fields...)
		require.Equal(t, 202, w.Code, "%s: %s", name, w.Body)
		require.Equal(t, "true", w.Header().Get("Idempotent-Replayed"), name)
		require.Equal(t, first, decode[wire.SendMessageResponse](t, w), name)
	}
	require.Len(t, model.asked(), 1)
	refusal(t, s.send(keyed("ann", "k"), field{name: "is_test", value: "true"}), 422, wire.CodeKeyReused, "idempotency-key")

	again := func(pageTools, more string) *httptest.ResponseRecorder {
		body := fmt.Sprintf(`{"project_id":"demo","chat_id":%q,"message_id":%q,"page_tools":%s%s}`, first.ChatID, first.MessageID, pageTools, more)
		return s.do("POST", "/v3/chat/message/regenerate", keyed("ann", "r").json(), body)
	}
	regenerated := again(defined("paint", painted("user")), `,"tool_calls":true`)
	require.Equal(t, 202, regenerated.Code, regenerated.Body)
	for _, w := range []*httptest.ResponseRecorder{again(`{}`, ""), again(`null`, `,"tool_calls":false`), again(defined("draw", paint), `,"parent_id":"x","skip_stream":true`)} {
		require.Equal(t, 202, w.Code)
		require.Equal(t, regenerated.Body.String(), w.Body.String())
		require.Equal(t, "true", w.Header().Get("Idempotent-Replayed"))
	}
	refusal(t, again(`{}`, `,"other":1`), 422, wire.CodeKeyReused, "idempotency-key")

	changed(t, s.decideCall(as("ann"), call.ID, deny))
	s.attend()
	s.ended(first.StreamID)
	w := s.send(keyed("ann", "k"))
	require.Equal(t, 200, w.Code, "it waits no longer")
	whole := decode[wire.SendMessageResponse](t, w)
	require.Equal(t, []string{first.MessageID, wire.FinishStop, ""}, []string{whole.MessageID, whole.Message.FinishReason, whole.StreamID})
	s.now.at = s.now.at.Add(chat.DefaultRetention)
	told := s.send(keyed("ann", "k").with("accept", eventStream))
	require.Contains(t, told.Body.String(), `event: tool_call`, "of events that are gone")
	require.NotEqual(t, first.StreamID, startOf(t, told).StreamID)
}

func TestListsOfCalls(t *testing.T) {
	t.Parallel()
	s := start(t, with(calling("paint", `{"n":1}`, `{"n":2}`, `{"n":3}`)))
	w := s.send(as("ann"), painter("user")...)
	require.Equal(t, 202, w.Code)
	sent := decode[wire.SendMessageResponse](t, w)
	var newest []string
	for _, call := range sent.Message.ToolCalls {
		newest = append([]string{call.ID}, newest...)
	}
	require.Equal(t, newest, s.listsCalls(as("ann"), ""))
	first := decode[wire.ListToolCallsResponse](t, s.do("GET", "/tool-calls?limit=2", as("ann"), ""))
	require.True(t, first.HasMore)
	require.Equal(t, newest[2:], s.listsCalls(as("ann"), "?limit=2&cursor="+first.NextCursor))
	require.Equal(t, newest, s.listsCalls(as("ann"), "?limit=1000&chat_id="+sent.ChatID+"&message_id="+sent.MessageID+"&status=awaiting"))
	for _, query := range []string{"?chat_id=chat_x", "?message_id=msg_x", "?status=done", "?chat_id=" + sent.ChatID + "&message_id=msg_x"} {
		require.Empty(t, s.listsCalls(as("ann"), query), query)
	}
	require.Equal(t, `{"tool_calls":[],"has_more":false}`, s.do("GET", "/tool-calls?status=denied", as("ann"), "").Body.String())

	s.remember("assistant", "ann", pending("m1"), pending("m2"))
	memories := s.get(as("ann"), "/memory-approvals/pending?limit=1")
	_, foreign, _ := strings.Cut(memories, `"next_cursor":"`)
	foreign, _, _ = strings.Cut(foreign, `"`)
	require.NotEmpty(t, foreign)
	for query, name := range map[string]string{
		"?limit=0": "limit", "?limit=1001": "limit", "?limit=-1": "limit", "?limit=x": "limit", "?limit=": "limit", "?limit=1&limit=2": "limit", "?limit=1e1": "limit",
		"?cursor=": "cursor", "?cursor=x": "cursor", "?cursor=" + first.NextCursor + "=": "cursor", "?cursor=" + foreign: "cursor", "?cursor=1": "cursor",
		"?cursor=" + first.NextCursor + "&cursor=" + first.NextCursor: "cursor",
		"?status=": "status", "?status=pending": "status", "?status=AWAITING": "status", "?status=done&status=done": "status",
		"?chat_id=": "chat_id", "?chat_id=..": "chat_id", "?chat_id=a&chat_id=b": "chat_id", "?chat_id=%ff": "chat_id", "?message_id=.": "message_id",
	} {
		refusal(t, s.do("GET", "/tool-calls"+query, as("ann"), ""), 400, wire.CodeValidation, name)
	}
	refusal(t, s.do("GET", "/memory-approvals/pending?cursor="+first.NextCursor, as("ann"), ""), 400, wire.CodeValidation, "cursor")
	for _, id := range []string{"%2e%2e", "%ff", "%00", "a%2Fb", strings.Repeat("x", 5000)} {
		missing(t, s.do("GET", "/tool-calls/"+id, as("ann"), ""), "Call", "call_id")
	}
}

// The outcomes of calls, and the number of waiting answers, are counted.
func TestMetricsOfCalls(t *testing.T) {
	t.Parallel()
	s := start(t, withTools(t, calling("act", red), wire.ApprovalUser, does, tool.PageToolsAny)).carried()
	fields := []field{{name: "tool_calls", value: "true"}}
	_, denied := s.waits(as("ann"), fields...)
	done, call := s.waits(as("ann"), fields...)
	stopped, _ := s.waits(as("ann"), fields...)
	s.waits(as("bob"), fields...)
	require.Equal(t, 200, s.send(as("bob")).Code, "denied from the first")
	changed(t, s.decideCall(as("ann"), denied.ID, deny))
	changed(t, s.decideCall(as("ann"), call.ID, approve))
	s.ended(denied.StreamID)
	s.ended(done.StreamID)
	require.Equal(t, 200, s.stop(as("ann"), stopped.StreamID).Code)
	text := s.do("GET", "/metrics", asServer(), "").Body.String()
	for _, line := range []string{`chatsdk_tool_calls_total{status="denied"} 3`, `chatsdk_tool_calls_total{status="done"} 1`, `chatsdk_answers_parked 1`, `chatsdk_answers_running 0`} {
		require.Contains(t, text, line+"\n")
	}
}
