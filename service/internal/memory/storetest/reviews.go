package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

var reviewRules = []rule{
	{"who decided, edits and reasons are kept", keepsDetails},
	{"an edit removes earlier conflicts", editRemovesConflicts},
	{"a decision gets the memory that it asks for", handsOutTheOne},
	{"memories are found by their source", foundBySource},
	{"answers are found by a memory", findsAnswers},
}

func keepsDetails(t *testing.T, store Store) {
	one := pending(ann, "one")
	one.WaitsFor, one.CloseTo = wire.WaitsClose, []string{"other", "third"}
	byHand := approved(ann, "by hand", 150)
	byHand.Origin, byHand.DecidedBy = wire.OriginAdministrator, wire.ByAPIKey
	add(t, store, ann, one, byHand)
	require.Equal(t, []wire.Memory{byHand, one}, all(t, store))

	edited := one
	edited.Status, edited.ApprovedAt, edited.UpdatedAt, edited.ExpiresAt = wire.MemoryApproved, 200, 200, 0
	edited.MemoryContent, edited.MemoryType, edited.OriginalContent = "User has \"two\" 猫", wire.MemoryContext, one.MemoryContent
	edited.EditedBy, edited.EditedAt, edited.DecidedBy = "root", 200, "root"
	edited.Edits = []wire.MemoryEdit{{Text: one.MemoryContent, By: "bea", At: 180}, {Text: "User has \"one\" 猫", By: "root", At: 200}}
	gone := byHand
	gone.Status, gone.RejectReason, gone.RejectedAt, gone.SupersededBy = wire.MemoryRejected, wire.RejectedSuperseded, 200, "one"
	change(t, store, ann, memory.Changes{Updated: []wire.Memory{edited, gone}})
	require.Equal(t, []wire.Memory{gone, edited}, all(t, store))
}

func editRemovesConflicts(t *testing.T, store Store) {
	add(t, store, ann, approved(ann, "lyon", 150), approved(ann, "nice", 150))
	change(t, store, ann, memory.Changes{Added: []wire.Memory{pending(ann, "paris")}, Conflicts: [][2]string{{"paris", "lyon"}}})
	require.Equal(t, map[string][]string{"paris": {"lyon"}}, conflicts(t, store))
	change(t, store, ann, memory.Changes{Edited: []string{"paris"}, Conflicts: [][2]string{{"paris", "nice"}}})
	require.Equal(t, map[string][]string{"paris": {"nice"}}, conflicts(t, store))
	change(t, store, ann, memory.Changes{Edited: []string{"nice"}})
	require.Empty(t, conflicts(t, store))
}

func handsOutTheOne(t *testing.T, store Store) {
	add(t, store, ann, rejected(ann, "gone", wire.RejectedSuperseded), pending(ann, "p"))
	add(t, store, bob, rejected(bob, "his", wire.RejectedSuperseded))
	for id, want := range map[string][]string{"": {"p"}, "p": {"p"}, "gone": {"p", "gone"}, "his": {"p"}, "nobody": {"p"}} {
		require.NoError(t, store.ChangeMemories(t.Context(), ann, id, func(state memory.State) (memory.Changes, error) {
			require.Equal(t, want, ids(state.Memories), id)
			return memory.Changes{}, nil
		}))
	}
}

func foundBySource(t *testing.T, store Store) {
	two := turn("c1", "two")
	two.NewChat = nil
	begin(t, store, scopeOf(ann), turn("c1", "one"), two, turn("c2", "three"))
	add(t, store, ann, from(pending(ann, "a"), "one"), from(approved(ann, "b", 150), "two"), from(pending(ann, "c"), "three"), pending(ann, "d"))
	of := func(query memory.Query) []string { return ids(list(t, store, query)) }
	agent := []string{ann.AgentID}
	require.Equal(t, []string{"a"}, of(memory.Query{Agents: agent, MessageID: "one-q"}))
	require.Equal(t, []string{"b", "a"}, of(memory.Query{Agents: agent, ChatID: "c1"}))
	require.Equal(t, []string{"b"}, of(memory.Query{Agents: agent, ChatID: "c1", Page: memory.Page{Limit: 1}}))
	require.Equal(t, []string{"b"}, of(memory.Query{Agents: agent, UserID: "ann", Status: wire.MemoryApproved, ChatID: "c1"}))
	require.Empty(t, of(memory.Query{Agents: []string{"other"}, ChatID: "c1"}))
	require.Empty(t, of(memory.Query{ProjectID: "elsewhere", Agents: agent, MessageID: "one-q"}))
	require.Equal(t, "c1", list(t, store, memory.Query{MessageID: "one-q"})[0].SourceChatID)

	require.NoError(t, store.DeleteChat(t.Context(), scopeOf(ann), "c1", 300))
	require.Empty(t, of(memory.Query{Agents: agent, ChatID: "c1"}))
	require.Empty(t, of(memory.Query{Agents: agent, MessageID: "two-q"}), "the link is gone, and the memory stays")
	require.Equal(t, []string{"d", "c", "b"}, of(memory.Query{Agents: agent}))
}

func findsAnswers(t *testing.T, store Store) {
	answered := func(chatID, name, agent string, memories ...string) {
		one := turn(chatID, name)
		one.Answer.AgentID, one.Answer.MemoryIDs = agent, memories
		if name == "two" {
			one.NewChat = nil
		}
		begin(t, store, scopeOf(ann), one)
	}
	answered("c1", "one", "assistant", "m", "m2")
	answered("c1", "two", "assistant", "m2")
	answered("c2", "three", "assistant", "m")
	answered("c3", "four", "other", "m")
	answered("c4", "five", "assistant", "m")
	page := func(owner memory.Owner, id string, page memory.Page) ([]wire.MemoryAnswer, int64) {
		answers, next, err := store.AnswersOfMemory(t.Context(), owner, id, page)
		require.NoError(t, err)
		return answers, next
	}
	five, three, one := wire.MemoryAnswer{ChatID: "c4", MessageID: "five-a"}, wire.MemoryAnswer{ChatID: "c2", MessageID: "three-a"},
		wire.MemoryAnswer{ChatID: "c1", MessageID: "one-a"}
	answers, next := page(ann, "m", memory.Page{Limit: 2})
	require.Equal(t, []wire.MemoryAnswer{five, three}, answers)
	answers, next = page(ann, "m", memory.Page{Limit: 2, Before: next})
	require.Equal(t, []wire.MemoryAnswer{one}, answers)
	require.Zero(t, next)
	for _, owner := range []memory.Owner{bob, annAbroad} {
		answers, next = page(owner, "m", memory.Page{Limit: 2})
		require.Empty(t, answers)
		require.Zero(t, next)
	}
	require.NoError(t, store.DeleteChat(t.Context(), scopeOf(ann), "c2", 300))
	answers, _ = page(ann, "m", memory.Page{Limit: 10})
	require.Equal(t, []wire.MemoryAnswer{five, one}, answers)
}
