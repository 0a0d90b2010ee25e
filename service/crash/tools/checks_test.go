//go:build unix

package tools_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/crash/witness"
	"github.com/chatsdk/chatsdk/service/tooltest"
)

// check compares what is stored with what the model, the tools, users and pages saw. All of them must
// have finished.
func (w *world) check() {
	byCall := map[string][]tooltest.Attempt{}
	for _, a := range w.tools.Attempts() {
		byCall[a.CallID] = append(byCall[a.CallID], a)
		if a.Fault != "" {
			w.ledger.Violation(odd, "%s received an invalid call: %s", a.Tool, a.Fault)
		}
	}
	finals := map[string]wire.ToolCall{}
	for id, known := range w.ledger.calls {
		call, found := w.stored(known.answer.userID, id)
		if !found {
			continue
		}
		finals[id] = call
		w.checkCall(known, call, byCall[id])
	}
	for id := range byCall {
		if _, known := finals[id]; !known {
			w.ledger.Violation(unasked, "call %s was carried out, but no reader heard of it", id)
		}
	}
	for _, a := range w.ledger.answers {
		if a.ended && a.messageID != "" {
			w.checkAnswer(a, finals)
		}
	}
}

// stored returns the current state of a call.
func (w *world) stored(userID, id string) (wire.ToolCall, bool) {
	status, body := w.client.Until(context.Background(), witness.Get(userID, "/tool-calls/"+id))
	if status != http.StatusOK {
		w.ledger.Violation(lost, "call %s: status %d: %.300s", id, status, body)
		return wire.ToolCall{}, false
	}
	return parse[wire.ToolCall](w, string(body)), true
}

// checkCall compares a call with the decisions on it and with its runs.
func (w *world) checkCall(known *seen, call wire.ToolCall, attempts []tooltest.Attempt) {
	one, a := toolNamed(call.Name), known.answer
	w.ledger.Add("calls", 1)
	w.ledger.Add("call "+call.Status, 1)
	if !settled(call.Status) {
		w.ledger.Violation(stuck, "call %s of %s is still %s", call.ID, a.script.ID, call.Status)
	}
	var granted *decision
	for _, d := range w.ledger.decisions[call.ID] {
		if d.status != http.StatusOK {
			continue
		}
		if granted != nil {
			w.ledger.Violation(twice, "two decisions on call %s were accepted: %+v and %+v", call.ID, granted, d)
		}
		granted = d
	}
	w.checkDecision(a, call, granted, len(attempts)+len(w.ledger.runs[call.ID]) > 0)

	made := w.carried(call, attempts)
	if len(made) > 0 {
		w.ledger.Add("calls carried out", 1)
	}
	if most := map[bool]int{false: 1, true: 3}[one.idempotent]; len(made) > most {
		w.ledger.Violation(twice, "call %s of %s was carried out %d times", call.ID, call.Name, len(made))
	}
	for _, attempt := range made {
		if !w.mayBegin(one, call, attempt) {
			var decisions []decision
			for _, d := range w.ledger.decisions[call.ID] {
				decisions = append(decisions, *d)
			}
			w.ledger.Violation(unasked, "call %s of %s was carried out without approval, decisions %+v", call.ID, call.Name, decisions)
		}
		if !same(one, attempt.Arguments, call.Arguments) {
			w.ledger.Violation(otherwise, "call %s of %s was approved with %s, but carried out with %s", call.ID, call.Name, call.Arguments, attempt.Arguments)
		}
	}
	w.checkOutcome(call, made)
}

// checkDecision compares a call with the decision that was confirmed to its sender.
func (w *world) checkDecision(a *answer, call wire.ToolCall, d *decision, carried bool) {
	switch {
	case d == nil:
	case d.action == wire.DecisionDeny && (call.Status != wire.CallDenied || carried):
		w.ledger.Violation(lost, "call %s was denied, but is %s, carried out: %t", call.ID, call.Status, carried)
	case d.action == wire.DecisionApprove && call.Status == wire.CallDenied && (!a.stopAsked || call.Reason != wire.ReasonStopped || carried):
		w.ledger.Violation(lost, "call %s was approved, but is denied: %q, carried out: %t", call.ID, call.Reason, carried)
	case d.arguments != "" && d.arguments != call.Arguments, d.action == wire.DecisionApprove && call.Edited != (d.arguments != ""):
		w.ledger.Violation(otherwise, "call %s was approved with %q, but has %q, edited: %t", call.ID, d.arguments, call.Arguments, call.Edited)
	}
}

// carried returns all runs of a call, by tools and pages.
func (w *world) carried(call wire.ToolCall, attempts []tooltest.Attempt) []tooltest.Attempt {
	all := slices.Clone(attempts)
	for _, r := range w.ledger.runs[call.ID] {
		all = append(all, tooltest.Attempt{CallID: call.ID, Tool: call.Name, Arguments: r.arguments, Begun: r.begun, Result: r.result, Whole: r.status == http.StatusOK})
	}
	return all
}

// mayBegin reports whether a call needed no approval, or an approval was sent before its run.
func (w *world) mayBegin(one offered, call wire.ToolCall, attempt tooltest.Attempt) bool {
	if one.approval == wire.ApprovalNever {
		return true
	}
	return slices.ContainsFunc(w.ledger.decisions[call.ID], func(d *decision) bool {
		return d.action == wire.DecisionApprove && d.sent.Before(attempt.Begun) && (d.status == http.StatusOK || d.status == 0)
	})
}

// same reports whether arguments equal the approved ones. MCP calls keep only their JSON value.
func same(one offered, carried, approved string) bool {
	if one.kind != wire.ToolMCP {
		return carried == approved
	}
	var left, right any
	return json.Unmarshal([]byte(carried), &left) == nil && json.Unmarshal([]byte(approved), &right) == nil && jsonOf(left) == jsonOf(right)
}

func jsonOf(value any) string {
	text, _ := json.Marshal(value) // it was decoded from JSON
	return string(text)
}

// checkOutcome compares a call's outcome with its tool's result.
func (w *world) checkOutcome(call wire.ToolCall, made []tooltest.Attempt) {
	gave := slices.ContainsFunc(made, func(a tooltest.Attempt) bool {
		return a.Result != "" && strings.HasPrefix(a.Result, call.Result)
	})
	switch {
	case call.Status == wire.CallDone && (!gave || call.Result == ""):
		w.ledger.Violation(lost, "call %s of %s is done with %.100q, which no run returned", call.ID, call.Name, call.Result)
	case call.Status == wire.CallDenied && len(made) > 0:
		w.ledger.Violation(unasked, "call %s of %s is denied, but was carried out", call.ID, call.Name)
	case call.Status == wire.CallFailed && slices.ContainsFunc(made, func(a tooltest.Attempt) bool { return a.Whole && a.Result != "" }):
		w.ledger.Violation(lost, "call %s of %s failed (%s), but was carried out", call.ID, call.Name, call.Error)
	}
	for _, r := range w.ledger.runs[call.ID] {
		if r.status == http.StatusOK && (call.Status != wire.CallDone || call.Result != r.result) {
			w.ledger.Violation(lost, "call %s of %s: a result was accepted, but the call is %s", call.ID, call.Name, call.Status)
		}
	}
}

func settled(status string) bool {
	return !slices.Contains([]string{wire.CallAwaiting, wire.CallApproved, wire.CallRunning}, status)
}

// checkAnswer compares an answer with its script, its readers and what the model was told.
func (w *world) checkAnswer(a *answer, finals map[string]wire.ToolCall) {
	status, body := w.client.Until(context.Background(), witness.Get(a.userID, "/project/demo/chat/"+a.chatID+"/message/"+a.messageID))
	if status != http.StatusOK {
		w.ledger.Violation(lost, "the answer to %s: status %d: %.300s", a.script.ID, status, body)
		return
	}
	message := parse[wire.Message](w, string(body))
	w.ledger.Add("answer "+message.FinishReason, 1)
	if message.Content != a.text {
		w.ledger.Violation(torn, "the answer to %s is %q, but its reader got %q", a.script.ID, message.Content, a.text)
	}
	w.reread(a)
	asked := w.model.Asked(a.script.ID)
	w.checkRounds(a, asked, message, finals)
	switch message.FinishReason {
	case wire.FinishStop:
		w.checkWhole(a, len(asked), message)
	case wire.FinishError:
		w.checkBroken(a)
	case wire.FinishStopped:
		if !a.stopAsked {
			w.ledger.Violation(odd, "%s was stopped, but nobody asked for that", a.script.ID)
		}
	default:
		w.ledger.Violation(odd, "the answer to %s ended with %q", a.script.ID, message.FinishReason)
	}
}

// checkBroken checks an answer that failed. An answer may fail only while the model is asked, when all
// of its calls are settled.
func (w *world) checkBroken(a *answer) {
	last := map[string]wire.ToolCall{}
	for _, e := range a.events {
		switch e.Kind {
		case wire.EventToolCall:
			call := parse[wire.ToolCall](w, e.Data)
			last[call.ID] = call
		case wire.EventError:
			if code := parse[wire.ErrorBody](w, e.Data).Error.Code; code != wire.CodeUnavailable {
				w.ledger.Violation(odd, "%s ended with %s: %.300s", a.script.ID, code, e.Data)
			}
		}
	}
	for id, call := range last {
		if !settled(call.Status) {
			w.ledger.Violation(stuck, "%s failed while its call %s of %s was %s", a.script.ID, id, call.Name, call.Status)
		}
	}
}

// checkWhole compares a complete answer with its script.
func (w *world) checkWhole(a *answer, asked int, message wire.Message) {
	want := ""
	calls := 0
	for i, round := range a.script.Rounds {
		if i > 0 && want != "" && round.Text != "" {
			want += "\n\n"
		}
		want += round.Text
		calls += len(round.Calls)
	}
	if message.Content != want {
		w.ledger.Violation(odd, "the answer to %s is %q, want %q", a.script.ID, message.Content, want)
	}
	if len(message.ToolCalls) != calls || asked != len(a.script.Rounds) {
		w.ledger.Violation(lost, "%s is complete with %d calls in %d rounds, want %d in %d", a.script.ID, len(message.ToolCalls), asked, calls, len(a.script.Rounds))
	}
}

// reread reads the whole stream again. A new reader must get what the first one got.
func (w *world) reread(a *answer) {
	var all []witness.Event
	status, body := 0, []byte(nil)
	for witness.TryAgain(status) {
		all = nil
		status, body, _ = w.client.Read(context.Background(), witness.Stream(a.userID, a.streamID, 0), func(e witness.Event) bool {
			all = append(all, e)
			return e.Kind != wire.EventEnd
		})
	}
	if !slices.Equal(all, a.events) {
		w.ledger.Violation(torn, "%s: status %d %.100s: another reader gets %d events, the first one got %d", a.script.ID, status, body, len(all), len(a.events))
	}
}

// checkRounds compares the requests to the model, and the results in them, with the calls.
func (w *world) checkRounds(a *answer, asked []tooltest.Asking, message wire.Message, finals map[string]wire.ToolCall) {
	byID := map[string]wire.ToolCall{} // by the id of the provider
	next := 0
	for i, round := range a.script.Rounds {
		for n := range round.Calls {
			if next < len(message.ToolCalls) {
				byID[a.script.ProviderID(i, n)] = finals[message.ToolCalls[next].ID]
				next++
			}
		}
	}
	before := map[int]bool{}
	for _, asking := range asked {
		if before[asking.Round] {
			w.ledger.Violation(retold, "round %d of %s was asked twice", asking.Round, a.script.ID)
		}
		before[asking.Round] = true
		for _, id := range asking.Doubled {
			w.ledger.Violation(retold, "the result of %s is in round %d twice", id, asking.Round)
		}
		for id, told := range asking.Told {
			call, known := byID[id]
			if !known {
				w.ledger.Violation(mistold, "the model got a result of %s, which is not a call of %s", id, a.script.ID)
				continue
			}
			var outcome struct{ Status, Result string }
			if err := json.Unmarshal([]byte(told), &outcome); err != nil || outcome.Status != call.Status || !strings.HasPrefix(call.Result, outcome.Result) {
				w.ledger.Violation(mistold, "call %s is %s, but the model got %.200s", call.ID, call.Status, told)
			}
			w.ledger.Add("results told", 1)
		}
	}
}
