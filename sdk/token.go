package sdk

import (
	"context"
	"errors"
	"sync"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// tokens keeps the access token that AccessTokenFunc gave, and asks it once for
// all calls that wait for one.
type tokens struct {
	mu    sync.Mutex
	token string
	// asking is set while the function runs.
	asking *tokenAnswer
}

type tokenAnswer struct {
	done  chan struct{}
	token string
	err   error
}

// get gives the token, another one than expired.
func (t *tokens) get(ctx context.Context, ask func(context.Context) (string, error), expired string) (string, error) {
	t.mu.Lock()
	if t.token != "" && t.token != expired {
		defer t.mu.Unlock()
		return t.token, nil
	}
	answer := t.asking
	if answer == nil {
		answer = &tokenAnswer{done: make(chan struct{})}
		t.asking = answer
		go t.ask(context.WithoutCancel(ctx), ask, answer) // others may wait for it when this caller leaves
	}
	t.mu.Unlock()
	select {
	case <-answer.done:
		return answer.token, answer.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (t *tokens) ask(ctx context.Context, ask func(context.Context) (string, error), answer *tokenAnswer) {
	defer close(answer.done)
	token, err := ask(ctx)
	if err == nil && (token == "" || !headerText(token)) {
		token, err = "", errNoToken
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	answer.token, answer.err = token, err
	t.token, t.asking = token, nil
}

var errNoToken = errors.New("it gave no text that a header can carry")

// credentials are the headers that say who calls, with another token than the
// expired one. It gives the token.
func (c *Client) credentials(ctx context.Context, operation string, header map[string]string, expired string) (string, error) {
	if c.config.APIKey != "" {
		header["x-api-key"], header["x-api-secret"] = c.config.APIKey, c.config.APISecret
		if c.config.UserID != "" {
			header["x-user-id"] = c.config.UserID
		}
		return "", nil
	}
	token := c.config.AccessToken
	if c.config.AccessTokenFunc != nil {
		var err error
		token, err = c.tokens.get(ctx, c.config.AccessTokenFunc, expired)
		switch {
		case ctx.Err() != nil:
			return "", lost(ctx, operation, nil, nil)
		case err == errNoToken:
			return "", &APIError{Message: operation + ": the accessToken function gave no usable token", Code: wire.CodeAuthentication}
		case err != nil:
			return "", &APIError{Message: operation + ": the accessToken function failed", Code: wire.CodeAuthentication, Cause: err}
		}
	}
	header["authorization"] = "Bearer " + token
	return token, nil
}
