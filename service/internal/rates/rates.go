// Package rates limits how many requests a caller may make in a minute. Begin with New.
package rates

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// sweepEvery bounds how many records of inactive callers are kept.
const sweepEvery = 1024

// Limiter counts requests of each caller, identified by a Key. A caller can save up as many
// requests as a minute allows. It is safe for concurrent use. A nil Limiter has no limit.
type Limiter[Key comparable] struct {
	perMinute int
	now       func() time.Time

	mu      sync.Mutex
	callers map[Key]*rate.Limiter
	sweep   int
}

// New returns a Limiter for a number of requests a minute; for 0 it returns nil, which has no
// limit.
func New[Key comparable](perMinute int, now func() time.Time) *Limiter[Key] {
	if perMinute == 0 {
		return nil
	}
	return &Limiter[Key]{perMinute: perMinute, now: now, callers: map[Key]*rate.Limiter{}, sweep: sweepEvery}
}

// Take counts a request. If it exceeds the limit it is not counted, and wait is how long to wait
// before the next one.
func (l *Limiter[Key]) Take(caller Key) (wait time.Duration) {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	taken := l.of(caller, now).ReserveN(now, 1)
	if wait = taken.DelayFrom(now); wait > 0 {
		taken.CancelAt(now)
	}
	return wait
}

func (l *Limiter[Key]) of(caller Key, now time.Time) *rate.Limiter {
	if known := l.callers[caller]; known != nil {
		return known
	}
	if len(l.callers) >= l.sweep {
		l.forgetIdle(now)
	}
	made := rate.NewLimiter(rate.Limit(float64(l.perMinute)/60), l.perMinute)
	l.callers[caller] = made
	return made
}

// forgetIdle removes callers whose record is the same as a new one.
func (l *Limiter[Key]) forgetIdle(now time.Time) {
	for caller, one := range l.callers {
		if one.TokensAt(now) >= float64(l.perMinute) {
			delete(l.callers, caller)
		}
	}
	l.sweep = max(sweepEvery, 2*len(l.callers))
}
