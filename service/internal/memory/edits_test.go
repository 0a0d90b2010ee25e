package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// Every edit leaves what the memory said before, who changed it and when, also if it is changed back.
// Administrators see that, and the user does not.
func TestEditsAreKept(t *testing.T) {
	t.Parallel()
	s := start(t, asUser{})
	id := s.learn("ann", "I have a cat")[0].ID
	two := "User has two cats"
	decision, err := s.Decide(t.Context(), apiKey, id, wire.MemoryActionRequest{Action: wire.ActionApprove, MemoryContent: &two}, once.Request{})
	require.NoError(t, err)
	want := []wire.MemoryEdit{{Text: "User has a cat", By: wire.ByAPIKey, At: noon}}
	require.Equal(t, want, decision.Memory.Edits)
	write := func(content, memoryType string) {
		s.clock.pass(time.Second)
		edited, err := s.Update(t.Context(), apiKey, id, wire.WriteMemoryRequest{MemoryContent: content, MemoryType: memoryType})
		require.NoError(t, err)
		require.Equal(t, content, edited.MemoryContent)
		require.Equal(t, want, edited.Edits)
	}
	want = append(want, wire.MemoryEdit{Text: two, By: wire.ByAPIKey, At: noon + 1})
	write("User has three cats", wire.MemoryFact)
	want = append(want, wire.MemoryEdit{Text: "User has three cats", By: wire.ByAPIKey, At: noon + 2})
	write("User has a cat", wire.MemoryFact)
	want = append(want, wire.MemoryEdit{Text: "User has a cat", By: wire.ByAPIKey, At: noon + 3})
	write("User has a cat", wire.MemoryContext)
	require.Equal(t, want, listed(s, apiKey)[0].Edits)

	own := listed(s, ann)
	require.Len(t, own, 1)
	require.Nil(t, own[0].Edits, "a user sees none")
	require.Equal(t, "User has a cat", own[0].OriginalContent)

	require.NoError(t, s.Delete(t.Context(), ann, id))
	for _, said := range []string{"I have a cat", "I have two cats", "I have three cats"} {
		require.Empty(t, s.learn("ann", said), "what was deleted does not come back, whichever text it had: %s", said)
	}
}

func listed(s *service, caller access.Caller) []wire.Memory {
	s.t.Helper()
	memories, _, err := s.ListUser(s.t.Context(), caller, "assistant", "ann", memory.Filter{})
	require.NoError(s.t, err)
	return memories
}

// A user who edits in an approval sees no edits either, in the answer and in its repeat.
func TestAUserSeesNoEdits(t *testing.T) {
	t.Parallel()
	s := start(t, asUser{})
	hives := "User keeps two hives"
	bee := s.learn("ann", "I keep bees")[0].ID
	for range 2 { // the second one repeats the first
		own, err := s.Decide(t.Context(), ann, bee, wire.MemoryActionRequest{Action: wire.ActionApprove, MemoryContent: &hives}, keyed("key", 1))
		require.NoError(t, err)
		require.Equal(t, hives, own.Memory.MemoryContent)
		require.Nil(t, own.Memory.Edits, "of an edit of their own")
	}
	require.Equal(t, []wire.MemoryEdit{{Text: "I keep bees", By: "ann", At: noon}}, listed(s, apiKey)[0].Edits)
}

func TestEditsAreBounded(t *testing.T) {
	t.Parallel()
	s := start(t, asUser{})
	id := s.learn("ann", "I have a cat")[0].ID
	for n := range 104 {
		_, err := s.Update(t.Context(), apiKey, id, wire.WriteMemoryRequest{MemoryContent: fmt.Sprintf("User has %d cats", n+2), MemoryType: wire.MemoryFact})
		require.NoError(t, err)
	}
	edits := listed(s, apiKey)[0].Edits
	require.Len(t, edits, 100)
	require.Equal(t, []string{"User has a cat", "User has 6 cats", "User has 104 cats"}, []string{edits[0].Text, edits[1].Text, edits[99].Text})

	// Long ones fill the bytes before: 16 KiB have room for 18 of 900 bytes and api_key.
	long := func(n int) string { return fmt.Sprintf("%03d", n) + strings.Repeat("猫", 297) }
	bytes := memory.Bytes(wire.Memory{})
	for n := range 104 {
		_, err := s.Update(t.Context(), apiKey, id, wire.WriteMemoryRequest{MemoryContent: long(n), MemoryType: wire.MemoryFact})
		require.NoError(t, err)
	}
	edits = listed(s, apiKey)[0].Edits
	require.Less(t, len(edits), 20)
	require.Equal(t, []string{"User has a cat", long(102)}, []string{edits[0].Text, edits[len(edits)-1].Text})
	kept := memory.Bytes(wire.Memory{Edits: edits}) - bytes
	require.LessOrEqual(t, kept, int64(16<<10))
	require.Greater(t, kept, int64(15<<10), "what is read for an answer counts them")
}
