package memory_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

// statements hold pairs that contradict, pairs that say the same, and others.
var statements = []string{
	"User lives in Paris", "User lives in Lyon", "User lives in Rome", "User is 34 years old", "User is 35 years old",
	"User has a dog", "User owns a dog", "User has a cat", "User has a piano", "User is vegan", "User loves steak",
	"User prefers short answers", "User prefers long answers", "User plays chess", "User speaks German", "",
}

// story plays actions, two bytes each, and checks after every step what must always be true.
type story struct {
	*book
	t    *testing.T
	now  float64
	next int
	// mayApprove are the memories that this step may take into use.
	mayApprove map[string]bool
}

func (s *story) play(actions []byte) {
	for len(actions) >= 2 {
		before := append([]wire.Memory{}, s.memories...)
		s.mayApprove = map[string]bool{}
		s.step(actions[0], int(actions[1]))
		s.check(before)
		actions = actions[2:]
	}
}

func (s *story) step(action byte, n int) {
	switch action % 13 {
	case 0, 1, 2:
		s.found(n)
	case 3, 4, 5:
		s.approveOne(n)
	case 6:
		if id, ok := s.pick(n); ok {
			_ = s.reject(s.now, id) // a conflict if it is decided
		}
	case 7:
		if id, ok := s.pick(n); ok {
			s.erase(id)
		}
	case 8:
		s.now += float64(n) // up to 255 s; a pending memory lives 100
	case 9:
		s.rules.Max, s.rules.AutoApprove, s.rules.Enabled = 1+n%4, n&16 != 0, n&32 == 0
	case 10:
		if id, ok := s.pick(n); ok {
			s.editOne(id, statements[n/16])
		}
	case 11:
		if id, ok := s.pick(n); ok && s.mayBeApproved(id) {
			s.mayApprove[id] = true
			_, _ = s.approveAs(s.now, id, statements[n/16]) // a conflict if another says the same
		}
	case 12:
		s.write(statements[n%len(statements)])
	}
}

// editOne edits a pending or approved memory. Only memories that it contradicts change
// their status.
func (s *story) editOne(id, content string) {
	m := s.machine(s.now)
	was, open := m.Get(id)
	err := m.Edit(id, content, wire.MemoryFact, "root")
	if err == nil {
		is, _ := m.Get(id)
		require.True(s.t, open && was.Status != wire.MemoryRejected)
		require.Equal(s.t, was.Status, is.Status)
		require.True(s.t, is.MemoryContent == was.MemoryContent || is.EditedBy == "root")
		s.keep(m)
	}
}

// write adds a memory by hand.
func (s *story) write(content string) {
	s.next++
	id := fmt.Sprintf("m%04d", s.next)
	m := s.machine(s.now)
	if m.Write(fact(id, content, 0), "root") == nil {
		s.mayApprove[id] = true
		s.keep(m)
		require.LessOrEqual(s.t, s.count(wire.MemoryApproved), s.rules.Max)
	}
}

// mayBeApproved reports whether a memory is pending, or was superseded by one that is no
// longer in use.
func (s *story) mayBeApproved(id string) bool {
	for _, one := range s.memories {
		if one.ID == id && one.SupersededBy != "" {
			return s.states(s.now)[one.SupersededBy] != wire.MemoryApproved
		}
	}
	return s.states(s.now)[id] == wire.MemoryPending
}

func (s *story) found(n int) {
	s.next++
	id, content := fmt.Sprintf("m%04d", s.next), statements[n%len(statements)]
	s.mayApprove[id] = s.rules.AutoApprove
	before := len(s.memories)
	s.detect(s.now, fact(id, content, float64(n/16)/15))
	if len(s.memories) > before {
		require.True(s.t, s.rules.Enabled)
		require.False(s.t, s.erased[key.Read(owner, fact(id, content, 0)).Hashes.Whole], "what was deleted does not come back")
		if s.memories[before].Status == wire.MemoryPending {
			require.LessOrEqual(s.t, s.count(wire.MemoryPending), s.rules.Max)
		}
	}
}

func (s *story) approveOne(n int) {
	id, ok := s.pick(n)
	if !ok {
		return
	}
	may := s.mayBeApproved(id)
	_, err := s.approve(s.now, id)
	if err != nil && may {
		require.True(s.t, s.isSaid(id), "what was superseded may have been said again since")
		return
	}
	require.Equal(s.t, may, err == nil, "what waits or was superseded can be approved, and nothing else")
	if err == nil {
		s.mayApprove[id] = true
		require.LessOrEqual(s.t, s.count(wire.MemoryApproved), s.rules.Max)
	}
}

// isSaid reports whether another memory that is pending or approved says the same.
func (s *story) isSaid(id string) bool {
	at := slices.IndexFunc(s.memories, func(one wire.Memory) bool { return one.ID == id })
	return slices.ContainsFunc(s.memories, func(other wire.Memory) bool {
		open := memory.AsOf(other, s.now).Status != wire.MemoryRejected
		return other.ID != id && open && canon.Duplicate(other.MemoryContent, s.memories[at].MemoryContent)
	})
}

func (s *story) pick(n int) (string, bool) {
	if len(s.memories) == 0 {
		return "", false
	}
	return s.memories[n%len(s.memories)].ID, true
}

func (s *story) count(status string) (count int) {
	for _, one := range s.memories {
		if memory.AsOf(one, s.now).Status == status {
			count++
		}
	}
	return count
}

// check compares what is stored with what was stored before the step.
func (s *story) check(before []wire.Memory) {
	old := map[string]wire.Memory{}
	for _, one := range before {
		old[one.ID] = one
	}
	for i, one := range s.memories {
		was, known := old[one.ID]
		s.checkStep(was, one)
		require.Equal(s.t, one.Status == wire.MemoryPending, one.ExpiresAt != 0)
		require.Equal(s.t, one.Status == wire.MemoryRejected, one.RejectReason != "")
		if one.Status == wire.MemoryApproved {
			for _, other := range s.memories[:i] {
				both := other.Status == wire.MemoryApproved && canon.Conflict(other.MemoryContent, one.MemoryContent)
				require.False(s.t, both, "%q beside %q", other.MemoryContent, one.MemoryContent)
			}
		}
		if !known && one.Status != wire.MemoryRejected && one.Origin == wire.OriginUser {
			s.checkNew(one, s.memories[:i])
		}
	}
}

// checkStep compares a change of a memory with the table of transitions.
func (s *story) checkStep(was, is wire.Memory) {
	if is.Status == wire.MemoryApproved && was.Status != wire.MemoryApproved {
		require.True(s.t, s.mayApprove[is.ID], "nobody approved %s", is.ID)
	}
	switch was.Status {
	case wire.MemoryRejected:
		if !s.mayApprove[is.ID] {
			require.Equal(s.t, was, is, "rejected is final")
		}
	case wire.MemoryApproved:
		if is.Status != wire.MemoryApproved {
			require.Equal(s.t, wire.RejectedSuperseded, is.RejectReason)
		}
	case wire.MemoryPending:
		if is.RejectReason == wire.RejectedExpired {
			require.GreaterOrEqual(s.t, s.now, was.ExpiresAt)
			require.Equal(s.t, was.ExpiresAt, is.RejectedAt)
		}
	}
}

func (s *story) checkNew(one wire.Memory, others []wire.Memory) {
	for _, other := range others {
		live := other.Status != wire.MemoryRejected || other.RejectReason == wire.RejectedByReviewer
		require.False(s.t, live && canon.Duplicate(other.MemoryContent, one.MemoryContent), "%q beside %q", other.MemoryContent, one.MemoryContent)
	}
}

func newStory(t *testing.T) *story {
	b := newBook(atMost(3))
	b.rules.Lifetime = 100
	return &story{book: b, t: t, now: 1000}
}

func TestNoOrderOfActionsBreaksTheRules(t *testing.T) {
	t.Parallel()
	approved, expired, superseded := 0, 0, 0
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		actions := make([]byte, 160)
		for i := range actions {
			actions[i] = byte(random.Uint32())
		}
		s := newStory(t)
		s.play(actions)
		for _, state := range s.states(s.now) {
			switch state {
			case wire.MemoryApproved:
				approved++
			case wire.RejectedExpired:
				expired++
			case wire.RejectedSuperseded:
				superseded++
			}
		}
	}
	require.Greater(t, min(approved, expired, superseded), 20, "the stories reach all of the states")
}

func FuzzActions(f *testing.F) {
	f.Add([]byte{0, 240, 0, 241, 3, 0, 3, 1, 8, 99, 6, 0})
	f.Add([]byte{9, 16, 0, 0, 7, 0, 0, 0, 0, 1, 8, 255, 3, 0})
	f.Fuzz(func(t *testing.T, actions []byte) {
		newStory(t).play(actions[:min(len(actions), 120)])
	})
}
