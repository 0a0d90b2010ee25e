package memory_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// keyed is a request with a key; other distinguishes requests with the same key.
func keyed(key string, other byte) once.Request {
	return once.Request{Key: key, Fingerprint: once.Fingerprint{other}}
}

// A repeated decision with the same key gets the same answer, however soon it comes.
func TestDecideOnce(t *testing.T) {
	t.Parallel()
	for _, action := range []string{wire.ActionApprove, wire.ActionReject} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			s := start(t, says{})
			paris := s.learn("ann", "User lives in Paris")[0]
			_, err := s.Decide(t.Context(), ann, paris.ID, wire.MemoryActionRequest{Action: wire.ActionApprove}, keyed("k0", 0))
			require.NoError(t, err)
			lyon := s.learn("ann", "User lives in Lyon")[0]
			decisions, fresh := make([]memory.Decision, 20), 0
			var all sync.WaitGroup
			for i := range decisions {
				all.Go(func() {
					var err error
					if decisions[i], err = s.Decide(t.Context(), ann, lyon.ID, wire.MemoryActionRequest{Action: action}, keyed("k", 1)); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			for _, one := range decisions {
				if !one.Replayed {
					fresh++
				}
				one.Replayed = decisions[0].Replayed
				require.Equal(t, decisions[0], one)
			}
			require.Equal(t, 1, fresh)
			require.Equal(t, s.of("ann")[0], decisions[0].Memory)
			want := map[string][]string{wire.ActionApprove: {paris.ID}, wire.ActionReject: {}}
			require.Equal(t, want[action], decisions[0].Superseded)

			again, err := s.Decide(t.Context(), ann, paris.ID, wire.MemoryActionRequest{Action: wire.ActionApprove}, keyed("k0", 0))
			require.NoError(t, err)
			require.Equal(t, s.of("ann")[1], again.Memory, "as it is now")
		})
	}
}

func TestDecideWithKeysOfOtherRequests(t *testing.T) {
	t.Parallel()
	s := start(t, says{})
	cat, dog := s.learn("ann", "User has a cat")[0], s.learn("ann", "User has a dog")[0]
	_, err := s.Decide(t.Context(), ann, cat.ID, wire.MemoryActionRequest{Action: wire.ActionApprove}, keyed("k", 1))
	require.NoError(t, err)
	_, err = s.Decide(t.Context(), ann, dog.ID, wire.MemoryActionRequest{Action: wire.ActionApprove}, keyed("k", 2))
	require.ErrorIs(t, err, once.ErrReused)
	require.Equal(t, wire.MemoryPending, s.of("ann")[0].Status)
	_, err = s.Decide(t.Context(), apiKey, cat.ID, wire.MemoryActionRequest{Action: wire.ActionApprove}, keyed("k", 1))
	requireError(t, err, wire.CodeConflict)
	_, err = s.Decide(t.Context(), ann, cat.ID, wire.MemoryActionRequest{Action: wire.ActionReject}, keyed("late", 1))
	requireError(t, err, wire.CodeConflict)
	_, err = s.Decide(t.Context(), ann, dog.ID, wire.MemoryActionRequest{Action: wire.ActionReject}, keyed("late", 2))
	require.NoError(t, err, "a refusal leaves the key free")

	require.NoError(t, s.Delete(t.Context(), ann, cat.ID))
	_, err = s.Decide(t.Context(), ann, cat.ID, wire.MemoryActionRequest{Action: wire.ActionApprove}, keyed("k", 1))
	require.ErrorIs(t, err, fault.ErrNotFound)
	s.clock.pass(once.Lifetime)
	_, err = s.Decide(t.Context(), ann, dog.ID, wire.MemoryActionRequest{Action: wire.ActionReject}, keyed("late", 2))
	requireError(t, err, wire.CodeConflict)
}
