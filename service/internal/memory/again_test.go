package memory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// A memory that is approved again has no duplicate among the approved ones, and new memories
// can contradict it.
func TestApprovingAgain(t *testing.T) {
	t.Parallel()
	b := newBook(auto)
	b.detect(1, fact("paris", "User lives in Paris", 0.9))
	b.detect(2, fact("lyon", "User lives in Lyon", 0.9))
	require.Equal(t, wire.RejectedSuperseded, b.states(2)["paris"])
	b.rules.AutoApprove = false
	b.detect(3, fact("nice", "User lives in Nice", 0.9))
	b.pairs = nil
	b.erase("lyon")
	b.erased = nil
	_, err := b.approve(4, "paris")
	require.NoError(t, err)
	require.Equal(t, [][2]string{{"paris", "nice"}}, b.pairs, "nice contradicts what is approved now")
	require.Equal(t, map[string]string{"paris": wire.MemoryApproved, "nice": wire.MemoryPending}, b.states(4))

	b = newBook(auto)
	b.detect(1, fact("paris", "User lives in Paris", 0.9))
	b.detect(2, fact("lyon", "User lives in Lyon", 0.9))
	b.detect(3, fact("again", "User lives in Paris", 0.9))
	require.Equal(t, map[string]string{"paris": wire.RejectedSuperseded, "lyon": wire.RejectedSuperseded, "again": wire.MemoryApproved}, b.states(3))
	_, err = b.approve(4, "paris")
	require.Equal(t, wire.CodeConflict, fault.Of(err).Code, "the same statement is already approved")
}

// After an edit that says the opposite, the user's first statement is new.
func TestWhatAnEditReversedIsNew(t *testing.T) {
	t.Parallel()
	b := newBook()
	b.detect(1, fact("home", "User lives in Paris", 0.9))
	_, err := b.approveAs(2, "home", "User lives in Lyon")
	require.NoError(t, err)
	b.detect(3, fact("again", "User lives in Paris", 0.9))
	require.Equal(t, wire.MemoryPending, b.states(3)["again"])
}
