package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

var cancelRules = []rule{
	{"a context that has ended changes nothing", endedContext},
	{"a context that ends on the way leaves nothing half done", endingContext},
	{"callers that leave disturb nobody", leavingCallers},
}

// call is an operation that changes or reads what the store of prepared holds.
type call struct {
	name string
	do   func(ctx context.Context, store chat.Store) error
}

// prepared stores what the calls work on.
func prepared(t *testing.T, store chat.Store) {
	t.Helper()
	create(t, store, ann, "c1")
	begin(t, store, ann, turnIn("c1", "open"))
	require.NoError(t, store.AppendEvents(t.Context(), held("open-s"), chunks(2, "so far")))
}

var calls = []call{
	{"ListChats", func(ctx context.Context, store chat.Store) error {
		_, err := store.ListChats(ctx, ann, 0, 30)
		return err
	}},
	{"ChatHistory", func(ctx context.Context, store chat.Store) error {
		_, err := store.ChatHistory(ctx, ann, "c1")
		return err
	}},
	{"CreateChat", func(ctx context.Context, store chat.Store) error {
		return store.CreateChat(ctx, ann, wire.Chat{ChatID: "c2", Name: "N"}, nil)
	}},
	{"RenameChat", func(ctx context.Context, store chat.Store) error {
		return rename(ctx, store, ann, "c1", "Renamed", 500)
	}},
	{"SetFeedback", func(ctx context.Context, store chat.Store) error {
		return store.SetFeedback(ctx, ann, "c1", "open-a", true)
	}},
	{"BeginTurn", func(ctx context.Context, store chat.Store) error {
		return store.BeginTurn(ctx, ann, turnIn("c1", "t"))
	}},
	{"BeginTurn with a new chat", func(ctx context.Context, store chat.Store) error {
		return store.BeginTurn(ctx, ann, turnInNew("c3", "u"))
	}},
	{"AppendEvents", func(ctx context.Context, store chat.Store) error {
		return store.AppendEvents(ctx, held("open-s"), chunks(3, "a", "b", "c"))
	}},
	{"EndTurn", func(ctx context.Context, store chat.Store) error {
		return store.EndTurn(ctx, held("open-s"), ended(turnIn("c1", "open"), "whole"), &chat.End{At: 300})
	}},
	{"EndBrokenTurns", func(ctx context.Context, store chat.Store) error {
		_, err := store.EndBrokenTurns(ctx, chat.End{At: 300})
		return err
	}},
	{"BeginTurn with a claim", func(ctx context.Context, store chat.Store) error {
		return store.BeginTurn(ctx, ann, claimed(turnIn("c1", "v"), "k"))
	}},
	{"Stream", func(ctx context.Context, store chat.Store) error {
		_, err := store.Stream(ctx, ann, "open-s")
		return err
	}},
	{"Events", func(ctx context.Context, store chat.Store) error {
		_, err := store.Events(ctx, "open-s", 0, 10)
		return err
	}},
	{"Chat", func(ctx context.Context, store chat.Store) error {
		_, err := store.Chat(ctx, ann, "c1")
		return err
	}},
	{"Sweep", func(ctx context.Context, store chat.Store) error { return store.Sweep(ctx, 1, 1) }},
	{"DeleteChat", func(ctx context.Context, store chat.Store) error {
		return store.DeleteChat(ctx, ann, "c1", 300)
	}},
}

func endedContext(t *testing.T, store chat.Store) {
	prepared(t, store)
	before := everything(t, store)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, call := range calls {
		require.ErrorIs(t, call.do(ctx, store), context.Canceled, call.name)
	}
	require.Equal(t, before, everything(t, store))
}

func endingContext(t *testing.T, store chat.Store) {
	prepared(t, store)
	for _, call := range calls {
		t.Run(call.name, func(t *testing.T) {
			before := everything(t, store)
			for looks := int64(0); ; looks++ {
				require.Less(t, looks, int64(1000), "it never finishes")
				err := call.do(newFuse(t, looks), store)
				if err == nil {
					return
				}
				require.ErrorIs(t, err, context.Canceled)
				require.Equal(t, before, everything(t, store), "cancelled at check %d", looks)
			}
		})
	}
	require.Equal(t, "c3 c2", listed(t, store, ann), "each finished in the end")
}

// fuse is a context that ends after it was checked a number of times, so that a
// call can be cancelled at each of the places where it checks.
type fuse struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

// EndingAfter returns a context that ends after it was checked this many times.
func EndingAfter(t *testing.T, looks int64) context.Context { return newFuse(t, looks) }

func newFuse(t *testing.T, looks int64) *fuse {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	f := &fuse{Context: ctx, cancel: cancel}
	f.left.Store(looks)
	return f
}

func (f *fuse) Done() <-chan struct{} {
	f.look()
	return f.Context.Done()
}

func (f *fuse) Err() error {
	f.look()
	return f.Context.Err()
}

func (f *fuse) look() {
	if f.left.Add(-1) < 0 {
		f.cancel()
	}
}

func leavingCallers(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1")
	require.NoError(t, atOnce(4, func(i int) error {
		for j := range 25 {
			ctx, cancel := context.WithCancel(t.Context())
			go cancel() // before, while or after
			turn := turnIn("c1", fmt.Sprint(i, ".", j))
			err := store.BeginTurn(ctx, ann, turn)
			if _, listErr := store.ListChats(ctx, ann, 0, 30); err == nil {
				err = listErr
			}
			if err != nil && !errors.Is(err, context.Canceled) {
				return err
			}
		}
		return nil
	}))
	messages := history(t, store, ann, "c1").Messages
	require.Zero(t, len(messages)%2, "a question without its answer")
	broken, err := store.EndBrokenTurns(t.Context(), chat.End{At: 300})
	require.NoError(t, err)
	require.Len(t, broken, len(messages)/2, "each stored turn is complete")
}
