package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// RaceCalls changes the calls of parked answers while the answers are stopped, taken and
// deleted. Every call must be reported as settled once, and each answer must have ended
// or be able to continue.
func RaceCalls(t *testing.T, store chat.Store) {
	for round := range 12 {
		name := fmt.Sprint("t", round)
		turn := turnInNew("c"+name, name)
		park(t, store, turn, callOf(turn, name+"k1"), callOf(turn, name+"k2"))
		deletes := round%3 == 2
		racers := []func() error{
			func() error { return settleRacing(t, store, name+"k1") },
			func() error { return settleRacing(t, store, name+"k2") },
			func() error { return takeRacing(t, store, turn) },
			func() error { return stopRacing(t, store, turn) },
			func() error {
				_, err := store.HistoryPage(t.Context(), ann, "c"+name, chat.Page{Limit: 5})
				return orLost(err)
			},
			func() error {
				if !deletes {
					return nil
				}
				return store.DeleteChat(t.Context(), ann, "c"+name, 400)
			},
		}
		require.NoError(t, atOnce(len(racers), func(i int) error { return racers[i]() }))
		if deletes {
			requireNoCalls(t, store, turn, name+"k1")
			continue
		}
		requireToldOnce(t, store, turn)
	}
}

// orLost ignores that another racer has ended, taken or deleted something.
func orLost(err error) error {
	if errors.Is(err, fault.ErrNotFound) || errors.Is(err, stream.ErrTaken) || errors.Is(err, chat.ErrNotReady) {
		return nil
	}
	return err
}

func settleRacing(t *testing.T, store chat.Store, id string) error {
	for {
		call, err := store.Call(t.Context(), "project", id)
		if err != nil || call.IsSettled() {
			return orLost(err)
		}
		settled(&call)
		if err = store.SetCall(t.Context(), call, nil); !errors.Is(err, toolcall.ErrStale) {
			return orLost(err)
		}
	}
}

// takeRacing continues an answer, and ends it.
func takeRacing(t *testing.T, store chat.Store, turn chat.Turn) error {
	next := stream.Lease{StreamID: turn.StreamID, Epoch: 2}
	for range 30 {
		err := store.TakeTurn(t.Context(), next)
		if errors.Is(err, chat.ErrNotReady) {
			continue
		}
		if err == nil {
			err = store.AppendEvents(t.Context(), next, chunks(6, "more"))
		}
		if err == nil {
			err = store.EndTurn(t.Context(), next, ended(turn, "more"), whole())
		}
		return orLost(err)
	}
	return nil
}

func stopRacing(t *testing.T, store chat.Store, turn chat.Turn) error {
	for {
		_, calls, err := store.Rounds(t.Context(), turn.StreamID)
		if err != nil {
			return err
		}
		end := whole()
		for _, call := range calls {
			if !call.IsSettled() {
				call.Status = wire.CallDenied
				end.Calls, end.Events = append(end.Calls, call), slices.Insert(end.Events, 0, toolcall.EventOf(call))
			}
		}
		if err = store.EndTurn(t.Context(), held(turn.StreamID), ended(turn, "stopped"), end); !errors.Is(err, toolcall.ErrStale) {
			return orLost(err)
		}
	}
}

// requireToldOnce requires one event for each call of a turn that reports it as settled.
func requireToldOnce(t *testing.T, store chat.Store, turn chat.Turn) {
	t.Helper()
	events, err := store.Events(t.Context(), turn.StreamID, 0, 100)
	require.NoError(t, err)
	told := map[string]int{}
	for i, event := range events {
		require.EqualValues(t, i+1, event.ID)
		if event.Type != wire.EventToolCall {
			continue
		}
		var call wire.ToolCall
		require.NoError(t, json.Unmarshal(event.Data, &call))
		if toolcall.IsSettled(call.Status) {
			told[call.ID]++
			require.Equal(t, call.Status, callIn(t, store, call.ID).Status)
		}
	}
	require.Len(t, told, 2)
	for id, count := range told {
		require.Equal(t, 1, count, id)
	}
	now := stored(t, store, turn.StreamID)
	require.Equal(t, int64(len(events)), now.LastID)
	require.Equal(t, now.EndedAt == 0, slices.Contains(ready(t, store), turn.StreamID), "an open one can continue")
}

func requireNoCalls(t *testing.T, store chat.Store, turn chat.Turn, id string) {
	t.Helper()
	_, err := store.Call(t.Context(), "project", id)
	require.ErrorIs(t, err, fault.ErrNotFound)
	require.NotContains(t, ready(t, store), turn.StreamID)
	_, err = store.Parked(t.Context(), turn.StreamID)
	require.ErrorIs(t, err, fault.ErrNotFound)
}
