package memory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// A new statement is never dropped. If it is close to another one, it waits for a review,
// which names the other one. If it contradicts another one, it supersedes it, as before.
func TestWhatIsCloseWaits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, before, found string
		// want is the status of the finding, empty for a duplicate.
		want, waitsFor string
	}{
		{"one more of a list", "User is allergic to penicillin and nuts", "User is allergic to penicillin, nuts and eggs", wire.MemoryPending, wire.WaitsClose},
		{"the list in another order", "User is allergic to penicillin and nuts", "User is allergic to nuts and penicillin", "", ""},
		{"another product", "User has an Android phone", "User has an iOS phone", wire.MemoryPending, wire.WaitsClose},
		{"another taste", "User likes jazz", "User likes swimming", wire.MemoryApproved, ""},
		{"something else", "User likes jazz", "User lives in Berlin", wire.MemoryApproved, ""},
		{"a contradiction", "User lives in Paris", "User lives in Berlin", wire.MemoryApproved, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBook(auto)
			b.detect(1, fact("old", test.before, 0.9))
			b.detect(2, fact("new", test.found, 0.9))
			require.Equal(t, test.want, b.states(2)["new"])
			if test.want == "" {
				return
			}
			found := b.memories[1]
			require.Equal(t, test.waitsFor, found.WaitsFor)
			if test.waitsFor == wire.WaitsClose {
				require.Equal(t, []string{"old"}, found.CloseTo)
				require.Equal(t, wire.MemoryApproved, b.states(2)["old"])
			} else {
				require.Empty(t, found.CloseTo)
			}
		})
	}
}

// Rejected memories, and those under review, are also named.
func TestWhatIsCloseToAPendingOneWaits(t *testing.T) {
	t.Parallel()
	b := newBook()
	b.detect(1, fact("rejected", "User is allergic to nuts", 0.9))
	require.NoError(t, b.reject(1, "rejected"))
	b.detect(2, fact("pending", "User is allergic to nuts and eggs", 0.9))
	b.rules.AutoApprove = true
	b.detect(3, fact("new", "User is allergic to nuts, eggs and milk", 0.9))
	require.Equal(t, wire.MemoryPending, b.states(3)["new"])
	require.ElementsMatch(t, []string{"pending", "rejected"}, b.memories[2].CloseTo)
}
