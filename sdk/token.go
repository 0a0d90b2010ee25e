package sdk

import (
	"context"
	"errors"
	"sync"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// tokens keeps what AccessTokenFunc gave, and asks it once for all calls that
// wait for a token.
type tokens struct {
	mu   sync.Mutex
	last *tokenAnswer // nil where there is none that can be used
}

// tokenAnswer is what the function gives at one call; token and err are set when
// done is closed.
type tokenAnswer struct {
	done  chan struct{}
	token string
	err   error
}

// get gives an answer that came after expired, which is nil for any. Answers are
// told apart, not tokens: a function that gives the same one again is not asked
// by every call that was in flight.
func (t *tokens) get(ctx context.Context, ask func(context.Context) (string, error), expired *tokenAnswer) (*tokenAnswer, error) {
	t.mu.Lock()
	answer := t.last
	if answer == nil || answer == expired {
		answer = &tokenAnswer{done: make(chan struct{})}
		t.last = answer
		go t.ask(context.WithoutCancel(ctx), ask, answer) // others may wait for it when this caller leaves
	}
	t.mu.Unlock()
	select {
	case <-answer.done:
		return answer, answer.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (t *tokens) ask(ctx context.Context, ask func(context.Context) (string, error), answer *tokenAnswer) {
	defer close(answer.done)
	answer.token, answer.err = ask(ctx)
	if answer.err == nil && (answer.token == "" || !headerText(answer.token)) {
		answer.err = errNoToken
	}
	if answer.err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.last = nil
	}
}

var errNoToken = errors.New("it gave no text that a header can carry")

// credentials are the headers that say who calls, with another token than the
// expired one. It gives what the function gave, nil where there is none.
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
	answer, err := c.tokens.get(ctx, c.config.AccessTokenFunc, expired)
	switch {
	case ctx.Err() != nil:
		return nil, lost(ctx, operation, nil, nil)
	case err == errNoToken:
		return nil, failed(operation+": the accessToken function gave no usable token", wire.CodeAuthentication, nil)
	case err != nil:
		return nil, failed(operation+": the accessToken function failed", wire.CodeAuthentication, err)
	}
	header["authorization"] = "Bearer " + answer.token
	return answer, nil
}
