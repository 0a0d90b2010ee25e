package chat_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

func (s *service) regenerate(caller access.Caller, old wire.Message) *chat.Stream {
	s.t.Helper()
	stream, err := s.Regenerate(s.t.Context(), caller, chat.Regenerate{ChatID: old.ChatID, MessageID: old.ID, RequestID: "req_7"})
	require.NoError(s.t, err)
	return stream
}

// answered sends a message and has the live model answer it.
func (s *service) answered(model live, send chat.Send, text string) wire.Message {
	s.t.Helper()
	stream := s.send(ann, send)
	q := <-model
	q.say(text)
	q.finish()
	return read(s.t, stream).complete.Message
}

func TestRegenerate(t *testing.T) {
	t.Parallel()
	for _, finish := range []string{wire.FinishStop, wire.FinishStopped} {
		t.Run(finish, func(t *testing.T) {
			t.Parallel()
			model := newLive()
			s := start(t, model)
			first := s.answered(model, chat.Send{Message: "One?"}, "One.")
			old := s.answered(model, chat.Send{Message: "Two?", ChatID: first.ChatID, IsTest: true}, "Two.")
			before := s.history(first.ChatID).Messages
			s.clock.pass(time.Second)
			stream := s.regenerate(ann, old)
			q := <-model
			require.Equal(t, []string{"user: One?", "assistant: One.", "user: Two?"}, texts(q.prompt), "what came before the question")
			q.say("New")
			begun := decode[wire.Start](t, readUntil(t, stream, 2)[0])
			require.Equal(t, before[2].ID, begun.UserMessageID)
			require.NotEqual(t, old.ID, begun.MessageID)
			now := s.history(first.ChatID).Messages[3]
			require.Equal(t, []any{begun.MessageID, begun.StreamID, []string{old.ID, begun.MessageID}}, []any{now.ID, now.StreamID, now.Siblings})

			if finish == wire.FinishStopped {
				require.True(t, s.stop(ann, begun.StreamID).Stopped)
			} else {
				q.finish()
			}
			tr := read(t, stream)
			answer := tr.complete.Message
			require.Equal(t, []string{"New", finish}, []string{answer.Content, answer.FinishReason})
			require.True(t, answer.IsTest)
			answer.Siblings = []string{old.ID, answer.ID}
			require.Equal(t, append(before[:3:3], answer), s.history(first.ChatID).Messages)
			require.Equal(t, tr, read(t, s.resume(ann, begun.StreamID, 0)))
			last, _, err := s.SelectBranch(t.Context(), ann, first.ChatID, old.ID, once.Request{})
			require.NoError(t, err)
			require.Equal(t, old.ID, last)
			kept, err := s.Message(t.Context(), ann, first.ChatID, old.ID)
			require.NoError(t, err)
			kept.Siblings = nil
			require.Equal(t, old, kept, "the old one is kept")
		})
	}
}

func TestRegenerateThatFails(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	old := s.answered(model, chat.Send{Message: "Hi"}, "Old")
	stream := s.regenerate(ann, old)
	q := <-model
	q.say("New")
	readUntil(t, stream, 2)
	q.fail(errBusy)
	tr := read(t, stream)
	require.Equal(t, wire.CodeUnavailable, tr.failure.Error.Code)
	now := s.history(old.ChatID).Messages
	require.Equal(t, []string{old.ID, tr.start.MessageID}, now[1].Siblings)
	now[1].Siblings = nil
	require.Equal(t, []wire.Message{old}, now[1:], "the path returns")
	require.Equal(t, tr, read(t, s.resume(ann, tr.start.StreamID, 0)))
	require.False(t, s.stop(ann, tr.start.StreamID).Stopped)

	again := s.regenerate(ann, old)
	q = <-model
	require.Equal(t, []string{"user: Hi"}, texts(q.prompt))
	q.finish()
	read(t, again)
}

// A failed first exchange that is regenerated names its chat like any other.
func TestRegenerateNamesItsChat(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	stream := s.send(ann, chat.Send{Message: "Hi there"})
	(<-model).fail(errBusy)
	tr := read(t, stream)
	old := s.history(tr.start.ChatID).Messages[1]
	stream = s.regenerate(ann, old)
	(<-model).finish()
	require.Equal(t, "start chat_name complete end", read(t, stream).types())
	require.Equal(t, "Hi there", s.history(old.ChatID).Name)
}

func TestRegenerateIsRefused(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	first := s.answered(model, chat.Send{Message: "One?"}, "One.")
	second := s.answered(model, chat.Send{Message: "Two?", ChatID: first.ChatID}, "Two.")
	question := s.history(first.ChatID).Messages[2]
	other := s.answered(model, chat.Send{Message: "Elsewhere?"}, "There.")
	refused := func(caller access.Caller, chatID, messageID string) error {
		t.Helper()
		before := s.everything()
		_, err := s.Regenerate(t.Context(), caller, chat.Regenerate{ChatID: chatID, MessageID: messageID, Once: keyed("k")})
		require.Error(t, err)
		require.Equal(t, before, s.everything())
		return err
	}
	requireError(t, refused(ann, first.ChatID, question.ID), wire.CodeValidation, "message_id")
	for _, err := range []error{
		refused(ann, first.ChatID, "msg_unknown"), refused(ann, "chat_unknown", second.ID), refused(ann, other.ChatID, second.ID),
		refused(bob, first.ChatID, second.ID), refused(alien, first.ChatID, second.ID), refused(only(ann, "clerk"), first.ChatID, second.ID),
	} {
		require.Equal(t, wire.CodeNotFound, fault.Of(err).Code)
	}
}

// Any answer: one that is not the last, one that is being written, and one of another branch.
func TestAnyAnswerIsRegenerated(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	first := s.answered(model, chat.Send{Message: "One?"}, "One.")
	s.answered(model, chat.Send{Message: "Two?", ChatID: first.ChatID}, "Two.")
	again := s.regenerate(ann, first)
	q := <-model
	require.Equal(t, []string{"user: One?"}, texts(q.prompt))
	begun := decode[wire.Start](t, readUntil(t, again, 1)[0])
	running := s.regenerate(ann, wire.Message{ChatID: first.ChatID, ID: begun.MessageID})
	q.say("Uno.")
	q.finish()
	read(t, again)
	(<-model).finish()
	read(t, running)
	require.Len(t, s.history(first.ChatID).Messages, 2)
	stream := s.regenerate(ann, first)
	(<-model).finish()
	read(t, stream)
	require.Len(t, s.history(first.ChatID).Messages[1].Siblings, 4)
}

// A question is answered with the options that it was sent with.
func TestRegenerateKeepsTheOptions(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model, agents(answering.Agent{ID: "a", Model: "small"}, answering.Agent{ID: "b", Instructions: "Be b."}))
	first := s.answered(model, chat.Send{Message: "One?"}, "One.")
	old := s.answered(model, chat.Send{
		Message: "Two?", ChatID: first.ChatID, Metadata: wire.JSON(`{"a":1}`),
		Options: answering.Options{AgentID: "b", ModelName: "small", IgnoreChatHistory: true},
	}, "Two.")
	stream := s.regenerate(admin, old)
	q := <-model
	require.Equal(t, []any{"small", "Be b.", []string{"user: Two?"}}, []any{q.prompt.Model, instructions(q.prompt), texts(q.prompt)})
	q.finish()
	require.Equal(t, "b", read(t, stream).complete.Message.AgentID)
	require.JSONEq(t, `{"a":1}`, string(s.history(first.ChatID).Messages[2].Metadata))
}

func TestRegenerateCountsAsASend(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model, limits(chat.Limits{SendsPerMinute: 2}))
	old := s.answered(model, chat.Send{Message: "Hi"}, "One")
	request := chat.Regenerate{ChatID: old.ChatID, MessageID: old.ID, Once: keyed("k")}
	stream, err := s.Regenerate(t.Context(), ann, request)
	require.NoError(t, err)
	(<-model).finish()
	tr := read(t, stream)
	again, err := s.Regenerate(t.Context(), ann, request)
	require.NoError(t, err, "a repeat does not count, and finds its answer although the old one is gone")
	require.True(t, again.Replayed)
	require.Equal(t, tr, read(t, again))
	_, err = s.Regenerate(t.Context(), ann, chat.Regenerate{ChatID: old.ChatID, MessageID: tr.start.MessageID})
	requireError(t, err, wire.CodeRateLimited)
}

// A repeat of the send gets the answer that the send got.
func TestRepeatOfASendThatWasRegenerated(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	send := chat.Send{Message: "Hi", Once: keyed("k")}
	old := s.answered(model, send, "Old")
	stream := s.regenerate(ann, old)
	q := <-model
	q.say("New")
	q.finish()
	read(t, stream)
	require.Equal(t, old, read(t, s.send(ann, send)).complete.Message)
}

func TestDeleteEndsRegenerating(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	old := s.answered(model, chat.Send{Message: "Hi"}, "Old")
	stream := s.regenerate(ann, old)
	<-model
	require.NoError(t, s.DeleteChat(t.Context(), ann, old.ChatID))
	require.Equal(t, wire.CodeNotFound, read(t, stream).failure.Error.Code)
}

// Whatever happens at once in a chat, nothing is lost, and no stream is left open.
func TestRegenerateMeetsSendsAndDelete(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("One", " two")...))
	for round := range 15 {
		old := s.ask(ann, chat.Send{Message: "Hi"}).Message
		var all sync.WaitGroup
		try := func(do func() (*chat.Stream, error)) {
			all.Go(func() {
				stream, err := do()
				if err == nil {
					_, err = stream.Response(t.Context())
				}
				if err != nil && !errors.Is(err, fault.ErrNotFound) {
					t.Error(err)
				}
			})
		}
		for i := range 3 {
			try(func() (*chat.Stream, error) {
				return s.Regenerate(t.Context(), ann, chat.Regenerate{ChatID: old.ChatID, MessageID: old.ID, Once: keyed(fmt.Sprint(round, i%2))})
			})
			try(func() (*chat.Stream, error) {
				return s.Send(t.Context(), ann, chat.Send{Message: fmt.Sprint("more ", i), ChatID: old.ChatID})
			})
		}
		if round%3 == 0 {
			all.Go(func() {
				if err := s.DeleteChat(t.Context(), ann, old.ChatID); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if round%3 == 0 {
			continue
		}
		page, err := s.HistoryPage(t.Context(), ann, old.ChatID, chat.Page{All: true, Limit: 100})
		require.NoError(t, err)
		require.Len(t, page.Messages, 10, "four questions, and two further answers")
		for _, message := range page.Messages {
			require.Empty(t, message.StreamID)
			require.Equal(t, message.Role == wire.RoleAssistant, message.Content == "One two")
		}
	}
	broken, err := s.store.EndBrokenTurns(t.Context(), chat.End{At: 300})
	require.NoError(t, err)
	require.Empty(t, broken)
	require.NotContains(t, s.log.String(), "level=ERROR")
}

// late is a Store that another replica writes too: a claim is seen too late.
type late struct {
	chat.Store
	misses atomic.Int64
	away   atomic.Bool // once, after the misses
}

func (l *late) UsedKey(ctx context.Context, id once.ID, since float64) (once.UsedKey, bool, error) {
	if l.misses.Add(-1) >= 0 {
		return once.UsedKey{}, false, nil
	}
	if l.away.Swap(false) {
		return once.UsedKey{}, false, &fault.Error{Code: wire.CodeUnavailable, Message: "The database can't be reached"}
	}
	return l.Store.UsedKey(ctx, id, since)
}

// Two replicas get one request at once: the second one finds the key taken, and returns
// the answer that the first has begun.
func TestRegenerateThatAnotherReplicaHasBegun(t *testing.T) {
	t.Parallel()
	model, store := newLive(), &late{Store: openStore(t)}
	s := start(t, model, func(c *chat.Config) { c.Store = store })
	old := s.answered(model, chat.Send{Message: "Hi"}, "Old")
	request := chat.Regenerate{ChatID: old.ChatID, MessageID: old.ID, Once: keyed("k")}
	first, err := s.Regenerate(t.Context(), ann, request)
	require.NoError(t, err)
	store.misses.Store(2) // when it is admitted, and when it is looked for
	second, err := s.Regenerate(t.Context(), ann, request)
	require.NoError(t, err)
	require.True(t, second.Replayed)
	store.misses.Store(2)
	store.away.Store(true)
	_, err = s.Regenerate(t.Context(), ann, request)
	require.True(t, fault.IsUnavailable(err), "the key may be taken: try again")
	(<-model).finish()
	require.Equal(t, read(t, first), read(t, second))
	other := request
	other.Once = keyed("another")
	another, err := s.Regenerate(t.Context(), ann, other)
	require.NoError(t, err)
	require.False(t, another.Replayed)
	(<-model).finish()
	read(t, another)
}
