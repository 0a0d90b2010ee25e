package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/tool"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// roomy takes JSON bodies as large as the service does by default.
func roomy(change func(*setup)) func(*setup) {
	return func(up *setup) {
		change(up)
		up.http.Limits.JSONBytes = 1 << 20
	}
}

// padded returns arguments of this many bytes.
func padded(bytes int) string { return `{"n":1` + strings.Repeat(" ", bytes-7) + `}` }

func arguments(text string) string { return `{"action":"approve","arguments":` + quoted(text) + `}` }

// A decision that is refused changes nothing, and says which field is wrong.
func TestDecisionsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, roomy(withTools(t, calling("act", red), wire.ApprovalUser, does, tool.PageToolsAny)))
	_, call := s.waits(as("ann"), field{name: "tool_calls", value: "true"})
	before := s.stored(call.ID)
	for _, row := range []struct{ name, body, field, says string }{
		{"no action", `{"reason":"x"}`, "action", "missing"},
		{"action null", `{"action":null}`, "action", "missing"},
		{"an unknown action", `{"action":"run"}`, "action", "want approve or deny"},
		{"an action that is not a string", `{"action":true}`, "action", "must be a string"},
		{"two actions", `{"action":"deny","action":"approve"}`, "action", "twice"},
		{"arguments of a denial", `{"action":"deny","arguments":"{\"n\":2}"}`, "arguments", "leave them out"},
		{"arguments that are not a string", `{"action":"approve","arguments":{"n":2}}`, "arguments", "must be a string"},
		{"empty arguments", arguments(""), "arguments", "not JSON"},
		{"arguments null", arguments("null"), "arguments", "one JSON object"},
		{"a list of arguments", arguments("[1]"), "arguments", "one JSON object"},
		{"arguments cut short", arguments(`{"n":`), "arguments", "not JSON"},
		{"two objects", arguments(`{"n":1}{"n":2}`), "arguments", "not JSON"},
		{"a duplicate key", arguments(`{"n":1,"n":2}`), "arguments", "occurs twice"},
		{"a duplicate key, escaped", arguments(`{"n":1,"\u006e":2}`), "arguments", "occurs twice"},
		{"a name that is not in the schema", arguments(`{"n":1,"m":2}`), "arguments", "unknown names: m"},
		{"another type", arguments(`{"n":"1"}`), "arguments", "want integer"},
		{"a name missing", arguments(`{}`), "arguments", "missing"},
		{"a fraction", arguments(`{"n":1.5}`), "arguments", "want integer"},
		{"beyond 2^53", arguments(`{"n":9007199254740992}`), "arguments", "beyond ±9007199254740991"},
		{"beyond −2^53", arguments(`{"n":-9007199254740992}`), "arguments", "beyond ±9007199254740991"},
		{"sixteen digits", arguments(`{"n":1.000000000000001e3}`), "arguments", "more than 15 significant digits"},
		{"a number that is not finite", arguments(`{"n":1e999}`), "arguments", "too large"},
		{"a lone surrogate", arguments(`{"n":1,"x":"\ud800"}`), "arguments", "lone surrogate"},
		{"a lone surrogate in a name", arguments(`{"n":1,"\udc00":1}`), "arguments", "lone surrogate"},
		{"a lone surrogate in the body", `{"action":"approve","arguments":"\ud800"}`, "arguments", "half of a surrogate pair"},
		{"U+0000", arguments(`{"n":1,"x":"\u0000"}`), "arguments", "U+0000"},
		{"U+0000 in the body", `{"action":"approve","arguments":"\u0000"}`, "arguments", "NUL"},
		{"nested deeply", arguments(`{"n":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`), "arguments", "nested deeper than 64"},
		{"one byte more than 64 KiB", arguments(padded(64<<10 + 1)), "arguments", "want at most 65536"},
		{"a reason of 1,001 characters", `{"action":"deny","reason":"` + strings.Repeat("ä", 1001) + `"}`, "reason", "want at most 1000"},
		{"a reason that is not a string", `{"action":"deny","reason":1}`, "reason", "must be a string"},
	} {
		w := s.decideCall(as("ann"), call.ID, row.body)
		require.Equal(t, 400, w.Code, "%s: %s", row.name, w.Body)
		refusal(t, w, 400, wire.CodeValidation, row.field)
		require.Contains(t, w.Body.String(), row.says, row.name)
		require.Equal(t, before, s.stored(call.ID), "%s: nothing has changed", row.name)
	}
	refusal(t, s.decideCall(as("ann"), call.ID, `{"action":"approve","x":"`+strings.Repeat("x", 1<<20)+`"}`), 413, wire.CodePayloadTooLarge)
	refusal(t, s.do("POST", "/tool-calls/"+call.ID+"/decision", as("ann"), approve), 415, wire.CodeUnsupportedMedia)
	require.Equal(t, before, s.stored(call.ID))
	edited := changed(t, s.decideCall(as("ann"), call.ID, arguments(padded(64<<10))))
	require.Equal(t, padded(64<<10), edited.Arguments, "as they were written")
}

// Invalid Unicode in a reason becomes U+FFFD. U+0000 is an ordinary character.
func TestReasonsAreText(t *testing.T) {
	t.Parallel()
	model := calling("paint", red)
	s := start(t, with(model))
	waiting, call := s.waits(as("ann"), painter("user")...)
	body := `{"action":"deny","reason":"a\ud800b\u0000c` + strings.Repeat("ä", 995) + `"}`
	require.Equal(t, "a\ufffdb\x00c"+strings.Repeat("ä", 995), changed(t, s.decideCall(as("ann"), call.ID, body)).Reason)
	s.attend()
	require.Equal(t, wire.CallDenied, s.ended(waiting.StreamID).ToolCalls[0].Status)
	require.Contains(t, model.asked()[1].Rounds[0].Calls[0].Outcome, `"reason":"a�b\u0000c`)
}

// The same rules apply to the arguments of a model. The model is told, and there is nothing to
// approve.
func TestInvalidArgumentsOfAModel(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ text, says string }{
		{`{"n":1,"n":2}`, "occurs twice"}, {`{"n":1,"m":2}`, "unknown names: m"}, {`{"n":1,"x":"\ud800"}`, "lone surrogate"},
		{`{"n":1,"x":"\u0000"}`, "U+0000"}, {`{"n":9007199254740993}`, "beyond"}, {`{`, "not JSON"}, {"", "not JSON"}, {padded(64<<10 + 1), "want at most 65536"},
		{"{\"n\":\xff}", "not UTF-8"},
	} {
		model := calling("paint", row.text)
		s := start(t, func(up *setup) {
			with(model)(up)
			up.chat.Agents[0].Window = 1 << 20 // the next prompt has what a model wrote
		}).carried()
		w := s.send(as("ann"), painter("user")...)
		require.Equal(t, 200, w.Code, "it does not wait: %s", w.Body)
		require.Empty(t, decode[wire.SendMessageResponse](t, w).Message.ToolCalls)
		told := model.asked()[1].Rounds[0].Calls[0]
		require.Equal(t, "invalid", told.Status)
		require.Contains(t, told.Outcome, row.says)
	}
}

// Every later prompt has the calls so far. If they don't fit into the agent's window, the
// answer ends and says so.
func TestCallsThatOutgrowTheWindow(t *testing.T) {
	t.Parallel()
	s := start(t, withTools(t, calling("act", padded(60<<10)), wire.ApprovalNever, does, tool.PageToolsAny)).carried()
	w := s.send(as("ann").with("accept", eventStream), field{name: "tool_calls", value: "true"})
	require.Contains(t, w.Body.String(), `event: error`+"\n"+`data: {"status_code":413,"error":{"code":"PAYLOAD_TOO_LARGE"`)
	require.Contains(t, w.Body.String(), `"status":"done"`)
	refusal(t, s.send(as("ann"), field{name: "tool_calls", value: "true"}), 413, wire.CodePayloadTooLarge)
}

func TestClaimsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, with(calling("paint", red)))
	waiting, call := s.waits(as("ann"), painter("user")...)
	conflicts(t, s.claim(as("ann"), call.ID, oneClaim, painted("user")), wire.CallAwaiting)
	conflicts(t, s.result(as("ann"), call.ID, oneClaim, "red"), wire.CallAwaiting)
	changed(t, s.decideCall(as("ann"), call.ID, approve))
	conflicts(t, s.result(as("ann"), call.ID, oneClaim, "red"), wire.CallApproved)
	before := s.stored(call.ID)
	for _, row := range []struct{ name, body, field string }{
		{"no claim", `{"definition":` + painted("user") + `}`, "claim"},
		{"empty", `{"claim":"","definition":` + painted("user") + `}`, "claim"},
		{"short", `{"claim":"` + oneClaim[:21] + `","definition":` + painted("user") + `}`, "claim"},
		{"long", `{"claim":"` + strings.Repeat("1", 129) + `","definition":` + painted("user") + `}`, "claim"},
		{"with other characters", `{"claim":"` + oneClaim + `\n","definition":` + painted("user") + `}`, "claim"},
		{"not a string", `{"claim":1,"definition":` + painted("user") + `}`, "claim"},
		{"without a definition", `{"claim":"` + oneClaim + `"}`, "definition"},
		{"a definition null", `{"claim":"` + oneClaim + `","definition":null}`, "definition"},
		{"an invalid definition", `{"claim":"` + oneClaim + `","definition":{"x":1}}`, "definition"},
		{"a definition with a duplicate key", `{"claim":"` + oneClaim + `","definition":` + strings.Replace(paint, `{`, `{"description":"x",`, 1) + `}`, "definition"},
	} {
		w := s.do("POST", "/tool-calls/"+call.ID+"/claim", as("ann").json(), row.body)
		require.Equal(t, 400, w.Code, "%s: %s", row.name, w.Body)
		refusal(t, w, 400, wire.CodeValidation, row.field)
		require.Equal(t, before, s.stored(call.ID), row.name)
	}
	for _, other := range []string{
		painted("never"), strings.Replace(painted("user"), "Paints", "Paints all", 1), strings.Replace(painted("user"), `"n"`, `"m"`, 2),
		strings.Replace(painted("user"), `"timeout"`, `"idempotent":true,"timeout"`, 1),
	} {
		conflicts(t, s.claim(as("ann"), call.ID, oneClaim, other), wire.CallApproved, "definition")
		require.Equal(t, before, s.stored(call.ID), "it stays as it was")
	}
	changed(t, s.claim(as("ann"), call.ID, oneClaim, paint)) // user is the default
	conflicts(t, s.claim(as("ann"), call.ID, otherClaim, painted("user")), wire.CallRunning)
	conflicts(t, s.result(as("ann"), call.ID, otherClaim, "forged"), wire.CallRunning)
	changed(t, s.claim(as("ann"), call.ID, oneClaim, `{"description":"a renewal ignores it"}`))
	changed(t, s.result(as("ann"), call.ID, oneClaim, "red"))
	conflicts(t, s.result(as("ann"), call.ID, otherClaim, "red"), wire.CallDone)
	conflicts(t, s.claim(as("ann"), call.ID, oneClaim, painted("user")), wire.CallDone)
	s.attend()
	require.Equal(t, "red", s.ended(waiting.StreamID).ToolCalls[0].Result)
}

func TestResultsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, with(calling("paint", red)))
	callID := s.callUntil(as("ann"), wire.ApprovalUser, wire.CallRunning)
	before := s.stored(callID)
	const claim = `{"claim":"11111111111111111111111111111111",`
	for _, row := range []struct {
		name, body string
		status     int
		code       string
		fields     []string
	}{
		{"neither", claim + `"x":1}`, 400, wire.CodeValidation, []string{"result", "error"}},
		{"both", claim + `"result":"a","error":"b"}`, 400, wire.CodeValidation, []string{"result", "error"}},
		{"both null", claim + `"result":null,"error":null}`, 400, wire.CodeValidation, []string{"result", "error"}},
		{"without a claim", `{"result":"a"}`, 400, wire.CodeValidation, []string{"claim"}},
		{"a result that is not a string", claim + `"result":{"a":1}}`, 400, wire.CodeValidation, []string{"result"}},
		{"truncated as a string", claim + `"result":"a","truncated":"true"}`, 400, wire.CodeValidation, []string{"truncated"}},
		{"two results", claim + `"result":"a","result":"b"}`, 400, wire.CodeValidation, []string{"result"}},
		{"a result of one byte more than 256 KiB", claim + `"result":"` + strings.Repeat("x", toolcall.MaxResult+1) + `"}`, 413, wire.CodePayloadTooLarge,
			[]string{"result"}},
		{"a result that is too large as UTF-8", claim + `"result":"` + strings.Repeat("ä", toolcall.MaxResult/2) + `x"}`, 413, wire.CodePayloadTooLarge,
			[]string{"result"}},
		{"a body far over the limit", claim + `"result":"` + strings.Repeat("x", 2<<20) + `"}`, 413, wire.CodePayloadTooLarge, nil},
		{"an error of 1,001 characters", claim + `"error":"` + strings.Repeat("ä", 1001) + `"}`, 400, wire.CodeValidation, []string{"error"}},
		{"invalid UTF-8", claim + "\"result\":\"\xff\"}", 400, wire.CodeValidation, nil},
	} {
		w := s.do("POST", "/tool-calls/"+callID+"/result", as("ann").json(), row.body)
		require.Equal(t, row.status, w.Code, "%s: %s", row.name, w.Body)
		refusal(t, w, row.status, row.code, row.fields...)
		require.Equal(t, before, s.stored(callID), row.name)
	}
	escaped := strings.Repeat(`\u0001`, toolcall.MaxResult) // six bytes each
	for range 2 {
		call := changed(t, s.do("POST", "/tool-calls/"+callID+"/result", as("ann").json(), claim+`"truncated":true,"result":"`+escaped+`"}`))
		require.Equal(t, []any{toolcall.MaxResult, true}, []any{call.ResultSize, call.Truncated})
	}
}

// Invalid Unicode in a page's result becomes U+FFFD. Sending the same result again changes nothing.
func TestResultsAreText(t *testing.T) {
	t.Parallel()
	s := start(t, with(calling("paint", red)))
	for _, row := range []struct {
		field string
		of    func(wire.ToolCall) string
	}{{"result", func(c wire.ToolCall) string { return c.Result }}, {"error", func(c wire.ToolCall) string { return c.Error }}} {
		callID := s.callUntil(as("ann"), wire.ApprovalUser, wire.CallRunning)
		body := fmt.Sprintf(`{"claim":%q,%q:"a\ud800b\u0000c\ud83d\ude00"}`, oneClaim, row.field)
		for range 2 {
			call := changed(t, s.do("POST", "/tool-calls/"+callID+"/result", as("ann").json(), body))
			require.Equal(t, "a\ufffdb\x00c😀", row.of(call))
		}
		require.Equal(t, "a\ufffdb\x00c😀", row.of(s.seen(callID)))
	}
}

// A call that waited too long is expired for every later request.
func TestDecisionsAfterExpiry(t *testing.T) {
	t.Parallel()
	s := start(t, with(calling("paint", red)))
	waiting, call := s.waits(as("ann"), painter("user")...)
	approvedID := s.callUntil(as("ann"), wire.ApprovalUser, wire.CallApproved)
	s.now.at = s.now.at.Add(toolcall.DefaultApprovalLifetime - time.Microsecond)
	require.Equal(t, []string{call.ID}, s.listsCalls(as("ann"), "?status=awaiting"))
	s.now.at = s.now.at.Add(time.Microsecond)
	for _, body := range []string{approve, deny} {
		conflicts(t, s.decideCall(as("ann"), call.ID, body), wire.CallExpired)
	}
	conflicts(t, s.claim(as("ann"), approvedID, oneClaim, painted("user")), wire.CallExpired)
	require.Equal(t, wire.CallExpired, s.seen(call.ID).Status)
	require.ElementsMatch(t, []string{call.ID, approvedID}, s.listsCalls(as("ann"), "?status=expired"))
	require.Empty(t, s.listsCalls(as("ann"), "?status=awaiting"))
	s.attend()
	s.attend()
	answer := s.ended(waiting.StreamID)
	require.Equal(t, []string{"I ask.\n\nDone.", wire.CallExpired}, []string{answer.Content, answer.ToolCalls[0].Status})
}
