package rates_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/rates"
)

// clock is what a Limiter takes the time from.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func TestRequestsAMinute(t *testing.T) {
	t.Parallel()
	c := &clock{time.Unix(1000, 0)}
	l := rates.New[string](4, c.now)
	for range 4 {
		require.Zero(t, l.Take("ann"))
	}
	require.Equal(t, 15*time.Second, l.Take("ann"))
	c.at = c.at.Add(10 * time.Second)
	require.Equal(t, 5*time.Second, l.Take("ann"), "a refused request is not counted")
	require.Zero(t, l.Take("bob"))
	c.at = c.at.Add(5 * time.Second)
	require.Zero(t, l.Take("ann"))
	c.at = c.at.Add(time.Hour)
	for range 4 {
		require.Zero(t, l.Take("ann"))
	}
	require.NotZero(t, l.Take("ann"), "an hour saves up no more than a minute does")
}

func TestNoLimit(t *testing.T) {
	t.Parallel()
	l := rates.New[string](0, time.Now)
	for range 10_000 {
		require.Zero(t, l.Take("ann"))
	}
}

func TestOfRequestsAtOnceNoMoreThanTheLimitPass(t *testing.T) {
	t.Parallel()
	c := &clock{time.Unix(1000, 0)}
	l := rates.New[string](7, c.now)
	var passed atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if l.Take("ann") == 0 {
				passed.Add(1)
			}
		})
	}
	all.Wait()
	require.Equal(t, int32(7), passed.Load())
}

// Only idle users are forgotten.
func TestIdleCallersAreForgotten(t *testing.T) {
	t.Parallel()
	c := &clock{time.Unix(1000, 0)}
	l := rates.New[int](1, c.now)
	for caller := range 3000 {
		require.Zero(t, l.Take(caller))
	}
	for caller := range 3000 {
		require.NotZero(t, l.Take(caller), caller)
	}
	for caller := range 10_000 {
		c.at = c.at.Add(time.Minute)
		require.Zero(t, l.Take(-caller-1))
	}
	require.LessOrEqual(t, l.Callers(), 1024)
}
