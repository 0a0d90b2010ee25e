package sdk

import (
	"context"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// tokens keeps what AccessTokenFunc gave, and asks it once for all calls that
// wait for a token.
type tokens struct {
	mu   sync.Mutex
	last *tokenAnswer // nil if there is none that can be used
}

// tokenAnswer is what the function gives at one call; token and err are set when
// done is closed. The timer closes late, when the function has taken too long.
type tokenAnswer struct {
	done, late chan struct{}
	timer      *time.Timer
	token      string
	err        error
}

// TokenError says what a Config.AccessTokenFunc gave instead of a token: a
// mistake that another question would not mend.
type TokenError struct {
	// Problem is what it gave and what is wanted: "gave an empty text, want a token".
	Problem string
}

// Error gives the problem with its subject.
func (e *TokenError) Error() string { return "the accessToken function " + e.Problem }

// token gives an answer that came after expired, which is nil for any. Answers are
// told apart, not tokens: a function that gives the same one again is not asked
// by every call that was in flight.
//
// A question that is older than a timeout, or that a call has waited for until its
// timeout, is left to itself: it may never be answered, and the next call asks again.
func (c *Client) token(ctx context.Context, expired *tokenAnswer) (*tokenAnswer, error) {
	for {
		answer := c.question(ctx, expired)
		select {
		case <-answer.done:
			return answer, answer.err
		case <-answer.late:
		case <-ctx.Done():
			if context.Cause(ctx) == errTimeout {
				c.tokens.forget(answer)
			}
			return nil, ctx.Err()
		}
	}
}

// question gives the last one, unless its answer is the expired one, or asks again.
func (c *Client) question(ctx context.Context, expired *tokenAnswer) *tokenAnswer {
	t := &c.tokens
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last != nil && t.last != expired {
		return t.last
	}
	answer := &tokenAnswer{done: make(chan struct{}), late: make(chan struct{})}
	t.last = answer
	// A little more than the timeout: the call that has asked gives up before its question.
	answer.timer = time.AfterFunc(c.timeout()+time.Second/2, func() {
		t.forget(answer)
		close(answer.late)
	})
	go c.askToken(context.WithoutCancel(ctx), answer) // others may wait for it when this caller leaves
	return answer
}

func (c *Client) askToken(ctx context.Context, answer *tokenAnswer) {
	defer close(answer.done)
	answer.token, answer.err = c.config.AccessTokenFunc(ctx)
	answer.timer.Stop()
	switch {
	case answer.err != nil:
	case answer.token == "":
		answer.err = &TokenError{"gave an empty text, want a token"}
	case !headerText(answer.token):
		answer.err = &TokenError{"gave a text that a header cannot carry, want a token"}
	}
	if answer.err != nil {
		c.tokens.forget(answer)
	}
}

// forget lets the next call ask again.
func (t *tokens) forget(answer *tokenAnswer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == answer {
		t.last = nil
	}
}

// credentials are the headers that say who calls, with another token than the
// expired one. It gives what the function gave, nil if there is none.
func (c *Client) credentials(ctx context.Context, operation string, header map[string]string, expired *tokenAnswer) (*tokenAnswer, error) {
	if c.config.APIKey != "" {
		header["x-api-key"], header["x-api-secret"] = c.config.APIKey, c.config.APISecret
		if c.config.UserID != "" {
			header["x-user-id"] = c.config.UserID
		}
		return nil, nil
	}
	if c.config.AccessTokenFunc == nil {
		header["authorization"] = "Bearer " + c.config.AccessToken
		return nil, nil
	}
	answer, err := c.token(ctx, expired)
	switch {
	case err == nil:
		header["authorization"] = "Bearer " + answer.token
		return answer, nil
	case context.Cause(ctx) == errTimeout:
		return nil, failed(operation+": the accessToken function gave nothing in time", wire.CodeTimeout, errTimeout)
	case ctx.Err() != nil:
		return nil, lost(ctx, operation, nil, nil)
	}
	if mistake, ok := err.(*TokenError); ok {
		return nil, failed(operation+": "+mistake.Error(), wire.CodeAuthentication, mistake)
	}
	return nil, failed(operation+": the accessToken function failed", wire.CodeAuthentication, err)
}
