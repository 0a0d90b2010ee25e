package sdk

import (
	"cmp"
	"context"
	"time"
)

// CallOptions are settings of one call; see WithCallOptions.
type CallOptions struct {
	// Timeout replaces Config.Timeout. 0 means that one.
	Timeout time.Duration
	// MaxRetries replaces Config.MaxRetries. 0 means that one, and a negative number none.
	MaxRetries int
	// Logger is called for each request of the call, after Config.Logger. Nil means no logger.
	Logger func(LogEntry)
}

type callOptionsKey struct{}

// WithCallOptions returns a context whose calls have other settings than their Client.
func WithCallOptions(ctx context.Context, options CallOptions) context.Context {
	return context.WithValue(ctx, callOptionsKey{}, options)
}

func callOptions(ctx context.Context) CallOptions {
	options, _ := ctx.Value(callOptionsKey{}).(CallOptions)
	return options
}

func (c *Client) timeout(ctx context.Context) time.Duration {
	return cmp.Or(callOptions(ctx).Timeout, c.config.Timeout, DefaultTimeout)
}

func (c *Client) maxRetries(ctx context.Context) int {
	return max(cmp.Or(callOptions(ctx).MaxRetries, c.config.MaxRetries, DefaultMaxRetries), 0)
}
