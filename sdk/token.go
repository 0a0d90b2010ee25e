package sdk

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// tokens keeps what AccessTokenFunc returned, and calls it once for all calls that wait for a token.
type tokens struct {
	mu   sync.Mutex
	last *tokenAnswer // nil if there is none that can be used
}

// tokenAnswer is the result of one call of the function. token and err are set before done is
// closed. The timer closes done if the function takes too long.
type tokenAnswer struct {
	done, late chan struct{}
	timer      *time.Timer
	token      string
	err        error
}

// TokenError says what a Config.AccessTokenFunc returned instead of a token. Calling it again would
// not help, so the call fails.
type TokenError struct {
	// Problem says what the function returned and what is wanted: "gave an empty text, want a token".
	Problem string
}

// Error returns the problem, with the function as its subject.
func (e *TokenError) Error() string { return "the accessToken function " + e.Problem }

// token returns an answer that is newer than expired, which may be nil. It compares answers and not
// tokens: if the function returns the same token again, the calls under way do not all ask again.
//
// A question that is older than a timeout, or that a call has waited for until its timeout, is given
// up: it may never be answered, and the next call asks again.
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

// question returns the last answer, or asks again if that one has expired.
func (c *Client) question(ctx context.Context, expired *tokenAnswer) *tokenAnswer {
	t := &c.tokens
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last != nil && t.last != expired {
		return t.last
	}
	answer := &tokenAnswer{done: make(chan struct{}), late: make(chan struct{})}
	t.last = answer
	// A little longer than the timeout, so that the call gives up before its question does.
	answer.timer = time.AfterFunc(c.timeout(ctx)+time.Second/2, func() {
		t.forget(answer)
		close(answer.late)
	})
	go c.askToken(context.WithoutCancel(ctx), answer) // others may wait for it when this caller leaves
	return answer
}

func (c *Client) askToken(ctx context.Context, answer *tokenAnswer) {
	defer close(answer.done)
	answer.token, answer.err = c.config.AccessTokenFunc(context.WithValue(ctx, askingKey{c}, true))
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

// askingKey is the context key that says that the token function of a client makes the call. The call
// would wait for itself.
type askingKey struct{ client *Client }

// forget makes the next call ask again.
func (t *tokens) forget(answer *tokenAnswer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == answer {
		t.last = nil
	}
}

// credentials sets the headers that say who calls, with a token other than the expired one. It
// returns the answer of the token function, nil if there is no function.
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
	var answer *tokenAnswer
	var err error
	if ctx.Value(askingKey{c}) == nil {
		answer, err = c.token(ctx, expired)
	} else {
		err = &TokenError{"calls its own client, and would wait for itself; make another client for it"}
	}
	switch {
	case err == nil:
		header["authorization"] = "Bearer " + answer.token
		return answer, nil
	case context.Cause(ctx) == errTimeout:
		return nil, failed(operation+": the accessToken function gave nothing in time", wire.CodeTimeout, errTimeout)
	case ctx.Err() != nil:
		return nil, lost(ctx, operation, nil, nil)
	}
	if mistake, ok := errors.AsType[*TokenError](err); ok {
		return nil, failed(operation+": "+mistake.Error(), wire.CodeAuthentication, mistake)
	}
	return nil, failed(operation+": the accessToken function failed", wire.CodeAuthentication, err)
}
