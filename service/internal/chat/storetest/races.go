package storetest

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// Races that a Store with several writers must survive. Each rule runs several rounds,
// because one of two racers often wins by far.
var raceRules = []rule{
	{"whoever regenerates an answer gets one, and the last one leads the path", allRegenerate},
	{"of many that retell a stream one succeeds", oneRetells},
	{"of many that end an answer one succeeds", oneEnds},
	{"every move in the order has its own place", placesAtOnce},
	{"questions that arrive at once have one order, each before its answer", ordersAtOnce},
	{"a regenerated answer and a new question keep the history whole", regeneratingMeetsSending},
	{"a reader of an answer that is ending gets all of it", readingMeetsEnding},
}

// wins runs do n times at once and requires one to succeed, and the others to fail with
// the error lost.
func wins(t *testing.T, n int, lost error, do func(i int) error) {
	t.Helper()
	var won atomic.Int64
	require.NoError(t, atOnce(n, func(i int) error {
		err := do(i)
		switch {
		case err == nil:
			won.Add(1)
		case !errors.Is(err, lost):
			return err
		}
		return nil
	}))
	require.EqualValues(t, 1, won.Load())
}

func allRegenerate(t *testing.T, store chat.Store) {
	for round := range 5 {
		turn := turnInNew(fmt.Sprint("c", round), fmt.Sprint("t", round))
		begin(t, store, ann, turn)
		end(t, store, turn, "x")
		require.NoError(t, atOnce(6, func(i int) error {
			return store.BeginTurn(t.Context(), ann, again(turn, fmt.Sprint(turn.StreamID, i)))
		}))
		all := history(t, store, ann, turn.Question.ChatID).Messages
		require.Len(t, all, 2)
		require.Len(t, all[1].Siblings, 7)
		require.Equal(t, all[1].ID, all[1].Siblings[6], "the last one leads the path")
	}
}

func oneRetells(t *testing.T, store chat.Store) {
	for round := range 5 {
		turn := claimed(turnInNew(fmt.Sprint("c", round), fmt.Sprint("t", round)), fmt.Sprint("k", round))
		begin(t, store, ann, turn)
		end(t, store, turn, "x")
		wins(t, 6, errTaken, func(i int) error {
			return store.Retell(t.Context(), turn.StreamID, fmt.Sprint(turn.StreamID, i), *whole())
		})
	}
}

func oneEnds(t *testing.T, store chat.Store) {
	for round := range 5 {
		turn := turnInNew(fmt.Sprint("c", round), fmt.Sprint("t", round))
		begin(t, store, ann, turn)
		wins(t, 6, fault.ErrNotFound, func(i int) error {

			return store.EndTurn(t.Context(), held(turn.StreamID), ended(turn, fmt.Sprint(i)), whole())
		})
		require.Equal(t, "1 start, 2 complete, 3 end", eventsOf(t, store, turn.StreamID))
	}
}

func placesAtOnce(t *testing.T, store chat.Store) {
	create(t, store, ann, "c0", "c1", "c2", "c3")
	require.NoError(t, atOnce(8, func(i int) error {
		for j := range 5 {
			chatID, name := fmt.Sprint("c", (i+j)%4), fmt.Sprint(i, ".", j)
			switch i % 3 {
			case 0:
				if err := rename(t.Context(), store, ann, chatID, "N", 1); err != nil {
					return err
				}
			case 1:
				if err := store.BeginTurn(t.Context(), ann, turnIn(chatID, name)); err != nil {
					return err
				}
			default:
				if err := store.CreateChat(t.Context(), bob, wire.Chat{ChatID: name, Name: "N"}, nil); err != nil {
					return err
				}
			}
		}
		return nil
	}))
	places := cursors(t, store, key)
	require.Len(t, places, 13, "four chats of ann's and ten of bob's: one on each page but the last")
	require.IsDecreasing(t, places)
}

func ordersAtOnce(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1", "c2")
	require.NoError(t, atOnce(6, func(i int) error {
		for j := range 6 {
			turn := turnIn(fmt.Sprint("c", 1+i%2), fmt.Sprint(i, ".", j))
			if err := store.BeginTurn(t.Context(), ann, turn); err != nil {
				return err
			}
			if err := store.EndTurn(t.Context(), held(turn.StreamID), ended(turn, "answer "+turn.StreamID), &chat.End{At: 300}); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, chatID := range []string{"c1", "c2"} {
		messages := history(t, store, ann, chatID).Messages
		requireWhole(t, messages, 18)
		last := map[byte]byte{} // of each sender
		for i := 0; i < len(messages); i += 2 {
			sender, number := messages[i].ID[0], messages[i].ID[2]
			require.Less(t, last[sender], number, "a sender's questions are in its order")
			last[sender] = number
		}
	}
}

func regeneratingMeetsSending(t *testing.T, store chat.Store) {
	for round := range 10 {
		chatID := fmt.Sprint("c", round)
		first := turnInNew(chatID, "first"+chatID)
		begin(t, store, ann, first)
		end(t, store, first, "one")
		next, more := again(first, "next"+chatID), turnIn(chatID, "more"+chatID)
		require.NoError(t, atOnce(2, func(i int) error {
			return store.BeginTurn(t.Context(), ann, []chat.Turn{more, next}[i])
		}))
		page, err := store.HistoryPage(t.Context(), ann, chatID, chat.Page{All: true, Limit: 10})
		require.NoError(t, err)
		require.Len(t, page.Messages, 5, "nothing is lost")
		last := history(t, store, ann, chatID).Messages
		require.Contains(t, []string{next.Answer.ID, more.Answer.ID}, last[len(last)-1].ID, "one of them leads the path")
	}
}

func readingMeetsEnding(t *testing.T, store chat.Store) {
	for round := range 20 {
		turn := turnInNew(fmt.Sprint("c", round), fmt.Sprint("t", round))
		begin(t, store, ann, turn)
		require.NoError(t, atOnce(5, func(i int) error {
			if i == 0 {
				if err := store.AppendEvents(t.Context(), held(turn.StreamID), chunks(2, "x")); err != nil {
					return err
				}
				return store.EndTurn(t.Context(), held(turn.StreamID), ended(turn, "x"), whole())
			}
			for last := int64(0); ; {
				events, err := store.Events(t.Context(), turn.StreamID, last, 100)
				if err == io.EOF && last == 4 {
					return nil
				}
				if err != nil {
					return fmt.Errorf("after %d: %w", last, err)
				}
				for _, event := range events {
					if last++; event.ID != last {
						return fmt.Errorf("event %d came after %d", event.ID, last-1)
					}
				}
			}
		}))
	}
}
