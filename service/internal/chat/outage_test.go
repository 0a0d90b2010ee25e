package chat_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	logs "github.com/chatsdk/chatsdk/service/internal/stream"
)

// outage is a store that can't be reached for some writes of an answer.
type outage struct {
	chat.Store
	mu sync.Mutex
	// of is the method that fails: away times before it stores anything, then late times after it
	// has. It fails for good while gone is set.
	of         string
	away, late int
	gone       bool
}

var errAway = &fault.Error{Code: wire.CodeUnavailable, Message: "The database can't be reached"}

func (o *outage) write(method string, do func() error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if method != o.of {
		return do()
	}
	if o.gone || o.away > 0 {
		o.away--
		return errAway
	}
	err := do()
	if err == nil && o.late > 0 {
		o.late--
		return errAway
	}
	return err
}

func (o *outage) AppendEvents(ctx context.Context, lease logs.Lease, events []chat.Event) error {
	return o.write("AppendEvents", func() error { return o.Store.AppendEvents(ctx, lease, events) })
}

func (o *outage) EndTurn(ctx context.Context, lease logs.Lease, answer wire.Message, end *chat.End) error {
	return o.write("EndTurn", func() error {
		stored := *end // a reply that is lost brings nothing back
		err := o.Store.EndTurn(ctx, lease, answer, &stored)
		if o.late == 0 && err == nil {
			*end = stored
		}
		return err
	})
}

func (o *outage) ParkTurn(ctx context.Context, lease logs.Lease, parking chat.Parking) error {
	return o.write("ParkTurn", func() error { return o.Store.ParkTurn(ctx, lease, parking) })
}

func (o *outage) TakeTurn(ctx context.Context, lease logs.Lease) error {
	return o.write("TakeTurn", func() error { return o.Store.TakeTurn(ctx, lease) })
}

// outages are the ways in which a write can meet an outage: it is not done, it is done and the reply
// is lost, or one after the other.
var outages = map[string]struct{ away, late int }{"away": {2, 0}, "reply lost": {0, 1}, "away, then reply lost": {1, 1}}

func eachOutage(t *testing.T, of string, do func(t *testing.T, store *outage, use func(*chat.Config))) {
	t.Helper()
	for name, test := range outages {
		t.Run(of+" "+name, func(t *testing.T) {
			t.Parallel()
			store := &outage{of: of, away: test.away, late: test.late}
			do(t, store, func(c *chat.Config) { store.Store, c.Store = c.Store, store })
		})
	}
}

// The last write of an answer is as patient as all others.
func TestAnAnswerOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"AppendEvents", "EndTurn"} {
		eachOutage(t, of, func(t *testing.T, store *outage, use func(*chat.Config)) {
			s := start(t, says(words("One", " two")...), use)
			for _, named := range []string{"a chat that gets its name", "a chat that has one"} {
				chatID := s.history(s.ask(ann, chat.Send{Message: "First"}).ChatID).ChatID
				if named == "a chat that has one" {
					require.NoError(t, s.RenameChat(t.Context(), ann, chatID, "Mine"))
				}
				stream := s.send(ann, chat.Send{Message: "Hi", ChatID: chatID})
				tr := read(t, stream)
				require.NotNil(t, tr.complete, named)
				require.Equal(t, "One two", tr.text())
				require.Equal(t, tr.complete.Message, s.history(chatID).Messages[3])
				require.Equal(t, tr, read(t, s.resume(ann, tr.start.StreamID, 0)), "the Store has what the readers got")
			}
			require.NotContains(t, s.ended.list(), wire.CodeUnavailable)
			require.NotContains(t, s.log.String(), "level=ERROR")
		})
	}
}

// A regenerated answer keeps its place on the path.
func TestARegeneratedAnswerOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	eachOutage(t, "EndTurn", func(t *testing.T, store *outage, use func(*chat.Config)) {
		s := start(t, says(words("One")...), use)
		away, late := store.away, store.late
		store.away, store.late = 0, 0
		first := s.ask(ann, chat.Send{Message: "Hi"})
		store.away, store.late = away, late
		stream, err := s.Regenerate(t.Context(), ann, chat.Regenerate{ChatID: first.ChatID, MessageID: first.MessageID})
		require.NoError(t, err)
		tr := read(t, stream)
		require.NotNil(t, tr.complete)
		require.NotEqual(t, first.MessageID, tr.start.MessageID)
		require.Equal(t, tr.start.MessageID, s.history(first.ChatID).Messages[1].ID, "the path leads to the new answer")
	})
}

// A round that made calls is stored once, and the answer goes on.
func TestARoundOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"ParkTurn", "TakeTurn"} {
		for what, call := range map[string]string{"a call": `{"n":1}`, "a call that is not made": `{"n":"x"}`} {
			eachOutage(t, of, func(t *testing.T, store *outage, use func(*chat.Config)) {
				model := &rounds{say: [][]answering.Piece{{calls("act", call)}, {{Text: "Done."}}}}
				did := &counter{}
				s := start(t, model.script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalNever}), use).carried()
				stream := s.send(ann, chat.Send{Message: "Hi", Offer: knows})
				streamID := decode[wire.Start](t, readUntil(t, stream, 1)[0]).StreamID
				response, err := stream.Response(t.Context())
				require.NoError(t, err, what)
				require.Equal(t, "Done.", response.Message.Content)
				stored, _, err := s.store.Rounds(t.Context(), streamID)
				require.NoError(t, err)
				require.Len(t, stored, 1)
				require.Len(t, model.asked(), 2)
				require.LessOrEqual(t, len(did.all()), 1)
			})
		}
	}
}

// A stop of an answer that waits for calls is its last write, too.
func TestAStopOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	eachOutage(t, "EndTurn", func(t *testing.T, store *outage, use func(*chat.Config)) {
		s := start(t, oneCall().script(), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalUser}), use)
		response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
		receipt := s.stop(ann, response.StreamID)
		require.True(t, receipt.Stopped)
		require.Equal(t, wire.FinishStopped, s.whole(response.StreamID).Message.FinishReason)
		require.Equal(t, []string{wire.FinishStopped}, s.ended.list())
	})
}

// When the patience is over, the failure is stored as soon as it can be.
func TestAnOutageThatLastsInterruptsAnAnswer(t *testing.T) {
	t.Parallel()
	model, store := newLive(), &outage{of: "EndTurn", gone: true}
	s := start(t, model, func(c *chat.Config) {
		store.Store, c.Store = c.Store, store
		c.Logs = logs.New(c.Store)
		c.Logs.Patience = time.Millisecond
	})
	stream := s.send(ann, chat.Send{Message: "Hi"})
	q := <-model
	q.say("One")
	q.finish()
	require.Eventually(t, func() bool {
		store.mu.Lock()
		defer store.mu.Unlock()
		store.gone = store.away > -3
		return !store.gone
	}, time.Minute, time.Millisecond)
	tr := read(t, stream)
	require.Equal(t, wire.CodeUnavailable, tr.failure.Error.Code)
	require.Equal(t, "One", s.history(tr.start.ChatID).Messages[1].Content)
}
