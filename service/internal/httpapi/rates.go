package httpapi

import (
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/rates"
)

// limiter counts the requests of each user.
type limiter = rates.Limiter[access.Scope]

// limiters enforce the rates of Limits. Package chat has the limiter for sends.
type limiters struct{ chats, uploads, writes, reads *limiter }

func newLimiters(limits Limits, now func() time.Time) limiters {
	return limiters{
		chats:   rates.New[access.Scope](limits.ChatsPerMinute, now),
		uploads: rates.New[access.Scope](limits.UploadsPerMinute, now),
		writes:  rates.New[access.Scope](limits.WritesPerMinute, now),
		reads:   rates.New[access.Scope](limits.ReadsPerMinute, now),
	}
}

// makes serves a request that makes a chat or a document. An API key that acts for no user has no
// limit, because imports need none.
func (a *api) makes(of *limiter, serve serve) serve {
	return a.withCaller(func(c *exchange) error {
		if c.caller.UserID != "" {
			if err := c.countOnce(of); err != nil {
				return err
			}
		}
		return serve(c)
	})
}

// writes serves a request that changes something; writesOnce is for requests that may have an
// idempotency key.
func (a *api) writes(serve serve) serve {
	return a.withCaller(func(c *exchange) error {
		if err := c.count(a.limiters.writes); err != nil {
			return err
		}
		return serve(c)
	})
}

// reads serves a request whose work grows with what is stored.
func (a *api) reads(serve serve) serve {
	return a.withCaller(func(c *exchange) error {
		if err := c.count(a.limiters.reads); err != nil {
			return err
		}
		return serve(c)
	})
}

func (a *api) writesOnce(serve serve) serve {
	return a.withCaller(func(c *exchange) error {
		if err := c.countOnce(a.limiters.writes); err != nil {
			return err
		}
		return serve(c)
	})
}

// count counts a request before its body is read, even if it fails later.
func (c *exchange) count(by *limiter) error {
	if wait := by.Take(c.caller.Scope); wait > 0 {
		return &fault.Error{Code: wire.CodeRateLimited, Message: "Too many requests of this kind in a minute; wait before sending more", RetryAfter: wait}
	}
	return nil
}

// countOnce is count, except that a repeat is not counted.
func (c *exchange) countOnce(by *limiter) error {
	repeat, err := c.keyIsKnown()
	if err != nil || repeat {
		return err
	}
	return c.count(by)
}

// keyIsKnown reports whether an earlier request came with this key. This includes a key that came
// with a different request: the new one will be refused.
func (c *exchange) keyIsKnown() (bool, error) {
	key, err := c.key()
	if err != nil || key == "" {
		return false, err
	}
	return c.api.config.Chat.KeyIsKnown(c.r.Context(), c.caller, key)
}
