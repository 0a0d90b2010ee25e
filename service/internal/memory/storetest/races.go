package storetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// Rules for a Store with several writers: two operations at the same time must have the
// result of one after the other, in either order. Each rule takes several rounds, since
// one of the two is often first by far.
var raceRules = []rule{
	{"what is detected while everything is erased is erased or not stored", detectingMeetsErasing},
	{"what is detected while its chat is deleted goes with it", detectingMeetsDeleting},
	{"a memory that is approved while its chat is deleted stays, or was not approved", approvingMeetsDeleting},
	{"a message that is sent while memory is turned off is not examined", sendingMeetsTurningOff},
	{"settings that are set at the same time are all kept", settingsAtOnce},
}

const rounds = 12

// both runs two functions at once and returns their errors.
func both(one, two func() error) (error, error) {
	errs := atOnce(2, func(i int) error {
		if i == 0 {
			return one()
		}
		return two()
	})
	return errs[0], errs[1]
}

// orGone ignores fault.ErrNotFound.
func orGone(err error) error {
	if errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	return err
}

func detectingMeetsErasing(t *testing.T, store Store) {
	for round := range rounds {
		name := fmt.Sprint("n", round)
		queue(t, store, ann, name)
		one, two := both(
			func() error { return store.FinishJob(t.Context(), job(ann, name), found(pending(ann, "m"+name))) },
			func() error { _, err := store.DeleteMemories(t.Context(), ann, receipt); return err },
		)
		require.NoError(t, orGone(one))
		require.NoError(t, two)
		require.Empty(t, all(t, store))
	}
}

// from is a memory with the message of a turn of queue as its source.
func from(m wire.Memory, name string) wire.Memory {
	m.SourceMessageID, m.TriggeringMessage, m.Span = name+"-q", "words", &wire.Span{Start: 0, End: 5}
	return m
}

func detectingMeetsDeleting(t *testing.T, store Store) {
	for round := range rounds {
		name := fmt.Sprint("n", round)
		queue(t, store, ann, name)
		one, two := both(
			func() error {
				return store.FinishJob(t.Context(), job(ann, name), found(from(pending(ann, "m"+name), name)))
			},
			func() error { return store.DeleteChat(t.Context(), scopeOf(ann), "chat-"+name, 300) },
		)
		require.NoError(t, orGone(one))
		require.NoError(t, two)
		require.Empty(t, all(t, store))
	}
}

func approvingMeetsDeleting(t *testing.T, store Store) {
	for round := range rounds {
		name := fmt.Sprint("n", round)
		queue(t, store, ann, name)
		require.NoError(t, store.FinishJob(t.Context(), job(ann, name), found(from(pending(ann, "m"+name), name))))
		one, two := both(
			func() error {
				return store.ChangeMemories(t.Context(), ann, "", func(state memory.State) (memory.Changes, error) {
					for range round { // a little later each round, so that the deletion comes in between
						if _, err := store.MemorySettings(t.Context(), "project", "assistant"); err != nil {
							return memory.Changes{}, err
						}
					}
					m := memory.NewMachine(rules, state, 200)
					_, err := m.Approve("m"+name, "", "root")
					return m.Changes(), err
				})
			},
			func() error { return store.DeleteChat(t.Context(), scopeOf(ann), "chat-"+name, 300) },
		)
		require.NoError(t, two)
		left, err := store.Memory(t.Context(), ann.ProjectID, "m"+name)
		if one != nil {
			require.ErrorIs(t, err, fault.ErrNotFound)
			continue
		}
		require.NoError(t, err, "it was approved")
		require.Equal(t, []string{wire.MemoryApproved, ""}, []string{left.Status, left.SourceMessageID})
		require.NoError(t, store.DeleteMemory(t.Context(), ann, left.ID, marks(left.ID), receipt))
	}
}

func sendingMeetsTurningOff(t *testing.T, store Store) {
	on, off := true, false
	set := func(enabled *bool) error {
		_, err := store.SetMemorySettings(t.Context(), "project", "assistant", wire.MemorySettings{MemoryEnabled: enabled})
		return err
	}
	for round := range rounds {
		require.NoError(t, set(&on))
		name := fmt.Sprint("n", round)
		one, two := both(
			func() error { return store.BeginTurn(t.Context(), scopeOf(ann), turn("chat-"+name, name)) },
			func() error { return set(&off) },
		)
		require.NoError(t, one)
		require.NoError(t, two)
		requireBacklog(t, store, 0)
	}
}

func settingsAtOnce(t *testing.T, store Store) {
	on, seven := true, 7
	for round := range rounds {
		agent := fmt.Sprint("agent", round)
		one, two := both(
			func() error {
				_, err := store.SetMemorySettings(t.Context(), "project", agent, wire.MemorySettings{AutoApprove: &on})
				return err
			},
			func() error {
				_, err := store.SetMemorySettings(t.Context(), "project", agent, wire.MemorySettings{MaxMemories: &seven})
				return err
			},
		)
		require.NoError(t, errors.Join(one, two))
		got, err := store.MemorySettings(t.Context(), "project", agent)
		require.NoError(t, err)
		require.Equal(t, wire.MemorySettings{AutoApprove: &on, MaxMemories: &seven}, got)
	}
}
