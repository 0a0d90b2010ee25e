package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var concurrencyRules = []rule{
	{"many turns run at once in one chat", turnsAtOnce},
	{"lists are complete while chats are made", listsWhileMaking},
	{"a history shows a single moment", historyOfOneMoment},
	{"deleting meets running turns", deletingMeetsTurns},
}

// atOnce runs do n times at once and returns the errors.
func atOnce(n int, do func(i int) error) error {
	var all sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func turnsAtOnce(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1")
	ctx := t.Context()
	require.NoError(t, atOnce(8, func(i int) error {
		for j := range 4 {
			turn := turnIn("c1", fmt.Sprint(i, ".", j))
			if err := store.BeginTurn(ctx, ann, turn); err != nil {
				return err
			}
			for id := range int64(5) {
				if err := store.AppendEvents(ctx, held(turn.StreamID), chunks(2+id, "x")); err != nil {
					return err
				}
			}
			if _, err := store.ChatHistory(ctx, ann, "c1"); err != nil {
				return err
			}
			if err := store.EndTurn(ctx, held(turn.StreamID), ended(turn, "answer "+turn.StreamID), &chat.End{At: 300}); err != nil {
				return err
			}
		}
		return nil
	}))
	requireWhole(t, history(t, store, ann, "c1").Messages, 32)
}

// requireWhole fails unless messages are questions each with its ended answer.
func requireWhole(t *testing.T, messages []wire.Message, turns int) {
	t.Helper()
	require.Len(t, messages, 2*turns)
	for i := 0; i < len(messages); i += 2 {
		name := strings.TrimSuffix(messages[i].ID, "-q")
		require.Equal(t, name+"-a", messages[i+1].ID)
		require.Equal(t, "answer "+name+"-s", messages[i+1].Content)
		require.Equal(t, wire.FinishStop, messages[i+1].FinishReason)
	}
}

func listsWhileMaking(t *testing.T, store chat.Store) {
	for i := range 20 {
		create(t, store, ann, fmt.Sprintf("still-%02d", i), fmt.Sprintf("moving-%02d", i))
	}
	ctx := t.Context()
	require.NoError(t, atOnce(4, func(i int) error {
		for j := range 10 {
			var err error
			switch i {
			case 0:
				err = rename(ctx, store, ann, fmt.Sprintf("moving-%02d", j), "N", 1)
			case 1:
				err = store.BeginTurn(ctx, ann, turnIn(fmt.Sprintf("moving-%02d", 10+j), fmt.Sprint("t", j)))
			case 2:
				err = store.CreateChat(ctx, ann, wire.Chat{ChatID: fmt.Sprint("new-", j), Name: "N"}, nil)
			default:
				err = readWhole(t, store)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, readWhole(t, store))
}

// readWhole pages through the list and says what it shows twice or leaves out.
func readWhole(t *testing.T, store chat.Store) error {
	seen := map[string]bool{}
	for cursor := int64(0); ; {
		page, err := store.ListChats(t.Context(), ann, cursor, 7)
		if err != nil {
			return err
		}
		for _, one := range page.Chats {
			if seen[one.ChatID] {
				return fmt.Errorf("%s is shown twice", one.ChatID)
			}
			seen[one.ChatID] = true
		}
		if cursor = page.NextCursor; !page.HasMore {
			break
		}
	}
	for i := range 20 {
		if id := fmt.Sprintf("still-%02d", i); !seen[id] {
			return fmt.Errorf("%s did not move and is left out", id)
		}
	}
	return nil
}

// An answer has its text in its events until it ends and in itself from then
// on, so a history of two moments could miss both.
func historyOfOneMoment(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1")
	ctx := t.Context()
	require.NoError(t, atOnce(2, func(i int) error {
		for j := range 50 {
			if i == 0 {
				if err := readTexts(ctx, store); err != nil {
					return err
				}
				continue
			}
			turn := turnIn("c1", fmt.Sprint(j))
			turn.Events = chunks(1, "who", "le")
			if err := store.BeginTurn(ctx, ann, turn); err != nil {
				return err
			}
			if err := store.EndTurn(ctx, held(turn.StreamID), ended(turn, "whole"), &chat.End{At: 300}); err != nil {
				return err
			}
		}
		return nil
	}))
}

func readTexts(ctx context.Context, store chat.Store) error {
	response, err := store.ChatHistory(ctx, ann, "c1")
	for i, message := range response.Messages {
		if i%2 == 1 && message.Content != "whole" {
			return fmt.Errorf("answer %s has the text %q", message.ID, message.Content)
		}
	}
	return err
}

func deletingMeetsTurns(t *testing.T, store chat.Store) {
	ctx := t.Context()
	for i := range 10 {
		chatID := fmt.Sprint("c", i)
		turn := turnInNew(chatID, chatID)
		begin(t, store, ann, turn)
		require.NoError(t, atOnce(3, func(i int) error {
			switch i {
			case 0:
				return store.DeleteChat(ctx, ann, chatID, 300)
			case 1:
				return orGone(store.BeginTurn(ctx, ann, turnIn(chatID, chatID+"-more")))
			}
			if err := orGone(store.AppendEvents(ctx, held(turn.StreamID), chunks(2, "x"))); err != nil {
				return err
			}
			return orGone(store.EndTurn(ctx, held(turn.StreamID), ended(turn, "x"), &chat.End{At: 300}))
		}))
		notFound(t, store, ann, chatID, turn.Answer.ID)
	}
	broken, err := store.EndBrokenTurns(ctx, chat.End{At: 300})
	require.NoError(t, err)
	require.Empty(t, broken, "nothing of a deleted chat is left")
}

// orGone ignores fault.ErrNotFound.
func orGone(err error) error {
	if errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	return err
}
