package chat_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

func TestSendsAMinute(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hello")...), limits(chat.Limits{SendsPerMinute: 4}))
	hi := chat.Send{Message: "Hi"}
	for range 4 {
		s.ask(ann, hi)
	}
	err := requireError(t, s.refused(ann, hi), wire.CodeRateLimited)
	require.Equal(t, 15*time.Second, err.RetryAfter)
	s.clock.pass(10 * time.Second)
	err = requireError(t, s.refused(ann, hi), wire.CodeRateLimited)
	require.Equal(t, 5*time.Second, err.RetryAfter, "a refused send takes nothing of the next minute")
	s.ask(bob, hi)
	s.ask(admin, hi)

	s.clock.pass(5 * time.Second)
	s.ask(ann, hi)
	requireError(t, s.refused(ann, hi), wire.CodeRateLimited)
	s.clock.pass(time.Hour)
	for range 4 {
		s.ask(ann, hi)
	}
	requireError(t, s.refused(ann, hi), wire.CodeRateLimited) // an hour saves up no more than a minute does
}

func TestAPIKeyCountsAsOneUser(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hello")...), limits(chat.Limits{SendsPerMinute: 1}))
	s.ask(admin, chat.Send{Message: "Hi"})
	requireError(t, s.refused(admin, chat.Send{Message: "Hi"}), wire.CodeRateLimited)
	s.ask(ann, chat.Send{Message: "Hi"})
	s.ask(alien, chat.Send{Message: "Hi"}) // the same name in another project is another user
}

func TestStreamsAtOnce(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model, limits(chat.Limits{StreamsPerUser: 2}))
	one, two := s.send(ann, chat.Send{Message: "1"}), s.send(ann, chat.Send{Message: "2"})
	asked := model.questions(t, 2)
	err := requireError(t, s.refused(ann, chat.Send{Message: "3"}), wire.CodeQuotaExceeded)
	require.Equal(t, time.Second, err.RetryAfter)
	other := s.send(bob, chat.Send{Message: "3"})
	(<-model).finish()
	read(t, other)

	asked["1"].fail(errBusy)
	read(t, one)
	three := s.send(ann, chat.Send{Message: "3"})
	q := <-model
	requireError(t, s.refused(ann, chat.Send{Message: "4"}), wire.CodeQuotaExceeded)
	asked["2"].finish()
	q.finish()
	read(t, two)
	read(t, three)
	require.Zero(t, s.Running())
}

// A user who has read the end of an answer may send again at once.
func TestStreamsAreFreeAtTheEnd(t *testing.T) {
	t.Parallel()
	var s *service
	model := newLive()
	var stream *chat.Stream
	s = start(t, model, limits(chat.Limits{StreamsPerUser: 1}), func(c *chat.Config) {
		c.Ended = func(outcome string) {
			s.ended.add(outcome)
			_, err := stream.Response(cancelled())
			require.ErrorIs(t, err, context.Canceled, "the end comes last")
			require.Zero(t, s.Running())
			done, err := s.Quota(ann.Scope)
			require.NoError(t, err)
			done()
		}
	})
	for _, end := range []func(*question){(*question).finish, func(q *question) { q.fail(errBusy) }} {
		stream = s.send(ann, chat.Send{Message: "Hi"})
		end(<-model)
		read(t, stream)
	}
	require.Equal(t, []string{wire.FinishStop, wire.CodeUnavailable}, s.ended.list())
}

// A refused message was counted, and holds no place among the running streams.
func TestRefusedSendsAreCounted(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hello")...), limits(chat.Limits{SendsPerMinute: 6, StreamsPerUser: 1, MessageCharacters: 10}))
	require.ErrorIs(t, s.refused(ann, chat.Send{Message: "Hi", ChatID: "none"}), fault.ErrNotFound)
	requireError(t, s.refused(ann, chat.Send{Message: " "}), wire.CodeValidation, "message")
	requireError(t, s.refused(ann, chat.Send{Message: "Hi", Options: answering.Options{AgentID: "none"}}), wire.CodeNotFound, "agent_id")
	_, err := s.Send(cancelled(), ann, chat.Send{Message: "Hi"})
	require.Error(t, err)
	_, err = s.Regenerate(t.Context(), ann, chat.Regenerate{ChatID: "none", MessageID: "none"})
	require.ErrorIs(t, err, fault.ErrNotFound)
	s.ask(ann, chat.Send{Message: "Hi"})
	requireError(t, s.refused(ann, chat.Send{Message: "Hi"}), wire.CodeRateLimited)
}

func TestNoLimits(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	var streams []*chat.Stream
	for i := range 100 {
		streams = append(streams, s.send(ann, chat.Send{Message: fmt.Sprint(i)}))
	}
	require.Equal(t, 100, s.Running())
	for _, q := range model.questions(t, 100) {
		q.finish()
	}
	for _, stream := range streams {
		require.NotNil(t, read(t, stream).complete)
	}
}

// Users without a running answer take no room; package rates forgets their sends.
func TestUsersWithoutStreamsAreForgotten(t *testing.T) {
	t.Parallel()
	s := start(t, says(), limits(chat.Limits{SendsPerMinute: 60, StreamsPerUser: 2}))
	busy, err := s.Quota(user("busy").Scope)
	require.NoError(t, err)
	for i := range 2000 {
		done, err := s.Quota(user(fmt.Sprint("user ", i)).Scope)
		require.NoError(t, err)
		done()
	}
	require.Equal(t, 1, s.QuotaUsers())
	second, err := s.Quota(user("busy").Scope)
	require.NoError(t, err)
	_, err = s.Quota(user("busy").Scope)
	requireError(t, err, wire.CodeQuotaExceeded)
	second()
	busy()
	require.Zero(t, s.QuotaUsers())
}
