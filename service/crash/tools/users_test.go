//go:build unix

package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/crash/witness"
)

// user asks one question after another, and follows each answer to its end.
type user struct {
	*world
	id     string
	random *rand.Rand
	chat   string
	sdk    bool // the SDK runs its calls
}

func (u *user) work(ctx context.Context) {
	for ctx.Err() == nil && !u.finishing.Load() {
		if u.random.IntN(5) == 0 {
			u.chat = ""
		}
		a := u.question()
		u.follow(ctx, a)
		if ctx.Err() == nil {
			u.chat = a.chatID
		}
	}
}

// follow sends a question and reads its answer, over as many connections as needed.
func (u *user) follow(ctx context.Context, a *answer) {
	send := witness.Sending(u.id, u.chat, a.script.Question(), [2]string{wire.FieldToolCalls, "true"}, [2]string{wire.FieldPageTools, pageTools()}).
		Keyed("ask-" + a.script.ID)
	next := func() witness.Request {
		u.watch.happens(questionSent)
		if a.streamID == "" {
			return send
		}
		return witness.Stream(u.id, a.streamID, len(a.events))
	}
	u.read(ctx, a, next, func(e witness.Event) bool { return u.hear(ctx, a, e) })
}

// read sends the next request, and calls hear with its events, until the answer has ended.
func (u *user) read(ctx context.Context, a *answer, next func() witness.Request, hear func(witness.Event) bool) {
	for ctx.Err() == nil && !a.ended {
		r := next()
		status, refusal, _ := u.client.Read(ctx, r, hear)
		if status != http.StatusOK && !witness.TryAgain(status) {
			u.ledger.Violation(odd, "%s of %s: status %d: %.300s", r.Method, a.script.ID, status, refusal)
			u.ledger.Change(func() { a.ended = true })
			return
		}
		if !a.ended {
			witness.Pause(ctx, u.client.Again)
		}
	}
}

// hear handles an event, and reports whether to continue.
func (u *user) hear(ctx context.Context, a *answer, e witness.Event) bool {
	if last := len(a.events); e.ID != int64(last)+1 {
		u.ledger.Violation(torn, "%s: event %d follows %d", a.script.ID, e.ID, last)
		return false
	}
	u.ledger.Change(func() { a.events = append(a.events, e) })
	switch e.Kind {
	case wire.EventStart:
		start := parse[wire.Start](u.world, e.Data)
		u.ledger.Change(func() { a.streamID, a.chatID, a.messageID = start.StreamID, start.ChatID, start.MessageID })
	case wire.EventChunk:
		text := parse[wire.Text](u.world, e.Data).Text
		u.ledger.Change(func() { a.text += text })
	case wire.EventToolCall:
		u.watch.happens(callSeen)
		u.called(ctx, a, parse[wire.ToolCall](u.world, e.Data))
	case wire.EventEnd:
		u.ledger.Change(func() { a.ended = true })
		u.ledger.Add("answers", 1)
		return false
	}
	return true
}

// orders are the states that may follow each state of a call.
var orders = map[string][]string{
	"":                {wire.CallAwaiting, wire.CallApproved},
	wire.CallAwaiting: {wire.CallApproved, wire.CallDenied},
	wire.CallApproved: {wire.CallRunning, wire.CallDenied, wire.CallUnknown}, // unknown if the call was attempted and its answer was stopped
	wire.CallRunning:  {wire.CallDone, wire.CallFailed, wire.CallUnknown, wire.CallApproved},
}

// called handles an event about a call.
func (u *user) called(ctx context.Context, a *answer, call wire.ToolCall) {
	u.ledger.Lock()
	known := u.ledger.calls[call.ID]
	if known == nil {
		known = &seen{answer: a}
		u.ledger.calls[call.ID] = known
	}
	before := known.last.Status
	known.last = call
	u.ledger.Unlock()
	right := false
	for _, next := range orders[before] {
		right = right || next == call.Status
	}
	if !right {
		u.ledger.Violation(odd, "call %s of %s: %q follows %q", call.ID, a.script.ID, call.Status, before)
	}
	switch {
	case call.Status == wire.CallAwaiting:
		u.decide(ctx, a, call)
	case call.Status == wire.CallApproved && call.Kind == wire.ToolPage:
		if !u.sdk || u.random.IntN(4) == 0 { // another tab may run it too
			u.offer(ctx, call)
		}
	}
	if before == "" && u.random.IntN(40) == 0 {
		u.deciding.Go(func() { u.stop(ctx, a) })
	}
}

// stop stops an answer.
func (u *user) stop(ctx context.Context, a *answer) {
	if !witness.Pause(ctx, time.Duration(rand.IntN(200))*time.Millisecond) {
		return
	}
	u.ledger.Change(func() { a.stopAsked = true })
	u.watch.happens(stopSent)
	status, body := u.client.Until(ctx, witness.With(http.MethodPost, a.userID, "/v3/chat/stream/"+a.streamID+"/stop", struct{}{}))
	if status != http.StatusOK && ctx.Err() == nil {
		u.ledger.Violation(odd, "stop %s: status %d: %.300s", a.script.ID, status, body)
	}
	u.ledger.Add("stops", 1)
}

// parse decodes JSON from the service.
func parse[T any](w *world, text string) (value T) {
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		w.ledger.Violation(odd, "invalid JSON: %v: %.300s", err, text)
	}
	return value
}

func nameOf(number int) string { return fmt.Sprintf("user %d/+%%", number) } // it has characters that must be percent-encoded
