package chat_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// overtaken is a store whose next search for a key finds nothing, because the request with the key is
// served right afterwards.
type overtaken struct {
	chat.Store
	mu    sync.Mutex
	serve func()
}

func (o *overtaken) UsedKey(ctx context.Context, id once.ID, since float64) (once.UsedKey, bool, error) {
	claim, found, err := o.Store.UsedKey(ctx, id, since)
	o.mu.Lock()
	serve := o.serve
	o.serve = nil
	o.mu.Unlock()
	if serve != nil {
		serve()
	}
	return claim, found, err
}

// Of two requests with one key at the same time, both get what the first one made.
func TestADecisionThatIsRepeatedAtTheSameTime(t *testing.T) {
	t.Parallel()
	for _, decision := range []wire.DecisionRequest{approve, deny} {
		store := &overtaken{Store: openStore(t)}
		s := start(t, oneCall().script(), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalUser}),
			func(c *chat.Config) { c.Store = store })
		callID := s.waits(ann, chat.Send{Message: "Hi", Offer: knows}).Message.ToolCalls[0].ID
		var first wire.ToolCall
		store.serve = func() {
			var err error
			first, _, err = s.Calls().Decide(t.Context(), ann, callID, decision, keyed("k"))
			require.NoError(t, err)
		}
		again, replayed, err := s.Calls().Decide(t.Context(), ann, callID, decision, keyed("k"))
		require.NoError(t, err, decision.Action)
		require.True(t, replayed)
		require.Equal(t, first, again)

		_, _, err = s.Calls().Decide(t.Context(), ann, callID, decision, keyed("another"))
		requireError(t, err, wire.CodeConflict)
		_, _, err = s.Calls().Decide(t.Context(), ann, callID, decision, once.Request{})
		requireError(t, err, wire.CodeConflict)
		_, _, err = s.Calls().Decide(t.Context(), ann, callID, decision, keyed("k", 1))
		requireError(t, err, wire.CodeKeyReused, "idempotency-key")
	}
}
