package chat_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

func TestDeleteEndsAnswers(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	chatID, other := s.newChat(ann), s.newChat(ann)
	kept := s.send(ann, chat.Send{Message: "elsewhere", ChatID: other})
	before := s.everything()
	streams := []*chat.Stream{s.send(ann, chat.Send{Message: "a", ChatID: chatID}), s.send(ann, chat.Send{Message: "b", ChatID: chatID})}
	asked := model.questions(t, 3)
	asked["a"].say("One")
	readUntil(t, streams[0], 2)
	require.ErrorIs(t, s.DeleteChat(t.Context(), bob, chatID), fault.ErrNotFound)
	require.NoError(t, asked["a"].ctx.Err(), "another user's call does not end it")

	require.NoError(t, s.DeleteChat(t.Context(), ann, chatID))
	for i := range streams {
		tr := read(t, streams[i])
		require.Equal(t, "start error end", tr.types())
		require.Empty(t, tr.text(), "nobody gets what was deleted")
		require.Equal(t, wire.CodeNotFound, tr.failure.Error.Code)
		_, err := streams[i].Response(t.Context())
		require.ErrorIs(t, err, fault.ErrNotFound)
	}
	require.Error(t, asked["b"].ctx.Err())
	_, err := s.ChatHistory(t.Context(), admin, chatID)
	require.ErrorIs(t, err, fault.ErrNotFound)
	require.NoError(t, asked["elsewhere"].ctx.Err())
	asked["elsewhere"].finish()
	require.NotNil(t, read(t, kept).complete)
	require.NotEqual(t, before, s.everything())
	require.NotContains(t, s.log.String(), "level=ERROR", "people may delete their chats")
	broken, err := s.store.EndBrokenTurns(t.Context(), chat.End{At: 300})
	require.NoError(t, err)
	require.Empty(t, broken, "no stream is left in the store")
}

func (s *service) newChat(caller access.Caller) string {
	s.t.Helper()
	made, _, err := s.CreateChat(s.t.Context(), caller, wire.CreateChatRequest{}, once.Request{})
	require.NoError(s.t, err)
	return made.ChatID
}

// A model that ignores its context is abandoned too.
func TestDeleteEndsDeafModel(t *testing.T) {
	t.Parallel()
	s := start(t, script(func(_ context.Context, _ answering.Prompt, yield func(answering.Piece, error) bool) {
		for yield(answering.Piece{Text: "on and "}, nil) {
		}
	}))
	stream := s.send(ann, chat.Send{Message: "Hi"})
	chatID := decode[wire.Start](t, readUntil(t, stream, 10)[0]).ChatID
	require.NoError(t, s.DeleteChat(t.Context(), ann, chatID))
	require.Equal(t, wire.CodeNotFound, read(t, stream).failure.Error.Code)
}

// A chat may go at any moment between two steps of an answer.
func TestDeleteAtEachStep(t *testing.T) {
	t.Parallel()
	tests := []struct {
		step  string
		model script
	}{
		{"Recent", says()},
		{"AppendEvents", says(words("One", "two")...)},
		{"EndTurn", says(words("One", "two")...)},
		{"EndTurn", failsAfter(errBusy)},
	}
	for _, test := range tests {
		t.Run(test.step, func(t *testing.T) {
			t.Parallel()
			store := &deleting{before: test.step}
			s := start(t, test.model, func(c *chat.Config) { store.Store, c.Store = c.Store, store })
			tr := read(t, s.send(ann, chat.Send{Message: "Hi", ChatID: s.newChat(ann)}))
			require.Equal(t, wire.CodeNotFound, tr.failure.Error.Code)
			page, err := s.ListChats(t.Context(), admin, 0, 10)
			require.NoError(t, err)
			require.Empty(t, page.Chats)
			require.NotContains(t, s.log.String(), "level=ERROR")
		})
	}
}

// deleting is a store from which the chat is deleted right before a step of its
// answer, without telling the Service.
type deleting struct {
	chat.Store
	before string
	scope  access.Scope
	chatID string
	once   sync.Once
}

func (d *deleting) at(step string) {
	if step == d.before {
		d.once.Do(func() { _ = d.DeleteChat(context.Background(), d.scope, d.chatID, 0) })
	}
}

func (d *deleting) BeginTurn(ctx context.Context, scope access.Scope, turn chat.Turn) error {
	d.scope, d.chatID = scope, turn.Question.ChatID
	return d.Store.BeginTurn(ctx, scope, turn)
}

func (d *deleting) Recent(ctx context.Context, scope access.Scope, chatID, before string, tokens int) ([]answering.PromptMessage, error) {
	d.at("Recent")
	return d.Store.Recent(ctx, scope, chatID, before, tokens)
}

func (d *deleting) AppendEvents(ctx context.Context, lease stream.Lease, events []chat.Event) error {
	d.at("AppendEvents")
	return d.Store.AppendEvents(ctx, lease, events)
}

func (d *deleting) EndTurn(ctx context.Context, lease stream.Lease, answer wire.Message, end *chat.End) error {
	d.at("EndTurn")
	return d.Store.EndTurn(ctx, lease, answer, end)
}

func TestCloseWaits(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	stream := s.send(ann, chat.Send{Message: "Hi"})
	q := <-model
	var closing sync.WaitGroup
	closing.Go(func() { s.Close(t.Context()) })
	closing.Go(func() { s.Close(t.Context()) })
	s.untilClosed()
	q.say("Still ", "here")
	q.finish()
	closing.Wait()
	require.Equal(t, "Still here", read(t, stream).text())
	require.Zero(t, s.Running())
	requireError(t, s.refused(ann, chat.Send{Message: "Hi"}), wire.CodeUnavailable)
}

// untilClosed sends to an unknown chat until the error shows that Close has
// been called.
func (s *service) untilClosed() {
	s.t.Helper()
	for {
		_, err := s.Send(s.t.Context(), ann, chat.Send{Message: "Hi", ChatID: "none"})
		if fault.Of(err).Code == wire.CodeUnavailable {
			return
		}
		require.ErrorIs(s.t, err, fault.ErrNotFound)
	}
}

func TestCloseBreaksOff(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	stream := s.send(ann, chat.Send{Message: "Hi", RequestID: "req_7"})
	q := <-model
	q.say("One")
	readUntil(t, stream, 2)
	s.Close(cancelled())
	tr := read(t, stream)
	require.Equal(t, wire.CodeUnavailable, tr.failure.Error.Code)
	_, err := stream.Response(t.Context())
	require.Equal(t, time.Second, fault.Of(err).RetryAfter, "a client that waits for the whole answer gets it as retry-after")
	require.Equal(t, "One", tr.text())
	s.requireFailed(stream, tr, wire.CodeUnavailable)
}

// The text that the model wrote before Close interrupted it stays, stored or not.
func TestCloseKeepsWhatHadCome(t *testing.T) {
	t.Parallel()
	store := &slow{begun: make(chan struct{}), resume: make(chan struct{})}
	model := newLive()
	s := start(t, model, func(c *chat.Config) { store.Store, c.Store = c.Store, store })
	stream := s.send(ann, chat.Send{Message: "Hi"})
	q := <-model
	q.say("One")
	<-store.begun
	q.say(" two", " three")
	var closing sync.WaitGroup
	closing.Go(func() { s.Close(cancelled()) })
	<-q.ctx.Done()
	close(store.resume)
	closing.Wait()
	tr := read(t, stream)
	require.Equal(t, wire.CodeUnavailable, tr.failure.Error.Code)
	require.Equal(t, "One two three", tr.text())
	require.Equal(t, "One two three", s.history(tr.start.ChatID).Messages[1].Content)
}

// slow is a store whose first AppendEvents waits for the test.
type slow struct {
	chat.Store
	once          sync.Once
	begun, resume chan struct{}
}

func (s *slow) AppendEvents(ctx context.Context, lease stream.Lease, events []chat.Event) error {
	s.once.Do(func() {
		close(s.begun)
		<-s.resume
	})
	return s.Store.AppendEvents(ctx, lease, events)
}

func TestRestartEndsBrokenAnswers(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	stream := s.send(ann, chat.Send{Message: "Hi"})
	q := <-model
	q.say("One")
	begun := decode[wire.Start](t, readUntil(t, stream, 2)[0])

	broken, err := s.store.EndBrokenTurns(t.Context(), chat.End{At: 300}) // as the next process does
	require.NoError(t, err)
	require.Len(t, broken, 1)
	answer := s.history(begun.ChatID).Messages[1]
	require.Equal(t, []string{"One", wire.FinishError, ""}, []string{answer.Content, answer.FinishReason, answer.StreamID})

	next := chat.New(s.config)
	defer next.Close(t.Context())
	again, err := next.Send(t.Context(), ann, chat.Send{Message: "Again", ChatID: begun.ChatID})
	require.NoError(t, err)
	q = <-model
	require.Equal(t, []string{"user: Hi", "assistant: One", "user: Again"}, texts(q.prompt))
	q.finish()
	require.NotNil(t, read(t, again).complete)
}
