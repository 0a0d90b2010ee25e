package chat_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	logs "github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// requireNoNews requires that something ends with 503 and retry-after after a minute without news,
// and a moment.
func requireNoNews(t *testing.T, what string, do func() error) {
	t.Helper()
	begun := time.Now()
	known := requireError(t, do(), wire.CodeUnavailable)
	require.NotZero(t, known.RetryAfter, what)
	require.InDelta(t, chat.DefaultSilence.Seconds(), time.Since(begun).Seconds(), 5, what)
}

// Nobody waits without an end for an answer whose end cannot be stored.
func TestNobodyWaitsForAnEndThatIsNotStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model, store := newLive(), &outage{of: "EndTurn"}
		s := start(t, model, func(c *chat.Config) { store.Store, c.Store = c.Store, store })
		stream := s.send(ann, chat.Send{Message: "Hi", Once: keyed("k")})
		streamID := decode[wire.Start](t, readUntil(t, stream, 1)[0]).StreamID
		q := <-model
		store.fails(true)
		q.say("One")
		readUntil(t, stream, 2)
		q.finish()
		synctest.Wait()
		requireNoNews(t, "the whole answer", func() error { _, err := stream.Response(t.Context()); return err })
		requireNoNews(t, "a stop", func() error { _, err := s.Stop(t.Context(), ann, streamID); return err })
		requireNoNews(t, "a stop by key", func() error { _, err := s.StopClaimed(t.Context(), ann, "k"); return err })
		requireNoNews(t, "a repeat", func() error {
			_, err := s.send(ann, chat.Send{Message: "Hi", Once: keyed("k")}).Response(t.Context())
			return err
		})
		store.fails(false)
		read(t, stream)
	})
}

func (o *outage) fails(gone bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.gone = gone
}

// A repeat does not wait without an end for the request before it.
func TestARepeatDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &stuck{begun: make(chan struct{}), resume: make(chan struct{})}
		s := start(t, says(words("One")...), func(c *chat.Config) { store.Store, c.Store = c.Store, store })
		first := make(chan *chat.Stream)
		go func() {
			stream, _ := s.Send(t.Context(), ann, chat.Send{Message: "Hi", Once: keyed("k")})
			first <- stream
		}()
		<-store.begun
		requireNoNews(t, "a repeat", func() error {
			_, err := s.Send(t.Context(), ann, chat.Send{Message: "Hi", Once: keyed("k")})
			return err
		})
		close(store.resume)
		read(t, <-first)
		require.True(t, s.send(ann, chat.Send{Message: "Hi", Once: keyed("k")}).Replayed)
	})
}

// stuck is a store whose BeginTurn waits for the test.
type stuck struct {
	chat.Store
	begun, resume chan struct{}
}

func (s *stuck) BeginTurn(ctx context.Context, scope access.Scope, turn chat.Turn) error {
	close(s.begun)
	<-s.resume
	return s.Store.BeginTurn(ctx, scope, turn)
}

// An answer that another process writes, and of which nothing comes, ends the wait. Each event
// begins it again.
func TestAnAnswerElsewhereWithoutNews(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := newLive()
		s := start(t, model)
		streamID := decode[wire.Start](t, readUntil(t, s.send(ann, chat.Send{Message: "Hi"}), 1)[0]).StreamID
		q := <-model
		other := s.config
		other.Logs = logs.New(s.config.Store)
		here := chat.New(other)
		defer here.Close(cancelled())
		stream, err := here.Resume(t.Context(), ann, streamID, 0)
		require.NoError(t, err)
		go func() {
			time.Sleep(chat.DefaultSilence / 2)
			q.say("One")
			synctest.Wait()
			other.Logs.Wake(streamID)
		}()
		begun := time.Now()
		_, err = stream.Response(t.Context())
		require.NotZero(t, requireError(t, err, wire.CodeUnavailable).RetryAfter)
		require.InDelta(t, 1.5*chat.DefaultSilence.Seconds(), time.Since(begun).Seconds(), 5)
		q.finish()
	})
}

// A call may take as long as its tool may, also for a client that cannot handle calls.
func TestALongCallIsNoSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, oneCall().script(), operatorTools(t, sleeper(10*chat.DefaultSilence), func(d *tool.Definition) { d.Timeout = time.Hour },
			map[string]string{"act": wire.ApprovalNever})).carried()
		response := s.ask(ann, chat.Send{Message: "Hi"})
		require.Equal(t, wire.FinishStop, response.Message.FinishReason)
	})
}

// sleeper is a tool that takes so long.
type sleeper time.Duration

func (s sleeper) Carry(context.Context, tool.Call) tool.Outcome {
	time.Sleep(time.Duration(s))
	return tool.Outcome{Status: wire.CallDone, Result: "done"}
}

// Requests that come while the service shuts down are told when to try again.
func TestClosingSaysWhenToRetry(t *testing.T) {
	t.Parallel()
	s := start(t, says())
	s.Close(cancelled())
	_, err := s.Send(t.Context(), ann, chat.Send{Message: "Hi"})
	require.NotZero(t, requireError(t, err, wire.CodeUnavailable).RetryAfter)
	require.NotZero(t, fault.Of(logs.ErrClosed).RetryAfter)
	require.NotZero(t, fault.Of(context.DeadlineExceeded).RetryAfter)
}

// parkedAway is a store that doesn't find out about parked answers while why is set.
type parkedAway struct {
	chat.Store
	why atomic.Pointer[error]
}

func (p *parkedAway) Parked(ctx context.Context, streamID string) (chat.Parked, error) {
	if why := p.why.Load(); why != nil {
		return chat.Parked{}, *why
	}
	return p.Store.Parked(ctx, streamID)
}

// Who waits for an answer that waits for a call does so no longer than a silence while the database is away, or
// if the answer goes on elsewhere and nothing comes of it.
func TestAWaitForACallEndsWithoutNews(t *testing.T) {
	t.Parallel()
	for _, why := range []error{errAway, fault.ErrNotFound} {
		synctest.Test(t, func(t *testing.T) {
			store := &parkedAway{}
			s := start(t, oneCall().script(), operatorTools(t, sleeper(10*chat.DefaultSilence), func(d *tool.Definition) { d.Timeout = time.Hour },
				map[string]string{"act": wire.ApprovalNever}), func(c *chat.Config) { store.Store, c.Store = c.Store, store }).carried()
			stream := s.send(ann, chat.Send{Message: "Hi"})
			begun := time.Now()
			time.AfterFunc(45*time.Second, func() { store.why.Store(&why) }) // after it was looked at for the first time
			_, err := stream.Response(t.Context())
			store.why.Store(nil)
			requireError(t, err, wire.CodeUnavailable)
			require.InDelta(t, 1.5*chat.DefaultSilence.Seconds(), time.Since(begun).Seconds(), 5)
			response, err := stream.Response(t.Context())
			require.NoError(t, err)
			require.Equal(t, wire.FinishStop, response.Message.FinishReason)
		})
	}
}
