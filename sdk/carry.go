package sdk

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

const (
	// claimPause is how long an approved call is left to the page that sent the message before
	// another page claims it, and the pause after a claim that failed.
	claimPause = 5 * time.Second
	// claimLife is the longest time for which the service keeps a claim.
	claimLife = 10 * time.Minute
	// maxError is how many characters of a call's error are sent.
	maxError = 1000
)

// errClaimEnded ends the context of a Run whose result nobody waits for any more.
var errClaimEnded = errors.New("the service no longer waits for the result of this call")

// attempt is one attempt to carry out a call with a tool of this program.
type attempt struct {
	*Client
	tool *Tool
	id   string
	// claim identifies this attempt to the service, which lets only its holder carry out the call. It is kept secret.
	claim string
	// timeout is how long a claim is valid, according to the service or else to the tool.
	timeout time.Duration
	ctx     context.Context // is never cancelled from outside
}

// carry carries out the approved calls of this program's tools, each once.
func (s *session) carry() {
	for _, call := range s.seen {
		id := text(call, "id")
		if text(call, "kind") != wire.ToolPage || text(call, "status") != wire.CallApproved || s.status(id) != wire.CallApproved {
			continue // the events that were read together may have later changes of the call
		}
		tool := s.client.tool(text(call, "name"))
		if tool == nil || !s.client.followed.take(id) {
			continue
		}
		delay := claimPause
		if s.ours() {
			delay = 0
		}
		a := &attempt{s.client, tool, id, newClaim(), tool.timeout(), context.WithoutCancel(s.ctx)}
		go a.run(delay)
	}
}

// ours reports whether this program asked the question.
func (s *session) ours() bool { return s.request != nil || s.client.followed.asked(s.messageID) }

// newClaim returns 128 random bits. math/rand/v2 is ChaCha8 with a seed from the system; crypto/rand
// would add 44 KB to the wasm. Only the chat's user could use a claim.
func newClaim() string {
	claim := make([]byte, 0, 32)
	for range 2 {
		for bits, n := rand.Uint64(), 0; n < 16; n++ {
			claim = append(claim, upperHex[bits&15])
			bits >>= 4
		}
	}
	return string(claim)
}

// run carries out the call, and again if it was approved again meanwhile.
func (a *attempt) run(delay time.Duration) {
	for a.once(delay); a.followed.drop(a.id); a.once(claimPause) {
		a.claim = newClaim()
	}
}

func (a *attempt) once(delay time.Duration) {
	call, ok := a.take(delay)
	if !ok {
		return
	}
	ctx, end := context.WithCancelCause(a.ctx)
	go a.renew(ctx, end)
	result, err := a.tool.Run(ctx, wire.JSON(text(call, "arguments")), a.id)
	ended := ctx.Err() != nil
	end(nil)
	if !ended && !errors.Is(err, ErrDetached) {
		a.report(result, err)
	}
}

// take claims the call, unless nobody follows its answer any more or somebody else has the claim.
func (a *attempt) take(delay time.Duration) (call jsontext.Value, ok bool) {
	for tried := false; ; tried = true {
		_, _ = a.wait(a.ctx, delay, false)
		status := a.followed.status(a.id)
		// The service may have accepted an earlier claim whose response was lost.
		if status != wire.CallApproved && !(tried && status == wire.CallRunning) {
			return nil, false
		}
		answer, err := a.post(a.ctx, "claim", a.claiming())
		if err == nil {
			if timeout := secondsOf(answer.Get("timeout")); timeout > 0 {
				a.timeout = timeout
			}
			return answer.Get("call"), true
		}
		failure, ok := errors.AsType[*APIError](err)
		if !ok || !failure.Retryable() {
			// A 409 without fields means that somebody else has the claim, which may end.
			if ok && (failure.Status != 409 || len(failure.InvalidFields) > 0) {
				a.followed.refuse(a.id)
			}
			return nil, false
		}
		delay = max(claimPause, failure.RetryAfter)
	}
}

func (a *attempt) claiming() []byte {
	return encodeClaim(wire.ClaimRequest{Claim: a.claim, Definition: a.tool.definition()})
}

// renew renews the claim until ctx ends. It ends ctx if the claim is lost.
func (a *attempt) renew(ctx context.Context, end context.CancelCauseFunc) {
	for {
		if _, err := a.wait(ctx, a.timeout/3, false); err != nil {
			return
		}
		_, err := a.post(ctx, "claim", a.claiming())
		if failure, ok := errors.AsType[*APIError](err); ok && (failure.Status == 404 || failure.Status == 409) {
			end(errClaimEnded)
			return
		}
	}
}

// report sends the result until the service accepts it, refuses it, or no longer needs it.
func (a *attempt) report(result string, failure error) {
	request := wire.ResultRequest{Claim: a.claim}
	if failure != nil {
		said := failure.Error()
		said = cutText(said, charactersEnd(said, maxError))
		request.Error = &said
	} else {
		kept := cutText(result, MaxResult)
		request.Result, request.Truncated = &kept, len(result) > MaxResult
	}
	body := encodeResult(request)
	for begun := time.Now(); time.Since(begun) < claimLife; {
		_, err := a.post(a.ctx, "result", body)
		refusal, ok := errors.AsType[*APIError](err)
		if !ok || !refusal.Retryable() {
			return
		}
		_, _ = a.pause(a.ctx, refusal, maxRetryDelay)
	}
}

// post sends a claim or a result, and returns the response.
func (a *attempt) post(ctx context.Context, what string, body []byte) (jsontext.Value, error) {
	done := a.postsFor(a.id)
	url := append(append(appendEscaped([]byte("/tool-calls/"), a.id), '/'), what...)
	answer, err := a.call(ctx, what+"ToolCall", &Request{Method: "POST", URL: string(url), Body: body, again: true})
	done(err != nil || what == "result")
	if err != nil {
		return nil, err
	}
	return answer.value, nil
}

// cutText cuts a text to the given number of bytes, at the end of a code point. Invalid UTF-8 becomes
// U+FFFD.
func cutText(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// charactersEnd is the index after the given number of characters of a text.
func charactersEnd(text string, characters int) int {
	for at := range text {
		if characters == 0 {
			return at
		}
		characters--
	}
	return len(text)
}
