package chat

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// quota holds each user to the sends a minute and the running streams.
type quota struct {
	limits Limits
	now    func() time.Time

	mu    sync.Mutex
	users map[Scope]*usage
	sweep int
}

type usage struct {
	sends   *rate.Limiter
	streams int
}

// sweepEvery bounds what is kept of users who are long gone.
const sweepEvery = 1024

func newQuota(limits Limits, now func() time.Time) *quota {
	return &quota{limits: limits, now: now, users: map[Scope]*usage{}, sweep: sweepEvery}
}

// take counts a send and its stream, whose place done gives back. The send
// itself stays counted, whatever comes of it.
func (q *quota) take(user Scope) (done func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	u := q.usage(user, now)
	if q.limits.StreamsPerUser > 0 && u.streams >= q.limits.StreamsPerUser {
		return nil, &Error{Code: wire.CodeQuotaExceeded, Message: "Too many answers are being written at once; wait for one to end", RetryAfter: time.Second}
	}
	send := u.sends.ReserveN(now, 1)
	if delay := send.DelayFrom(now); delay > 0 {
		send.CancelAt(now)
		return nil, &Error{Code: wire.CodeRateLimited, Message: "Too many messages in a minute; wait before sending more", RetryAfter: delay}
	}
	u.streams++
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		u.streams--
	}, nil
}

func (q *quota) usage(user Scope, now time.Time) *usage {
	if u := q.users[user]; u != nil {
		return u
	}
	if len(q.users) >= q.sweep {
		q.forgetIdle(now)
	}
	u := &usage{sends: rate.NewLimiter(rate.Inf, 0)}
	if n := q.limits.SendsPerMinute; n > 0 {
		u.sends = rate.NewLimiter(rate.Limit(float64(n)/60), n)
	}
	q.users[user] = u
	return u
}

// forgetIdle drops the users whose record is as good as new.
func (q *quota) forgetIdle(now time.Time) {
	for user, u := range q.users {
		if u.streams == 0 && u.sends.TokensAt(now) >= float64(u.sends.Burst()) {
			delete(q.users, user)
		}
	}
	q.sweep = max(sweepEvery, 2*len(q.users))
}
