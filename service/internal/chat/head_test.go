package chat_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// reads is a store that counts what is read of answers: whole ones, by Stream and Message, and events.
type reads struct {
	chat.Store
	mu      sync.Mutex
	answers int
	pages   int
	events  int // in the pages
}

func (r *reads) Stream(ctx context.Context, scope access.Scope, streamID string) (chat.StoredStream, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers++
	return r.Store.Stream(ctx, scope, streamID)
}

func (r *reads) Message(ctx context.Context, scope access.Scope, chatID, messageID string) (wire.Message, error) {
	message, err := r.Store.Message(ctx, scope, chatID, messageID)
	r.mu.Lock()
	defer r.mu.Unlock()
	if message.StreamID != "" {
		r.answers++
	}
	return message, err
}

func (r *reads) Events(ctx context.Context, streamID string, after int64, limit int) ([]chat.Event, error) {
	events, err := r.Store.Events(ctx, streamID, after, limit)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pages++
	r.events += len(events)
	return events, err
}

// since returns what was read since the last call.
func (r *reads) since() (answers, pages, events int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	answers, pages, events = r.answers, r.pages, r.events
	r.answers, r.pages, r.events = 0, 0, 0
	return answers, pages, events
}

// A resume, a repeat and a stop of a long answer read what they give, not the whole answer.
func TestResumeReadsWhatItGives(t *testing.T) {
	t.Parallel()
	model, store := newLive(), &reads{}
	s := start(t, model, func(c *chat.Config) { store.Store, c.Store = c.Store, store })
	stream := s.send(ann, chat.Send{Message: "Hi", Once: keyed("k")})
	streamID := decode[wire.Start](t, readUntil(t, stream, 1)[0]).StreamID
	q := <-model
	for range 20 {
		q.say(repeatWord(100)...)
	}
	readUntil(t, stream, 2001)
	store.since()
	requireRead := func(what string, answers int) {
		t.Helper()
		got, _, events := store.since()
		require.Equal(t, answers, got, what)
		require.Zero(t, events, what)
	}
	resumed := s.resume(ann, streamID, 2001)
	requireRead("a resume", 0)
	_ = s.resume(ann, streamID, 1)
	requireRead("a resume from the beginning", 0)
	require.True(t, s.send(ann, chat.Send{Message: "Hi", Once: keyed("k")}).Replayed)
	requireRead("a repeat", 0)
	s.stop(ann, streamID)
	answers, _, atStop := store.since()
	require.Equal(t, 1, answers, "a stop, whose receipt has the answer")
	require.Len(t, eventsOf(t, resumed), 3)
	_, _, events := store.since()
	require.LessOrEqual(t, atStop+events, 6, "the rest, which both resumes may read at some moment")
}

func repeatWord(n int) (all []string) {
	for range n {
		all = append(all, "word ")
	}
	return all
}

// A round after calls reads what was said before it once.
func TestARoundReadsTheAnswerOnce(t *testing.T) {
	t.Parallel()
	store := &reads{}
	model := &rounds{say: [][]answering.Piece{{{Text: "One"}, calls("act", `{"n":1}`)}, {{Text: "Done."}}}}
	s := start(t, model.script(), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalUser}),
		func(c *chat.Config) { store.Store, c.Store = c.Store, store })
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	s.decide(ann, response.Message.ToolCalls[0].ID, deny)
	store.since()
	s.settle()
	answers, pages, _ := store.since()
	require.Zero(t, answers, "of the unfinished answer")
	require.LessOrEqual(t, pages, 2, "one page of events, and what says that there are no more")
}
