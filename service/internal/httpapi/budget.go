package httpapi

import (
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

const (
	// A request of at most smallRequest bytes may use all of the process's budget. A larger one
	// leaves reservedPart of it free, so that a message gets through while uploads have used up
	// the rest.
	smallRequest = 64 << 10
	reservedPart = 8 // 8 means one eighth
	// roomTime is how long a client waits before a retry if there was no room.
	roomTime = 5 * time.Second
)

var (
	errUserBytes = &fault.Error{
		Code: wire.CodeQuotaExceeded, RetryAfter: roomTime,
		Message: "You have too many bytes in flight; wait until one of your requests or answers has ended",
	}
	errProcessBytes = &fault.Error{
		Code: wire.CodeUnavailable, RetryAfter: roomTime,
		Message: "The service has too many bytes in flight; send the request again in a moment",
	}
)

// budget bounds how many bytes requests and answers may hold at once, in the process and for each
// user. An API key that acts for no user counts as one user, and so do all requests without
// credentials together.
type budget struct {
	// process and perUser are the bounds, 0 for none.
	process, perUser int64

	mu   sync.Mutex
	held int64
	// users has an entry for each user who holds bytes.
	users map[access.Scope]int64
}

func newBudget(limits Limits) *budget {
	return &budget{process: limits.BytesInFlight, perUser: limits.BytesInFlightPerUser, users: map[access.Scope]int64{}}
}

// take reserves more bytes for a request that already holds some (before). If no other request is
// in flight there is always room, otherwise a large request would never get any.
func (b *budget) take(user access.Scope, bytes, before int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.perUser > 0 && b.users[user] > before && b.users[user]+bytes > b.perUser:
		return errUserBytes
	case b.process > 0 && b.held > before && b.held+bytes > b.room(before+bytes):
		return errProcessBytes
	}
	b.held += bytes
	b.users[user] += bytes
	return nil
}

// room returns how many bytes of the process's budget a request of this size may use.
func (b *budget) room(size int64) int64 {
	if size <= smallRequest {
		return b.process
	}
	return b.process - b.process/reservedPart
}

// give returns a user's bytes to the budget.
func (b *budget) give(user access.Scope, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held -= bytes
	if b.users[user] -= bytes; b.users[user] == 0 {
		delete(b.users, user)
	}
}

// largest returns the size of the largest body for which there can be room, 0 for any.
func (b *budget) largest() int64 {
	largest := b.process
	if b.process > smallRequest {
		largest = max(smallRequest, b.room(b.process))
	}
	if largest == 0 || b.perUser > 0 && b.perUser < largest {
		largest = b.perUser
	}
	return largest
}

// inFlight returns how many bytes are held.
func (b *budget) inFlight() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return float64(b.held)
}

// hold reserves bytes that the exchange keeps until letGo.
func (c *exchange) hold(bytes int64) error {
	err := c.api.budget.take(c.caller.Scope, bytes, c.held)
	if err == nil {
		c.held += bytes
	}
	return err
}

// holdAnswer reserves bytes for an answer that is about to be written, and gives back all that
// the exchange held before. An answer that fits into one write reserves nothing: it may report what
// is already done, and a refusal would hide that.
func (c *exchange) holdAnswer(bytes int) error {
	c.letGo(c.held)
	if bytes <= writeBytes {
		return nil
	}
	return c.hold(int64(bytes))
}

// makeRoom reserves bytes for an answer that is about to be read from the Store, in addition to what the
// call holds. It reserves nothing for an answer that fits into one write, like holdAnswer.
func (c *exchange) makeRoom(bytes int64) error {
	c.answer += bytes
	if c.answer <= writeBytes {
		return nil
	}
	err := c.hold(c.answer - c.counted)
	if err == nil {
		c.counted = c.answer
	}
	return err
}

// letGo gives back some of the bytes that the exchange holds.
func (c *exchange) letGo(bytes int64) {
	c.api.budget.give(c.caller.Scope, bytes)
	c.held -= bytes
}
