package memory_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// animals are facts that differ from each other.
var animals = strings.Fields("dog cat horse parrot hamster snake turtle rabbit goat sheep donkey pony " +
	"ferret canary lizard spider frog duck goose pig")

// ofWords finds each word of a message as a separate fact.
func ofWords(_ context.Context, message string) (found []memory.Finding, err error) {
	at := 0
	for word := range strings.FieldsSeq(message) {
		start := at + strings.Index(message[at:], word)
		at = start + len(word)
		found = append(found, memory.Finding{Type: wire.MemoryFact, Content: "User has a " + word, Confidence: 0.8, Start: start, End: at})
	}
	return found, nil
}

func atMostStored(count int) func(*memory.Config) {
	return func(c *memory.Config) { c.MemoriesPerUser = count }
}

// kept are the memories of a user, oldest first, as their last words.
func (s *service) kept(userID string) string {
	var words []string
	for _, one := range s.of(userID) {
		words = append([]string{one.MemoryContent[strings.LastIndex(one.MemoryContent, " ")+1:]}, words...)
	}
	return strings.Join(words, " ")
}

func TestMemoriesHaveALimitInEveryStatus(t *testing.T) {
	t.Parallel()
	s := start(t, detects(ofWords), atMostStored(5))
	s.set(wire.MemorySettings{MaxMemories: to(2)})
	s.learn("ann", strings.Join(animals[:3], " "))
	require.Equal(t, "dog cat horse", s.kept("ann"), "the dog is superseded, and kept for a while")
	s.learn("ann", strings.Join(animals[3:10], " "))
	require.Equal(t, "snake turtle rabbit goat sheep", s.kept("ann"), "the oldest that are superseded give way")
	s.learn("bob", "parrot hamster")
	require.Len(t, s.of("bob"), 2, "each user has their own")

	for _, one := range s.of("ann") { // what a reviewer rejected bars its return, and does not give way
		if one.Status == wire.MemoryPending {
			_, err := s.Decide(t.Context(), ann, one.ID, wire.MemoryActionRequest{Action: wire.ActionReject}, once.Request{})
			require.NoError(t, err)
		}
	}
	for i := 10; i < 20; i += 2 {
		for _, one := range s.learn("ann", strings.Join(animals[i:i+2], " ")) {
			if one.Status == wire.MemoryPending {
				_, err := s.Decide(t.Context(), ann, one.ID, wire.MemoryActionRequest{Action: wire.ActionReject}, once.Request{})
				require.NoError(t, err)
			}
		}
		require.Len(t, s.of("ann"), 5)
	}
	before := s.of("ann")
	require.Equal(t, before, s.learn("ann", "chicken pigeon"), "if nothing can give way, nothing new is stored")
	require.NoError(t, s.Delete(t.Context(), ann, before[0].ID))
	require.Len(t, s.learn("ann", "chicken pigeon"), 5)
}

// A new limit removes no memories that exist: each new memory replaces one of
// them.
func TestMemoriesBeyondANewLimitStay(t *testing.T) {
	t.Parallel()
	s := start(t, detects(ofWords))
	s.set(wire.MemorySettings{MaxMemories: to(2)})
	s.learn("ann", strings.Join(animals[:8], " "))
	require.Len(t, s.of("ann"), 8)
	limited := memory.New(memory.Config{
		Store: s.store, Detector: detects(ofWords), Agents: []string{"assistant"}, HashKey: key, Now: s.clock.Now, MemoriesPerUser: 3,
		Defaults: map[string]wire.MemorySettings{"assistant": {MemoryEnabled: to(true)}},
	})
	s.tell("ann", "assistant", "goose duck chicken")
	require.NoError(t, limited.WorkOff(t.Context()))
	require.Len(t, s.of("ann"), 8)
	require.Equal(t, "parrot hamster snake turtle rabbit goose duck chicken", s.kept("ann"))
}

func TestMachineCountsWhatItMakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                 string
		total, stored, spent int
		pending, added, gone int
	}{
		{"no limit", 0, 100, 0, 0, 4, 0},
		{"room for all", 10, 6, 0, 0, 4, 0},
		{"room for some", 10, 8, 0, 0, 2, 0},
		{"full", 10, 10, 0, 0, 0, 0},
		{"some give way", 10, 10, 3, 0, 3, 3},
		{"all that is needed gives way", 10, 9, 9, 0, 4, 3},
		{"far beyond a new limit", 10, 100, 50, 0, 4, 4},
		{"far beyond, and nothing gives way", 10, 100, 0, 0, 0, 0},
		{"what expires meanwhile gives way", 10, 10, 0, 2, 2, 2},
	} {
		state := memory.State{Stored: test.stored, Spent: test.spent}
		for i := range test.pending {
			one := fact(fmt.Sprint("late", i), fmt.Sprint("User has expired ", i), 0.5)
			one.Status, one.ExpiresAt = wire.MemoryPending, 50
			state.Memories = append(state.Memories, one)
		}
		m := memory.NewMachine(rules(func(r *memory.Rules) { r.Total = test.total }), state, 100)
		for i, animal := range animals[:4] {
			m.Detect(key.Read(owner, fact(fmt.Sprint("new", i), "User has a "+animal, 0.5)))
		}
		changes := m.Changes()
		require.Equal(t, []int{test.added, test.gone}, []int{len(changes.Added), changes.Spent}, test.name)
	}
}

func TestSupersededAndExpiredMemoriesGoAfter30Days(t *testing.T) {
	t.Parallel()
	s := start(t, detects(ofWords))
	s.set(wire.MemorySettings{MaxMemories: to(1)})
	s.learn("ann", "dog cat horse") // only the horse is pending then
	require.Len(t, s.of("ann"), 3)
	s.clock.pass(7 * 24 * time.Hour) // and expires
	require.NoError(t, s.Sweep(t.Context()))
	require.Len(t, s.of("ann"), 3)
	s.clock.pass(23*24*time.Hour - time.Microsecond)
	require.NoError(t, s.Sweep(t.Context()))
	require.Len(t, s.of("ann"), 3)
	s.clock.pass(time.Microsecond)
	require.NoError(t, s.Sweep(t.Context()))
	require.Equal(t, []string{"User has a horse"}, contents(s.of("ann")))
	require.Equal(t, wire.RejectedExpired, s.of("ann")[0].RejectReason)
	s.clock.pass(7 * 24 * time.Hour)
	require.NoError(t, s.Sweep(t.Context()))
	require.Empty(t, s.of("ann"))
}
