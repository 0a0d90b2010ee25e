//go:build unix

package tools_test

import (
	"context"
	cryptorand "crypto/rand"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/crash/witness"
)

// decide sends one decision on a call, or several at once, as if one user had several devices, or as
// several administrators.
func (u *user) decide(ctx context.Context, a *answer, call wire.ToolCall) {
	count := 1
	if u.random.IntN(4) == 0 {
		count = 2 + u.random.IntN(2)
	}
	for range count {
		d := &decision{action: wire.DecisionApprove}
		who := a.userID
		if call.Approval == wire.ApprovalAdmin {
			who = ""
		}
		switch n := u.random.IntN(10); {
		case n < 2:
			d.action, who = wire.DecisionDeny, a.userID
		case n < 4:
			d.arguments = u.arguments(u.random)
		}
		wait := time.Duration(u.random.IntN(200)) * time.Millisecond
		if u.random.IntN(15) == 0 {
			wait += 2 * time.Second
		}
		u.deciding.Go(func() {
			if witness.Pause(ctx, wait) {
				u.send(ctx, who, call, d)
			}
		})
	}
	if call.Approval == wire.ApprovalAdmin && u.random.IntN(3) == 0 {
		u.deciding.Go(func() { u.trespass(ctx, a, call) })
	}
}

// send sends a decision, again if needed, until its result is known.
func (w *world) send(ctx context.Context, who string, call wire.ToolCall, d *decision) {
	body := wire.DecisionRequest{Action: d.action}
	if d.arguments != "" {
		body.Arguments = &d.arguments
	} else if d.action == wire.DecisionDeny {
		body.Reason = "not now"
	}
	r := witness.With(http.MethodPost, who, "/tool-calls/"+call.ID+"/decision", body).Keyed(fmt.Sprint("decide-", w.number.Add(1)))
	d.sent = time.Now()
	w.ledger.Change(func() { w.ledger.decisions[call.ID] = append(w.ledger.decisions[call.ID], d) })
	w.watch.happens(decisionSent)
	status, answer := w.client.Until(ctx, r)
	w.watch.happens(decisionAnswered)
	w.ledger.Change(func() { d.status = status })
	w.ledger.Add(fmt.Sprintf("%s %d", d.action, status), 1)
	if status != http.StatusOK && status != http.StatusConflict && ctx.Err() == nil {
		w.ledger.Violation(odd, "%s %s: status %d: %.300s", d.action, call.ID, status, answer)
	}
}

// trespass makes the chat's user and another user try to approve a call that only an administrator
// may approve.
func (w *world) trespass(ctx context.Context, a *answer, call wire.ToolCall) {
	for who, want := range map[string]int{a.userID: http.StatusForbidden, "mallory": http.StatusNotFound} {
		r := witness.With(http.MethodPost, who, "/tool-calls/"+call.ID+"/decision", wire.DecisionRequest{Action: wire.DecisionApprove}).
			Keyed(fmt.Sprint("decide-", w.number.Add(1)))
		if status, body := w.client.Until(ctx, r); status != want && ctx.Err() == nil {
			w.ledger.Violation(odd, "%s approves %s: status %d, want %d: %.300s", who, call.ID, status, want, body)
		}
	}
}

// offer makes two pages try to run a call. Sometimes it also sends a forged result.
func (u *user) offer(ctx context.Context, call wire.ToolCall) {
	for range 2 {
		seed := u.random.Uint64()
		u.deciding.Go(func() { u.page(ctx, call, rand.New(rand.NewPCG(seed, 3))) })
	}
	if u.random.IntN(10) == 0 {
		u.deciding.Go(func() { u.forge(ctx, call) })
	}
}

func newClaim() string { return cryptorand.Text() }

// page claims a call. If it gets the claim, it runs the call and sends the result, or vanishes.
func (u *user) page(ctx context.Context, call wire.ToolCall, random *rand.Rand) {
	claim := newClaim()
	text, _ := json.Marshal(definition(toolNamed(call.Name))) // it always encodes
	u.watch.happens(claimSent)
	status, body := u.client.Until(ctx, witness.With(http.MethodPost, u.id, "/tool-calls/"+call.ID+"/claim", wire.ClaimRequest{Claim: claim, Definition: text}))
	u.watch.happens(claimAnswered)
	u.ledger.Add(fmt.Sprint("claim ", status), 1)
	u.ledger.claimed(call.ID, status)
	switch {
	case ctx.Err() != nil || status == http.StatusConflict:
		return
	case status != http.StatusOK:
		u.ledger.Violation(odd, "claim %s: status %d: %.300s", call.ID, status, body)
		return
	}
	granted := parse[wire.ToolCallResponse](u.world, string(body)).Call
	r := &run{arguments: granted.Arguments, begun: time.Now(), result: "The page has done " + granted.Arguments}
	u.ledger.Change(func() { u.ledger.runs[call.ID] = append(u.ledger.runs[call.ID], r) })
	if random.IntN(10) == 0 || !witness.Pause(ctx, time.Duration(random.IntN(300))*time.Millisecond) {
		return // the page was closed
	}
	u.watch.happens(resultSent)
	status, body = u.client.Until(ctx, witness.With(http.MethodPost, u.id, "/tool-calls/"+call.ID+"/result", wire.ResultRequest{Claim: claim, Result: &r.result}))
	u.watch.happens(resultAnswered)
	u.ledger.Change(func() { r.status = status })
	u.ledger.Add(fmt.Sprint("result ", status), 1)
	if status != http.StatusOK && status != http.StatusConflict && ctx.Err() == nil {
		u.ledger.Violation(odd, "result of %s: status %d: %.300s", call.ID, status, body)
	}
}

// forge sends a result with a claim that nobody made, and a claim from another user.
func (u *user) forge(ctx context.Context, call wire.ToolCall) {
	forged := "forged"
	r := witness.With(http.MethodPost, u.id, "/tool-calls/"+call.ID+"/result", wire.ResultRequest{Claim: newClaim(), Result: &forged})
	if status, body := u.client.Until(ctx, r); status != http.StatusConflict && ctx.Err() == nil {
		u.ledger.Violation(odd, "a forged result of %s: status %d: %.300s", call.ID, status, body)
	}
	r = witness.With(http.MethodPost, "mallory", "/tool-calls/"+call.ID+"/claim", wire.ClaimRequest{Claim: newClaim()})
	if status, body := u.client.Until(ctx, r); status != http.StatusNotFound && ctx.Err() == nil {
		u.ledger.Violation(odd, "another user claims %s: status %d: %.300s", call.ID, status, body)
	}
}
