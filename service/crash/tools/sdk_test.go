//go:build unix

package tools_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/crash/witness"
)

// program is a user of the Go SDK, which follows answers and runs calls.
type program struct {
	*user
	client *sdk.Client
}

func (w *world) newProgram(u *user) *program {
	p := &program{user: u}
	config := sdk.Config{
		BaseURL: "http://service.invalid", ProjectID: "demo", APIKey: w.client.Key, APISecret: w.client.Secret, UserID: u.id,
		RetryDelay: w.client.Again, Logger: w.listen, Transport: &nethttp.Transport{Client: &http.Client{Transport: w}},
	}
	for _, one := range tools {
		if one.kind == wire.ToolPage {
			page := definition(one)
			config.Tools = append(config.Tools, sdk.Tool{
				Name: one.name, Description: page.Description, Parameters: page.Parameters, Approval: page.Approval, Idempotent: page.Idempotent,
				Timeout: claimSeconds * time.Second, Run: p.run,
			})
		}
	}
	var err error
	p.client, err = nethttp.NewClient(config)
	require.NoError(w.t, err)
	return p
}

// listen records the claims that the SDK makes.
func (w *world) listen(e sdk.LogEntry) {
	if id, isClaim := strings.CutSuffix(strings.TrimPrefix(e.Path, "/tool-calls/"), "/claim"); isClaim {
		w.ledger.claimed(id, e.Status)
	}
}

// RoundTrip sends a request to the process that is currently serving.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = w.client.Address()
	return w.client.HTTP.Transport.RoundTrip(r)
}

// run runs a call. Sometimes it vanishes instead of sending the result.
func (p *program) run(ctx context.Context, arguments wire.JSON, callID string) (string, error) {
	r := &run{arguments: string(arguments), begun: time.Now(), result: "The program has done " + string(arguments)}
	p.ledger.Change(func() { p.ledger.runs[callID] = append(p.ledger.runs[callID], r) })
	p.ledger.Add("runs of the SDK", 1)
	p.watch.happens(claimAnswered)
	witness.Pause(ctx, time.Duration(rand.IntN(300))*time.Millisecond)
	if rand.IntN(10) == 0 {
		return "", sdk.ErrDetached
	}
	p.watch.happens(resultSent)
	return r.result, nil
}

func (p *program) work(ctx context.Context) {
	for ctx.Err() == nil && !p.finishing.Load() {
		if p.random.IntN(5) == 0 {
			p.chat = ""
		}
		a := p.question()
		for ctx.Err() == nil && !a.ended {
			p.follow(ctx, a)
		}
		if ctx.Err() == nil {
			p.chat = a.chatID
		}
	}
}

// follow reads an answer through the SDK, which must not give up as long as the service comes back.
func (p *program) follow(ctx context.Context, a *answer) {
	p.watch.happens(questionSent)
	options := sdk.SendMessageOptions{ChatID: p.chat, IdempotencyKey: "ask-" + a.script.ID, DetachOnAbort: true}
	for e, err := range p.client.Stream(ctx, a.script.Question(), options) {
		if err != nil {
			p.failed(ctx, a, err)
			return
		}
		switch e.Type {
		case wire.EventStart:
			p.ledger.Change(func() { a.streamID, a.chatID, a.messageID = e.Start.StreamID, e.Start.ChatID, e.Start.MessageID })
		case wire.EventChunk:
			p.ledger.Change(func() { a.text += e.Text })
		case wire.EventToolCall:
			p.watch.happens(callSeen)
			p.called(ctx, a, *e.ToolCall)
		}
	}
	p.end(ctx, a)
}

// failed handles an error of the SDK. If it came before the answer began, work sends the message
// again. After that, only an error of the answer itself is correct.
func (p *program) failed(ctx context.Context, a *answer, err error) {
	var failure *sdk.APIError
	if ctx.Err() != nil || a.streamID == "" && errors.As(err, &failure) && witness.TryAgain(failure.Status) {
		witness.Pause(ctx, p.world.client.Again)
		return
	}
	p.end(ctx, a)
	if last := a.events[max(0, len(a.events)-2):]; len(last) < 2 || last[0].Kind != wire.EventError {
		p.ledger.Violation(stuck, "the SDK gave up on %s: %v", a.script.ID, err)
	}
}

// end reads the whole stream, for the checks.
func (p *program) end(ctx context.Context, a *answer) {
	next := func() witness.Request { return witness.Stream(p.id, a.streamID, len(a.events)) }
	p.read(ctx, a, next, func(e witness.Event) bool {
		p.ledger.Change(func() {
			a.events = append(a.events, e)
			a.ended = e.Kind == wire.EventEnd
		})
		return !a.ended
	})
	p.ledger.Add("answers", 1)
	p.ledger.Add("answers through the SDK", 1)
}

// question returns a new question.
func (u *user) question() *answer {
	a := &answer{script: u.script(u.random), userID: u.id}
	u.ledger.Change(func() { u.ledger.answers = append(u.ledger.answers, a) })
	return a
}
