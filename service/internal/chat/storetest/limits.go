package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// RunLimits checks that a store limits the number of chats of a user. It calls
// open as Run does; setLimit changes the limit.
func RunLimits(t *testing.T, open func(t *testing.T) (store chat.Store, setLimit func(chats int))) {
	t.Helper()
	for name, check := range map[string]func(*testing.T, chat.Store, func(int)){
		"one chat more than the limit is refused":              chatsHaveALimit,
		"of chats made at once, as many as allowed are stored": chatsAtOnce,
		"chats beyond a new limit stay":                        chatsBeyond,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, setLimit := open(t)
			check(t, store, setLimit)
		})
	}
}

func requireTooMany(t *testing.T, err error) {
	t.Helper()
	var refusal *fault.Error
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, wire.CodeQuotaExceeded, refusal.Code)
}

func makeChat(t *testing.T, store chat.Store, scope access.Scope, id string) error {
	return store.CreateChat(t.Context(), scope, wire.Chat{ChatID: id, Name: "N", CreatedAt: 100}, nil)
}

func chatsHaveALimit(t *testing.T, store chat.Store, setLimit func(int)) {
	setLimit(2)
	create(t, store, ann, "c1")
	begin(t, store, ann, turnInNew("c2", "first"))
	requireTooMany(t, makeChat(t, store, ann, "c3"))
	requireTooMany(t, store.BeginTurn(t.Context(), ann, turnInNew("c3", "second")))
	require.Equal(t, "c2 c1", listed(t, store, ann))
	begin(t, store, ann, turnIn("c1", "third"))
	create(t, store, bob, "b1", "b2")
	create(t, store, key, "k1", "k2", "k3")
	requireTooMany(t, makeChat(t, store, bob, "b3"))
	require.NoError(t, makeChat(t, store, alien, "elsewhere"), "another project is another user")
	require.NoError(t, store.DeleteChat(t.Context(), ann, "c1", 300))
	create(t, store, ann, "c3")
	requireTooMany(t, makeChat(t, store, ann, "c4"))
}

func chatsAtOnce(t *testing.T, store chat.Store, setLimit func(int)) {
	setLimit(3)
	errs := make([]error, 10)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			if id := fmt.Sprint(i); i%2 == 0 {
				errs[i] = makeChat(t, store, ann, "c"+id)
			} else {
				errs[i] = store.BeginTurn(t.Context(), ann, turnInNew("c"+id, id))
			}
		})
	}
	all.Wait()
	refused := 0
	for _, err := range errs {
		if errors.As(err, new(*fault.Error)) {
			refused++
			continue
		}
		require.NoError(t, err)
	}
	require.Equal(t, 7, refused)
	require.Len(t, list(t, store, ann), 3)
}

func chatsBeyond(t *testing.T, store chat.Store, setLimit func(int)) {
	create(t, store, ann, "c1", "c2", "c3")
	setLimit(1)
	require.Len(t, list(t, store, ann), 3)
	require.Equal(t, "c2", history(t, store, ann, "c2").ChatID)
	require.NoError(t, rename(t.Context(), store, ann, "c2", "M", 200))
	begin(t, store, ann, turnIn("c2", "more"))
	for _, id := range []string{"c1", "c2"} {
		requireTooMany(t, makeChat(t, store, ann, "c4"))
		require.NoError(t, store.DeleteChat(t.Context(), ann, id, 300))
	}
	requireTooMany(t, makeChat(t, store, ann, "c4"))
	setLimit(0)
	create(t, store, ann, "c4", "c5")
}
