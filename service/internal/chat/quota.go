package chat

import (
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/rates"
)

// quota limits each user's sends in a minute and running streams.
type quota struct {
	limits Limits
	sends  *rates.Limiter[access.Scope]

	mu sync.Mutex
	// streams counts the running streams of each user who has any.
	streams map[access.Scope]int
}

func newQuota(limits Limits, now func() time.Time) *quota {
	return &quota{limits: limits, sends: rates.New[access.Scope](limits.SendsPerMinute, now), streams: map[access.Scope]int{}}
}

// take counts a send and its stream. done gives back the stream's slot. The send stays counted
// whatever happens later.
func (q *quota) take(user access.Scope) (done func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.limits.StreamsPerUser > 0 && q.streams[user] >= q.limits.StreamsPerUser {
		return nil, TooManyStreams()
	}
	if wait := q.sends.Take(user); wait > 0 {
		return nil, TooManySends(wait)
	}
	q.streams[user]++
	return func() { q.giveBack(user) }, nil
}

// join counts a stream that continues, even above the limit.
func (q *quota) join(user access.Scope) (done func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.streams[user]++
	return func() { q.giveBack(user) }
}

func (q *quota) giveBack(user access.Scope) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.streams[user]--; q.streams[user] == 0 {
		delete(q.streams, user)
	}
}
