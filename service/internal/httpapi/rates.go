package httpapi

import (
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/rates"
)

// limiter counts the requests of each user.
type limiter = rates.Limiter[chat.Scope]

// limiters are those of Limits; that of sends is package chat's.
type limiters struct{ chats, uploads, writes *limiter }

func newLimiters(limits Limits, now func() time.Time) limiters {
	return limiters{
		chats:   rates.New[chat.Scope](limits.ChatsPerMinute, now),
		uploads: rates.New[chat.Scope](limits.UploadsPerMinute, now),
		writes:  rates.New[chat.Scope](limits.WritesPerMinute, now),
	}
}

// makes serves a request that makes a chat or a document. An API key that acts
// for nobody may make as many as it likes: an import does.
func (a *api) makes(of *limiter, serve serve) serve {
	counted := counted(of, a.keyIsKnown, serve)
	return a.withCaller(func(c *call) error {
		if c.caller.UserID == "" {
			return serve(c)
		}
		return counted(c)
	})
}

// writes serves a request that changes something, writesOnce one that may have
// an idempotency key.
func (a *api) writes(serve serve) serve {
	return a.withCaller(counted(a.limiters.writes, func(*call) (bool, error) { return false, nil }, serve))
}

func (a *api) writesOnce(serve serve) serve {
	return a.withCaller(counted(a.limiters.writes, a.keyIsKnown, serve))
}

// counted counts a request before its body is read, whatever becomes of it
// then. A repeat is not counted.
func counted(by *limiter, isRepeat func(*call) (bool, error), serve serve) serve {
	return func(c *call) error {
		repeat, err := isRepeat(c)
		if err != nil {
			return err
		}
		if repeat {
			return serve(c)
		}
		if wait := by.Take(c.caller.Scope); wait > 0 {
			return &chat.Error{Code: wire.CodeRateLimited, Message: "Too many requests of this kind in a minute; wait before sending more", RetryAfter: wait}
		}
		return serve(c)
	}
}

// keyIsKnown tells whether a request came with this key before. One that came
// with another request is refused, and makes nothing either.
func (a *api) keyIsKnown(c *call) (bool, error) {
	key, err := c.key()
	if err != nil || key == "" {
		return false, err
	}
	return a.config.Chat.KeyIsKnown(c.r.Context(), c.caller, key)
}
