package memory_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

const week = 604800.0

var (
	owner = memory.Owner{ProjectID: "project", AgentID: "assistant", UserID: "ann"}
	key   = memory.HashKey("the key of the tests")
)

func rules(changes ...func(*memory.Rules)) memory.Rules {
	r := memory.Rules{Enabled: true, Max: 50, Types: []string{wire.MemoryPreference, wire.MemoryFact, wire.MemoryContext}, Lifetime: week}
	for _, change := range changes {
		change(&r)
	}
	return r
}

func atMost(n int) func(*memory.Rules)        { return func(r *memory.Rules) { r.Max = n } }
func types(all ...string) func(*memory.Rules) { return func(r *memory.Rules) { r.Types = all } }
func off(r *memory.Rules)                     { r.Enabled = false }
func auto(r *memory.Rules)                    { r.AutoApprove = true }

// fact is a found fact. Its content is its id if no other is given.
func fact(id, content string, confidence float64) wire.Memory {
	return wire.Memory{ID: id, MemoryContent: content, MemoryType: wire.MemoryFact, ConfidenceScore: confidence}
}

// book is the store: it runs a Machine and keeps its results.
type book struct {
	rules    memory.Rules
	memories []wire.Memory
	erased   map[string]bool
	pairs    [][2]string
}

func newBook(changes ...func(*memory.Rules)) *book {
	return &book{rules: rules(changes...), erased: map[string]bool{}}
}

// machine begins with the memories of these ids, as a Store returns them.
func (b *book) machine(now float64, ids ...string) *memory.Machine {
	state := memory.State{Erased: b.erased}
	for _, one := range b.memories {
		if one.Status != wire.MemoryRejected {
			state.Memories = append(state.Memories, one)
		} else if one.RejectReason == wire.RejectedByReviewer {
			state.Barred = append(state.Barred, one)
		}
	}
	for _, one := range b.memories {
		if slices.Contains(ids, one.ID) {
			state.Add([]wire.Memory{one})
		}
	}
	return memory.NewMachine(b.rules, state, now)
}

func (b *book) keep(m *memory.Machine) {
	changes := m.Changes()
	for _, updated := range changes.Updated {
		for i := range b.memories {
			if b.memories[i].ID == updated.ID {
				b.memories[i] = updated
			}
		}
	}
	b.memories = append(b.memories, changes.Added...)
	b.pairs = append(b.pairs, changes.Conflicts...)
}

func (b *book) detect(now float64, found ...wire.Memory) {
	m := b.machine(now)
	for _, one := range found {
		m.Detect(key.Read(owner, one))
	}
	b.keep(m)
}

func (b *book) approve(now float64, id string) ([]string, error) {
	return b.approveAs(now, id, "")
}

// approveAs approves with another statement, if there is one.
func (b *book) approveAs(now float64, id, content string) ([]string, error) {
	m := b.machine(now, id)
	superseded, err := m.Approve(id, content, "root")
	b.keep(m)
	return superseded, err
}

func (b *book) reject(now float64, id string) error {
	m := b.machine(now)
	err := m.Reject(id, "root")
	b.keep(m)
	return err
}

// erase deletes a memory.
func (b *book) erase(id string) {
	for i, one := range b.memories {
		if one.ID == id {
			for _, mark := range key.Read(owner, one).Hashes.All() {
				b.erased[mark] = true
			}
			b.memories = append(b.memories[:i:i], b.memories[i+1:]...)
			return
		}
	}
}

// states returns the states of the memories by their ids.
func (b *book) states(now float64) map[string]string {
	states := map[string]string{}
	for _, one := range b.memories {
		one = memory.AsOf(one, now)
		states[one.ID] = one.Status
		if one.RejectReason != "" {
			states[one.ID] = one.RejectReason
		}
	}
	return states
}

func TestDetectionMakesAPendingMemory(t *testing.T) {
	t.Parallel()
	b := newBook()
	found := fact("m1", "User lives in Paris", 0.9)
	found.AgentID, found.UserID, found.SourceMessageID = "assistant", "ann", "msg"
	found.TriggeringMessage, found.Span = "I live in Paris", &wire.Span{Start: 0, End: 15}
	b.detect(1000.5, found)
	want := found
	want.Origin, want.WaitsFor = wire.OriginUser, wire.WaitsReview
	want.Status, want.CreatedAt, want.UpdatedAt, want.ExpiresAt = wire.MemoryPending, 1000.5, 1000.5, 1000.5+week
	require.Equal(t, []wire.Memory{want}, b.memories)
}

func TestDetectionIsBarred(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		rules   []func(*memory.Rules)
		prepare func(b *book)
		content string
		stored  bool
	}{
		{"memory is off", []func(*memory.Rules){off}, nothing, "User lives in Paris", false},
		{"its type is off", []func(*memory.Rules){types(wire.MemoryPreference)}, nothing, "User lives in Paris", false},
		{"no type is on", []func(*memory.Rules){types()}, nothing, "User lives in Paris", false},
		{"its type is on", []func(*memory.Rules){types(wire.MemoryFact)}, nothing, "User lives in Paris", true},
		{"it is pending", nil, nothing, "User has a dog", false},
		{"a paraphrase is pending", nil, nothing, "User owns a dog", false},
		{"it is approved", nil, func(b *book) { must(b.approve(2, "dog")) }, "User owns a dog", false},
		{"a reviewer rejected it", nil, func(b *book) { _ = b.reject(2, "dog") }, "User owns a dog", false},
		{"it expired", nil, func(b *book) { b.rules.Lifetime = 3; b.memories[0].ExpiresAt = 3 }, "User has a dog", true},
		{"it was superseded", nil, func(b *book) {
			b.memories[0].Status, b.memories[0].RejectReason = wire.MemoryRejected, wire.RejectedSuperseded
		}, "User has a dog", true},
		{"it was deleted", nil, func(b *book) { b.erase("dog") }, "User has a dog.", false},
		{"a paraphrase of what was deleted", nil, func(b *book) { b.erase("dog") }, "User has a big brown dog called Rex", true},
		{"there is another one", nil, nothing, "User has a cat", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBook()
			b.detect(1, fact("dog", "User has a dog", 0.9))
			test.prepare(b)
			b.rules = rules(test.rules...)
			b.detect(3, fact("new", test.content, 0.8))
			require.Equal(t, test.stored, b.states(3)["new"] != "")
		})
	}
}

func nothing(*book) {}

func must(_ []string, err error) {
	if err != nil {
		panic(err)
	}
}

func TestDetectionWithAutoApproval(t *testing.T) {
	t.Parallel()
	b := newBook(auto)
	b.detect(5, fact("m1", "User lives in Paris", 0.9))
	require.Equal(t, wire.MemoryApproved, b.memories[0].Status)
	require.Equal(t, 5.0, b.memories[0].ApprovedAt)
	require.Zero(t, b.memories[0].ExpiresAt)
	require.Equal(t, map[string]string{"m1": "approved"}, b.states(5+week), "approved memories do not expire")

	b.detect(6, fact("m2", "User lives in Lyon", 0.9), fact("m3", "User has a cat", 0.9))
	require.Equal(t, map[string]string{"m1": "superseded", "m2": "approved", "m3": "approved"}, b.states(6))
}

func TestAutoApprovalLeavesPendingMemoriesPending(t *testing.T) {
	t.Parallel()
	b := newBook()
	b.detect(5, fact("m1", "User lives in Paris", 0.9))
	auto(&b.rules)
	b.detect(6, fact("m2", "User has a cat", 0.9))
	require.Equal(t, map[string]string{"m1": "pending", "m2": "approved"}, b.states(6))
}

// What has the form of a deleted memory is barred for good. What may be a
// paraphrase waits for a reviewer, and what is something else does not.
func TestDeletedMemoriesComeBackOnlyAsPending(t *testing.T) {
	t.Parallel()
	const barred = ""
	tests := []struct{ name, deleted, memoryType, content, want string }{
		{"the same", "User lives in Paris", wire.MemoryFact, "User lives in Paris.", barred},
		{"the same with another type", "User lives in Paris", wire.MemoryContext, "User lives in Paris", barred},
		{"a value", "User lives in Paris", wire.MemoryPreference, "User loves Paris in spring", wire.MemoryPending},
		{"a relation", "User lives in Paris", wire.MemoryContext, "User lives in Marseille", wire.MemoryPending},
		{"a number", "User is 34 years old", wire.MemoryContext, "User celebrated birthday 34", wire.MemoryPending},
		{"what another memory is about", "User's dog is old", wire.MemoryPreference, "User loves that dog", wire.MemoryPending},
		{"only the type", "User is 34 years old", wire.MemoryFact, "User was born in 1992", wire.MemoryPending},
		{"nothing", "User lives in Paris", wire.MemoryPreference, "User prefers short answers", wire.MemoryApproved},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBook(auto)
			b.detect(1, fact("old", test.deleted, 0.9))
			b.erase("old")
			found := fact("new", test.content, 0.9)
			found.MemoryType = test.memoryType
			b.detect(2, found)
			require.Equal(t, test.want, b.states(2)["new"])
		})
	}
}

func TestApprove(t *testing.T) {
	t.Parallel()
	b := newBook()
	b.detect(1, fact("m1", "User has a cat", 0.9))
	superseded, err := b.approve(2, "m1")
	require.NoError(t, err)
	require.Empty(t, superseded)
	require.NotNil(t, superseded, "an array on the wire")
	want := fact("m1", "User has a cat", 0.9)
	want.Origin, want.WaitsFor, want.DecidedBy = wire.OriginUser, wire.WaitsReview, "root"
	want.Status, want.CreatedAt, want.UpdatedAt, want.ApprovedAt = wire.MemoryApproved, 1, 2, 2
	require.Equal(t, []wire.Memory{want}, b.memories)
}

func TestReject(t *testing.T) {
	t.Parallel()
	b := newBook()
	b.detect(1, fact("m1", "User has a cat", 0.9))
	require.NoError(t, b.reject(2, "m1"))
	want := fact("m1", "User has a cat", 0.9)
	want.Origin, want.WaitsFor, want.DecidedBy = wire.OriginUser, wire.WaitsReview, "root"
	want.Status, want.CreatedAt, want.UpdatedAt, want.RejectedAt, want.RejectReason = wire.MemoryRejected, 1, 2, 2, wire.RejectedByReviewer
	require.Equal(t, []wire.Memory{want}, b.memories)
}

func TestDecisionsAreFinal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(b *book)
	}{
		{"approved", func(b *book) { must(b.approve(2, "m1")) }},
		{"rejected", func(b *book) { _ = b.reject(2, "m1") }},
		{"superseded", func(b *book) { b.rules.Max = 1; b.detect(2, fact("m2", "User has a dog", 1)) }},
		{"expired", func(b *book) { b.memories[0].ExpiresAt = 3 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBook()
			b.detect(1, fact("m1", "User has a cat", 0.9))
			test.prepare(b)
			was := b.states(3)
			_, err := b.approve(3, "m1")
			requireError(t, err, wire.CodeConflict)
			requireError(t, b.reject(3, "m1"), wire.CodeConflict)
			require.Equal(t, was, b.states(3))
		})
	}
	b := newBook()
	_, err := b.approve(1, "unknown")
	requireError(t, err, wire.CodeConflict)
}

// Expiry is exact to the instant, and is stored as of that instant however
// late anybody looks.
func TestExpiryIsExact(t *testing.T) {
	t.Parallel()
	const born, end = 1_795_000_000.000001, 1_795_000_000.000001 + week
	for _, test := range []struct {
		name string
		at   float64
		want string
	}{
		{"a microsecond before", end - 1e-6, wire.MemoryApproved},
		{"at the instant", end, wire.RejectedExpired},
		{"a microsecond after", end + 1e-6, wire.RejectedExpired},
		{"a year after", end + 52*week, wire.RejectedExpired},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBook()
			b.detect(born, fact("m1", "User has a cat", 0.9))
			_, err := b.approve(test.at, "m1")
			require.Equal(t, test.want == wire.MemoryApproved, err == nil)
			require.Equal(t, test.want, b.states(test.at)["m1"])
			if err != nil {
				require.Equal(t, end, b.memories[0].RejectedAt)
				require.Equal(t, end, b.memories[0].UpdatedAt)
				require.Zero(t, b.memories[0].ExpiresAt)
			}
		})
	}
}

func TestApprovalSupersedesWhatContradicts(t *testing.T) {
	t.Parallel()
	b := newBook()
	b.detect(1, fact("paris", "User lives in Paris", 0.9), fact("lyon", "User lives in Lyon", 0.9), fact("rome", "User lives in Rome", 0.9))
	require.Equal(t, [][2]string{{"lyon", "paris"}, {"rome", "paris"}, {"rome", "lyon"}}, b.pairs)
	must(b.approve(2, "paris"))
	superseded, err := b.approve(3, "lyon")
	require.NoError(t, err)
	require.Equal(t, []string{"paris"}, superseded)
	require.Equal(t, map[string]string{"paris": "superseded", "lyon": "approved", "rome": "pending"}, b.states(3))
	require.Equal(t, 3.0, b.memories[0].RejectedAt)
	require.Equal(t, 2.0, b.memories[0].ApprovedAt, "the time of its approval is kept")
}

func TestLimitOfApprovedMemories(t *testing.T) {
	t.Parallel()
	things := []string{"cat", "dog", "boat", "piano", "garden"}
	b := newBook(atMost(3))
	for _, thing := range things {
		b.detect(1, fact(thing, "User has a "+thing, 0.9))
		must(b.approve(10, thing))
	}
	require.Equal(t, map[string]string{"boat": "superseded", "cat": "superseded", "dog": "approved", "piano": "approved", "garden": "approved"},
		b.states(10), "of those approved at the same time the smallest id goes")

	b.detect(20, fact("bike", "User has a bike", 0.9))
	b.rules.Max = 1
	require.Equal(t, "approved", b.states(20)["dog"], "a lower limit waits for the next approval")
	superseded, err := b.approve(30, "bike")
	require.NoError(t, err)
	require.Equal(t, []string{"dog", "garden", "piano"}, superseded)
}

// Contradicted memories are removed first, and only then those over the limit.
func TestLimitCountsWhatIsLeft(t *testing.T) {
	t.Parallel()
	b := newBook(atMost(2))
	b.detect(1, fact("cat", "User has a cat", 0.9), fact("paris", "User lives in Paris", 0.9))
	must(b.approve(2, "cat"))
	must(b.approve(3, "paris"))
	b.detect(4, fact("lyon", "User lives in Lyon", 0.9))
	superseded, err := b.approve(5, "lyon")
	require.NoError(t, err)
	require.Equal(t, []string{"paris"}, superseded)
}

func TestLimitOfPendingMemories(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		confidence float64
		want       map[string]string
	}{
		{"the least confident gives way", 0.95, map[string]string{"a": "superseded", "b": "pending", "c": "pending", "new": "pending"}},
		{"the oldest of equals gives way", 0.6, map[string]string{"a": "superseded", "b": "pending", "c": "pending", "new": "pending"}},
		{"the new one is not stored", 0.5, map[string]string{"a": "pending", "b": "pending", "c": "pending"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBook(atMost(3))
			b.detect(1, fact("a", "User has a cat", 0.6))
			b.detect(2, fact("b", "User has a boat", 0.6), fact("c", "User has a piano", 0.9))
			b.detect(3, fact("new", "User has a garden", test.confidence))
			require.Equal(t, test.want, b.states(3))
			require.Empty(t, b.pairs)
		})
	}
}

func TestExpiredMemoriesTakeNoRoom(t *testing.T) {
	t.Parallel()
	b := newBook(atMost(1))
	b.detect(1, fact("a", "User has a cat", 0.9))
	b.detect(1+week, fact("b", "User has a boat", 0.1))
	require.Equal(t, map[string]string{"a": "expired", "b": "pending"}, b.states(1+week))
}

func requireError(t *testing.T, err error, code string, fields ...string) {
	t.Helper()
	var known *fault.Error
	require.ErrorAs(t, err, &known)
	require.Equal(t, code, known.Code, known)
	require.ElementsMatch(t, fields, known.Fields, known)
}
