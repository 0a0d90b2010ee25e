package embedded_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/builtin/embedded"
)

// ward notes in which order users have their turns.
type ward struct {
	t     *testing.T
	turns *embedded.Turns
	all   sync.WaitGroup
	mu    sync.Mutex
	done  []string
}

// hold keeps a turn until release is called.
func (w *ward) hold(user string) (release func()) {
	require.NoError(w.t, embedded.Take(w.turns, w.t.Context(), user))
	return func() { embedded.Leave(w.turns, user) }
}

// asks lets a user's message wait for its turn, and notes the turn while it lasts.
func (w *ward) asks(ctx context.Context, user string) {
	w.all.Go(func() {
		if embedded.Take(w.turns, ctx, user) != nil {
			return
		}
		w.mu.Lock()
		w.done = append(w.done, user)
		w.mu.Unlock()
		embedded.Leave(w.turns, user)
	})
	synctest.Wait()
}

func newWard(t *testing.T, atOnce int) *ward { return &ward{t: t, turns: embedded.NewTurns(atOnce)} }

func TestUsersTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWard(t, 1)
		release := w.hold("ann")
		for range 60 {
			w.asks(t.Context(), "ann")
		}
		for range 2 {
			w.asks(t.Context(), "bob")
			w.asks(t.Context(), "")
		}
		release()
		w.all.Wait()
		require.Equal(t, "ann bob  ann bob  ann ann ann", strings.Join(w.done[:9], " "), "bob waits for one prompt of ann at most, not for sixty")
	})
}

func TestAUserHasOneTurnWhileOthersWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWard(t, 2)
		first := w.hold("ann")
		other := w.hold("cid")
		for range 5 {
			w.asks(t.Context(), "ann")
		}
		w.asks(t.Context(), "bob")
		other()
		synctest.Wait()
		require.Equal(t, "bob", w.done[0], "ann's first prompt is still being read")
		first()
		w.all.Wait()
		require.Len(t, w.done, 6)
	})
}

func TestAUserAloneHasAllTurns(t *testing.T) {
	t.Parallel()
	w := newWard(t, 2)
	first, second := w.hold("ann"), w.hold("ann")
	first()
	second()
}

func TestWhoLeavesFreesNoTurnOfOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWard(t, 1)
		release := w.hold("ann")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		prompt := said("Hello")
		prompt.User = "bob"
		for _, err := range (embedded.Agent{Turns: w.turns}).Answer(ctx, prompt) {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		w.asks(t.Context(), "cid")
		require.Empty(t, w.done, "ann's turn is not over")
		release()
		w.all.Wait()
		require.Equal(t, []string{"cid"}, w.done)
	})
}

// TestTurnsAreGivenBack lets many leave at any time, and then needs each turn.
func TestTurnsAreGivenBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWard(t, 2)
		for i := range 200 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%7)*time.Millisecond)
			defer cancel()
			w.all.Go(func() {
				user := fmt.Sprint("u", i%5)
				if embedded.Take(w.turns, ctx, user) == nil {
					time.Sleep(time.Duration(i%3) * time.Millisecond)
					embedded.Leave(w.turns, user)
				}
			})
		}
		w.all.Wait()
		first, second := w.hold("ann"), w.hold("bob")
		first()
		second()
	})
}
