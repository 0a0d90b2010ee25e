package httpapi

import (
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

const (
	// A request that holds smallRequest bytes at most may use all of the process's
	// budget. A larger one leaves reservedPart of it free, so that a message gets
	// through while uploads have spent the rest.
	smallRequest = 64 << 10
	reservedPart = 8 // one in so many
	// roomTime is when a client that found no room may try again.
	roomTime = 5 * time.Second
)

var (
	errUserBytes = &fault.Error{
		Code: wire.CodeQuotaExceeded, RetryAfter: roomTime,
		Message: "You have too many bytes in flight; wait for a request that you are sending, or an answer that you are reading, to end",
	}
	errProcessBytes = &fault.Error{
		Code: wire.CodeUnavailable, RetryAfter: roomTime,
		Message: "The service has too many bytes in flight; send the request again in a moment",
	}
)

// budget bounds the bytes that requests and answers hold at once: those of the
// process, and those of each user. An API key that acts for nobody counts as a
// user, and so do all requests without credentials together.
type budget struct {
	// process and perUser are the bounds, 0 for none.
	process, perUser int64

	mu   sync.Mutex
	held int64
	// users are those who hold something.
	users map[access.Scope]int64
}

func newBudget(limits Limits) *budget {
	return &budget{process: limits.BytesInFlight, perUser: limits.BytesInFlightPerUser, users: map[access.Scope]int64{}}
}

// take takes room for more bytes of a request that holds before already. A request
// that is alone in flight always has room: otherwise a large one never would.
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

// room is how much of the process's budget a request of this size finds.
func (b *budget) room(size int64) int64 {
	if size <= smallRequest {
		return b.process
	}
	return b.process - b.process/reservedPart
}

// give gives bytes of a user back.
func (b *budget) give(user access.Scope, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held -= bytes
	if b.users[user] -= bytes; b.users[user] == 0 {
		delete(b.users, user)
	}
}

// largest is the size of the largest body that finds room, 0 for any.
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

// inFlight is how many bytes are held.
func (b *budget) inFlight() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return float64(b.held)
}

// hold takes room for bytes that the call keeps until it lets go.
func (c *call) hold(bytes int64) error {
	err := c.api.budget.take(c.caller.Scope, bytes, c.held)
	if err == nil {
		c.held += bytes
	}
	return err
}

// holdAnswer takes room for an answer that is about to be written, and gives back all
// that the call held before. An answer of a single write takes no room: it reports
// what is done already, and refusing it would hide that.
func (c *call) holdAnswer(bytes int) error {
	c.letGo(c.held)
	if bytes <= writeBytes {
		return nil
	}
	return c.hold(int64(bytes))
}

// letGo gives back some of what the call holds.
func (c *call) letGo(bytes int64) {
	c.api.budget.give(c.caller.Scope, bytes)
	c.held -= bytes
}
