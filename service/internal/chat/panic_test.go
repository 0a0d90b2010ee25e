package chat_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	found "github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// brittle is everything that a send uses, except the model. It panics once, in the
// step that at names.
type brittle struct {
	chat.Store
	at string
}

func (b *brittle) step(name string) {
	if b.at == name {
		b.at = ""
		panic(sentWord)
	}
}

func (b *brittle) BeginTurn(ctx context.Context, scope access.Scope, turn chat.Turn) error {
	b.step("BeginTurn")
	return b.Store.BeginTurn(ctx, scope, turn)
}

func (b *brittle) Chat(ctx context.Context, scope access.Scope, chatID string) (wire.Chat, error) {
	b.step("Chat")
	return b.Store.Chat(ctx, scope, chatID)
}

func (b *brittle) ChatOwner(ctx context.Context, scope access.Scope, chatID string) (string, error) {
	b.step("ChatOwner")
	return b.Store.ChatOwner(ctx, scope, chatID)
}

func (b *brittle) Recall(context.Context, string, string, string, int) (string, []string, error) {
	b.step("Recall")
	return "", nil, nil
}

func (b *brittle) Examines(_, _ string) (examines, enabled bool) {
	b.step("Examines")
	return true, true
}

func (b *brittle) Overlook(context.Context, string, string) { b.step("Overlook") }

func (b *brittle) Wake() { b.step("Wake") }

func (b *brittle) Usable(context.Context, string, string, []string) ([]string, error) {
	b.step("Usable")
	return nil, nil
}

func (b *brittle) Search(context.Context, string, []string, int) ([]found.Hit, error) {
	return nil, nil
}

func (b *brittle) parts(c *chat.Config) {
	b.Store = c.Store
	c.Store, c.Memory, c.Knowledge = b, b, b
	c.Limits.StreamsPerUser = 1
}

// Whatever panics before an answer is written, the user's slot is free again
// and the service can be closed.
func TestPanicInSendKeepsNoSlot(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"Chat", "ChatOwner", "Recall", "Examines", "Usable", "BeginTurn"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			parts := &brittle{}
			s := start(t, says(words("Yes.")...), parts.parts)
			chatID := s.ask(ann, chat.Send{Message: "One?"}).ChatID
			use := true
			send, caller := chat.Send{Message: "Two?", ChatID: chatID, Options: answering.Options{UseKnowledgebase: &use}}, ann
			if at == "ChatOwner" {
				caller = admin
			}
			parts.at = at
			require.PanicsWithValue(t, sentWord, func() { _, _ = s.Send(t.Context(), caller, send) })
			require.Zero(t, s.Running())
			s.ask(caller, send)
			s.Close(t.Context())
		})
	}
}

// After a panic at the end of an answer, readers still get the end, the user's
// slot is free again, and the service can be closed.
func TestPanicAtTheEnd(t *testing.T) {
	t.Parallel()
	t.Run("where ends are counted", func(t *testing.T) {
		t.Parallel()
		s := start(t, says(words("Yes.")...), (&brittle{}).parts, func(c *chat.Config) { c.Ended = func(string) { panic(sentWord) } })
		for range 2 {
			require.Equal(t, "start chat_name complete end", read(t, s.send(ann, chat.Send{Message: "One?"})).types())
		}
		require.Contains(t, s.log.String(), "the end of an answer could not be reported")
		require.NotContains(t, s.log.String(), sentWord)
		s.Close(t.Context())
	})
	t.Run("where messages are examined", func(t *testing.T) {
		t.Parallel()
		parts := &brittle{}
		s := start(t, says(), parts.parts)
		parts.at = "Wake"
		require.Equal(t, "start error end", read(t, s.send(ann, chat.Send{Message: "One?"})).types())
		read(t, s.send(ann, chat.Send{Message: "Two?"}))
		s.Close(t.Context())
	})
	t.Run("in the store", func(t *testing.T) {
		t.Parallel()
		store := &faulty{panicking: true}
		s := start(t, says(words("Yes.")...), func(c *chat.Config) { store.Store, c.Store, c.Limits.StreamsPerUser = c.Store, store, 1 })
		store.broken.Store(true)
		stream := s.send(ann, chat.Send{Message: "One?"})
		require.Eventually(t, func() bool { return strings.Contains(s.log.String(), "not stored yet") }, time.Minute, time.Millisecond)
		store.broken.Store(false)
		require.Equal(t, "start error end", read(t, stream).types())
		s.ask(ann, chat.Send{Message: "Two?"})
		s.Close(t.Context())
	})
}

// rigid is a store that can't end one stream.
type rigid struct {
	chat.Store
	refused atomic.Value // its id
}

func (r *rigid) EndTurn(ctx context.Context, lease stream.Lease, answer wire.Message, end *chat.End) error {
	if refused := r.refused.Load(); refused == nil || refused == lease.StreamID {
		return errDisk
	}
	return r.Store.EndTurn(ctx, lease, answer, end)
}

// If the end of one stream can't be stored, the others are stored all the same.
func TestAnEndThatCannotBeStored(t *testing.T) {
	t.Parallel()
	store := &rigid{}
	s := start(t, says(words("Yes.")...), func(c *chat.Config) { store.Store, c.Store = c.Store, store })
	var streams []*chat.Stream
	var begun wire.Start
	for range 5 {
		stream := s.send(ann, chat.Send{Message: "Hi"})
		begun = decode[wire.Start](t, readUntil(t, stream, 1)[0])
		streams = append(streams, stream)
	}
	store.refused.Store(begun.StreamID)
	for _, stream := range streams[:4] {
		read(t, stream)
	}
	require.NoError(t, s.Sweep(t.Context()))
	require.Empty(t, s.history(begun.ChatID).Messages[1].FinishReason)
	store.refused.Store("")
	require.Equal(t, "start error end", read(t, streams[4]).types())
}
