package chat_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// admit admits a request before its body arrives.
func (s *service) admit(caller access.Caller, key string) *chat.Admission {
	s.t.Helper()
	a, err := s.Admit(s.t.Context(), caller, key)
	require.NoError(s.t, err)
	return a
}

// turnedAway returns the error of a request that is refused before its body is read.
func (s *service) turnedAway(caller access.Caller, key string) error {
	s.t.Helper()
	a, err := s.Admit(s.t.Context(), caller, key)
	require.Nil(s.t, a)
	return err
}

func TestSendsAreCountedBeforeTheirBodies(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hello")...), limits(chat.Limits{SendsPerMinute: 3, StreamsPerUser: 2}))
	first, second := s.admit(ann, ""), s.admit(ann, "k")
	err := requireError(t, s.turnedAway(ann, ""), wire.CodeQuotaExceeded)
	require.Equal(t, time.Second, err.RetryAfter)
	s.admit(bob, "").Leave()

	first.Leave() // its body never arrived
	third := s.admit(ann, "")
	stream, failure := third.Send(t.Context(), chat.Send{Message: "Hi"})
	require.NoError(t, failure)
	third.Leave()
	read(t, stream)
	second.Leave()
	err = requireError(t, s.turnedAway(ann, ""), wire.CodeRateLimited)
	require.Equal(t, 20*time.Second, err.RetryAfter, "a request that has left stays counted")
	s.clock.pass(20 * time.Second)
	s.admit(ann, "").Leave()
}

func TestKnownKeysAreNotCounted(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model, limits(chat.Limits{SendsPerMinute: 1, StreamsPerUser: 1}))
	send := chat.Send{Message: "Hi", Once: keyed("k")}
	stream := s.send(ann, send)
	(<-model).finish()
	read(t, stream)
	for range 5 {
		again := s.admit(ann, "k")
		stream, err := again.Send(t.Context(), send)
		require.NoError(t, err)
		require.True(t, stream.Replayed)
		again.Leave()
	}
	requireError(t, s.turnedAway(ann, "another"), wire.CodeRateLimited)
	s.admit(bob, "k").Leave() // keys of different users differ
	requireError(t, s.turnedAway(bob, "k"), wire.CodeRateLimited)

	s.clock.pass(24 * time.Hour)
	s.admit(ann, "k").Leave()
	requireError(t, s.turnedAway(ann, "k"), wire.CodeRateLimited) // the key has expired, so the request was counted
}

// A repeat that arrives while the first request is on its way is not counted,
// unless the first one fails.
func TestRepeatsOfARequestOnItsWay(t *testing.T) {
	t.Parallel()
	for _, sends := range []int{1, 2} {
		s := start(t, says(words("Hello")...), limits(chat.Limits{SendsPerMinute: sends, StreamsPerUser: 1}))
		send := chat.Send{Message: "Hi", Once: keyed("k")}
		first, again, third := s.admit(ann, "k"), s.admit(ann, "k"), s.admit(ann, "k")
		first.Leave()
		stream, err := again.Send(t.Context(), send)
		again.Leave()
		if sends == 1 {
			requireError(t, err, wire.CodeRateLimited)
			third.Leave()
			continue
		}
		require.NoError(t, err)
		read(t, stream)
		stream, err = third.Send(t.Context(), send)
		require.NoError(t, err)
		require.True(t, stream.Replayed)
		third.Leave()
		requireError(t, s.turnedAway(ann, ""), wire.CodeRateLimited)
	}
}

// The counted request leaves while a repeat of it, whose body arrived first, is being stored.
// The answer then keeps the place until it ends.
func TestTheCountedRequestLeavesBeforeItsRepeatIsStored(t *testing.T) {
	t.Parallel()
	store := &leaving{}
	model := newLive()
	s := start(t, model, limits(chat.Limits{SendsPerMinute: 5, StreamsPerUser: 1}), func(c *chat.Config) { store.Store, c.Store = c.Store, store })
	first, again := s.admit(ann, "k"), s.admit(ann, "k")
	store.leave = first.Leave
	stream, err := again.Send(t.Context(), chat.Send{Message: "Hi", Once: keyed("k")})
	require.NoError(t, err)
	again.Leave()
	q := <-model
	requireError(t, s.turnedAway(ann, ""), wire.CodeQuotaExceeded)
	q.finish()
	read(t, stream)
	s.admit(ann, "").Leave()
}

// leaving is a store at which a request leaves while another one is being stored.
type leaving struct {
	chat.Store
	leave func()
}

func (l *leaving) BeginTurn(ctx context.Context, scope access.Scope, turn chat.Turn) error {
	l.leave()
	return l.Store.BeginTurn(ctx, scope, turn)
}

// A request is not counted yet when a repeat of it is stored. It is counted and leaves before the repeat has begun: the
// answer keeps its place, and the service goes on.
func TestARequestIsCountedAfterItsRepeatWas(t *testing.T) {
	t.Parallel()
	store := &overtaking{asked: make(chan bool), goOn: make(chan bool)}
	model := newLive()
	s := start(t, model, limits(chat.Limits{SendsPerMinute: 5, StreamsPerUser: 1}), func(c *chat.Config) { store.Store, c.Store = c.Store, store })
	var first sync.WaitGroup
	first.Go(func() {
		if a, err := s.Admit(t.Context(), ann, "k"); err == nil {
			a.Leave()
		} else {
			t.Error(err)
		}
	})
	<-store.asked
	again := s.admit(ann, "k")
	store.leave = func() {
		store.goOn <- true
		first.Wait()
	}
	stream, err := again.Send(t.Context(), chat.Send{Message: "Hi", Once: keyed("k")})
	require.NoError(t, err)
	again.Leave()
	q := <-model
	requireError(t, s.turnedAway(ann, ""), wire.CodeQuotaExceeded)
	q.finish()
	read(t, stream)
	s.admit(ann, "").Leave()
}

// overtaking is a leaving at which the first question for a key waits.
type overtaking struct {
	leaving
	waited      atomic.Bool
	asked, goOn chan bool
}

func (o *overtaking) UsedKey(ctx context.Context, id once.ID, since float64) (once.UsedKey, bool, error) {
	used, found, err := o.Store.UsedKey(ctx, id, since)
	if !o.waited.Swap(true) {
		o.asked <- true
		<-o.goOn
	}
	return used, found, err
}

func TestOneRequestOfAKeyBeginsAtATime(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hi")...))
	var inside, most atomic.Int64
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			leave, err := s.Begins(t.Context(), once.ID{Key: "k"})
			if err != nil {
				t.Error(err)
				return
			}
			most.Store(max(most.Load(), inside.Add(1)))
			inside.Add(-1)
			leave()
		})
	}
	all.Wait()
	require.EqualValues(t, 1, most.Load())
}

func TestARequestThatBeginsBlocksNobodyElse(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hi")...))
	leave, err := s.Begins(t.Context(), once.ID{Key: "k"})
	require.NoError(t, err)
	for _, other := range []once.ID{{Key: "K"}, {UserID: "ann", Key: "k"}, {}, {}} {
		_, err := s.Begins(t.Context(), other)
		require.NoError(t, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Begins(ctx, once.ID{Key: "k"})
	require.ErrorIs(t, err, context.Canceled)
	leave()
	leave, err = s.Begins(t.Context(), once.ID{Key: "k"})
	require.NoError(t, err)
	leave()
}
