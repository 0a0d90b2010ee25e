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

// limiters are those of Limits; that of sends is package chat's.
type limiters struct{ chats, uploads, writes *limiter }

func newLimiters(limits Limits, now func() time.Time) limiters {
	return limiters{
		chats:   rates.New[access.Scope](limits.ChatsPerMinute, now),
		uploads: rates.New[access.Scope](limits.UploadsPerMinute, now),
		writes:  rates.New[access.Scope](limits.WritesPerMinute, now),
	}
}

// makes serves a request that makes a chat or a document. An API key that acts
// for nobody may make as many as it likes: an import does.
func (a *api) makes(of *limiter, serve serve) serve {
	return a.withCaller(func(c *call) error {
		if c.caller.UserID != "" {
			if err := c.countOnce(of); err != nil {
				return err
			}
		}
		return serve(c)
	})
}

// writes serves a request that changes something, writesOnce one that may have
// an idempotency key.
func (a *api) writes(serve serve) serve {
	return a.withCaller(func(c *call) error {
		if err := c.count(a.limiters.writes); err != nil {
			return err
		}
		return serve(c)
	})
}

func (a *api) writesOnce(serve serve) serve {
	return a.withCaller(func(c *call) error {
		if err := c.countOnce(a.limiters.writes); err != nil {
			return err
		}
		return serve(c)
	})
}

// count counts a request before its body is read, whatever becomes of it then.
func (c *call) count(by *limiter) error {
	if wait := by.Take(c.caller.Scope); wait > 0 {
		return &fault.Error{Code: wire.CodeRateLimited, Message: "Too many requests of this kind in a minute; wait before sending more", RetryAfter: wait}
	}
	return nil
}

// countOnce is count, but for a repeat.
func (c *call) countOnce(by *limiter) error {
	repeat, err := c.keyIsKnown()
	if err != nil || repeat {
		return err
	}
	return c.count(by)
}

// keyIsKnown tells whether a request came with this key before. One that came
// with another request is known, too: it will be refused.
func (c *call) keyIsKnown() (bool, error) {
	key, err := c.key()
	if err != nil || key == "" {
		return false, err
	}
	return c.api.config.Chat.KeyIsKnown(c.r.Context(), c.caller, key)
}
