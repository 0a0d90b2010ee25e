package memory_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	s := start(t, says{})
	paris := s.learn("ann", "User lives in Paris")[0]
	s.clock.pass(time.Hour)
	decision, err := s.Decide(t.Context(), ann, paris.ID, wire.MemoryActionRequest{Action: wire.ActionApprove}, once.Request{})
	got, superseded := decision.Memory, decision.Superseded
	require.NoError(t, err)
	require.Equal(t, []string{}, superseded)
	require.Equal(t, wire.MemoryApproved, got.Status)
	require.Equal(t, noon+3600, got.ApprovedAt)
	require.Equal(t, []wire.Memory{got}, s.of("ann"), "what is returned is what is stored")

	lyon := s.learn("ann", "User lives in Lyon")[0]
	require.Equal(t, []string{paris.ID}, lyon.ConflictsWith)
	decision, err = s.Decide(t.Context(), apiKey, lyon.ID, wire.MemoryActionRequest{Action: wire.ActionApprove}, once.Request{})
	got, superseded = decision.Memory, decision.Superseded
	require.NoError(t, err)
	require.Equal(t, []string{paris.ID}, superseded)
	require.Empty(t, got.ConflictsWith)
	require.Equal(t, wire.RejectedSuperseded, s.of("ann")[1].RejectReason)

	cat := s.learn("ann", "User has a cat")[0]
	decision, err = s.Decide(t.Context(), ann, cat.ID, wire.MemoryActionRequest{Action: wire.ActionReject}, once.Request{})
	got, superseded = decision.Memory, decision.Superseded
	require.NoError(t, err)
	require.Equal(t, []string{}, superseded)
	require.Equal(t, wire.RejectedByReviewer, got.RejectReason)
	require.Equal(t, got, s.of("ann")[0])
	for _, action := range []string{wire.ActionApprove, wire.ActionReject} {
		for _, id := range []string{paris.ID, lyon.ID, cat.ID} {
			before := s.of("ann")
			_, err = s.Decide(t.Context(), ann, id, wire.MemoryActionRequest{Action: action}, once.Request{})
			requireError(t, err, wire.CodeConflict)
			require.Equal(t, before, s.of("ann"))
		}
	}
	for _, action := range []string{"", "Approve", "delete"} {
		_, err = s.Decide(t.Context(), ann, lyon.ID, wire.MemoryActionRequest{Action: action}, once.Request{})
		requireError(t, err, wire.CodeValidation, "action")
	}
}

func TestExpirySurvivesARestart(t *testing.T) {
	t.Parallel()
	s := start(t, says{}, func(c *memory.Config) { c.PendingLifetime = time.Minute })
	cat := s.learn("ann", "User has a cat")[0]
	require.Equal(t, noon+60, cat.ExpiresAt)
	later := memory.New(memory.Config{Store: s.store, Detector: says{}, Agents: []string{"assistant"}, HashKey: key, Now: s.clock.Now})
	s.clock.pass(time.Minute - time.Microsecond)
	require.Equal(t, wire.MemoryPending, s.of("ann")[0].Status)
	s.clock.pass(time.Microsecond)
	_, err := later.Decide(t.Context(), ann, cat.ID, wire.MemoryActionRequest{Action: wire.ActionApprove}, once.Request{})
	requireError(t, err, wire.CodeConflict)
	want := memory.AsOf(cat, noon+60)
	require.Equal(t, wire.RejectedExpired, want.RejectReason)
	require.Equal(t, []wire.Memory{want}, s.of("ann"))
	pending, _, err := later.Pending(t.Context(), ann, memory.PendingFilter{})
	require.NoError(t, err)
	require.Empty(t, pending)
	stats, err := later.Stats(t.Context(), ann, "assistant", "")
	require.NoError(t, err)
	require.Equal(t, wire.MemoryStats{Total: 1, Rejected: 1, Users: 1}, stats)
}

func TestManyReviewersAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, says{})
	id := s.learn("ann", "User has a cat")[0].ID
	var wins, late atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			action := []string{wire.ActionApprove, wire.ActionReject}[i%2]
			_, err := s.Decide(t.Context(), apiKey, id, wire.MemoryActionRequest{Action: action}, once.Request{})
			var known *fault.Error
			if err == nil {
				wins.Add(1)
			} else if errors.As(err, &known) && known.Code == wire.CodeConflict {
				late.Add(1)
			}
		})
	}
	all.Wait()
	require.Equal(t, int64(1), wins.Load())
	require.Equal(t, int64(7), late.Load())
}

func TestDeletedMemoriesStayAway(t *testing.T) {
	t.Parallel()
	s := start(t, asUser{})
	cat := s.learn("ann", "I have a cat")[0]
	require.NoError(t, s.Delete(t.Context(), ann, cat.ID))
	require.ErrorIs(t, s.Delete(t.Context(), ann, cat.ID), fault.ErrNotFound)
	require.Empty(t, s.learn("ann", "I have a cat."))
	require.Len(t, s.learn("bob", "I have a cat."), 1, "bob's is not affected")
	s.set(wire.MemorySettings{AutoApprove: to(true)})
	paraphrase := s.learn("ann", "I have a cat named Tom")[0]
	require.Equal(t, []string{wire.MemoryPending, wire.WaitsDeleted}, []string{paraphrase.Status, paraphrase.WaitsFor})
	require.Equal(t, wire.MemoryPending, s.learn("ann", "I live in Paris")[0].Status, "it may be a paraphrase")
	require.Equal(t, wire.MemoryApproved, s.learn("bob", "I live in Paris")[0].Status, "bob deleted nothing")

	deleted, err := s.DeleteUser(t.Context(), ann, "assistant", "ann")
	require.NoError(t, err)
	require.Equal(t, 2, deleted)
	require.Equal(t, wire.MemoryApproved, s.learn("ann", "I have a cat")[0].Status, "nothing is known about her any more")
}
