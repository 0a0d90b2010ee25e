package test_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// signIn gives a page an SDK that acts for a user, or for an administrator.
func signIn(t *testing.T, service *test.Service, user, role string) *test.Page {
	t.Helper()
	p := suite.Page(t, service.URL+test.ScriptPage)
	p.Do(`
		const answer = await fetch("/demo/token", {
			method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ user_id: $1, role: $2 }),
		});
		const { access_token, project_id } = await answer.json();
		globalThis.sdk = new ChatSDK({ baseUrl: location.origin, projectId: project_id, accessToken: access_token });`, user, role)
	return p
}

// pendingMemory is what a reviewer sees of a memory.
type pendingMemory struct {
	ID      string `json:"id"`
	User    string `json:"user_id"`
	Type    string `json:"memory_type"`
	Content string `json:"memory_content"`
	Words   string `json:"words"`
}

// A user says something about themselves, a reviewer approves one of two memories, and the next
// chat of that user has it. No other user's chat has it.
func TestAMemoryIsUsedOnceItIsApproved(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	ana, bob, reviewer := signIn(t, service, "ana", "user"), signIn(t, service, "bob", "user"), signIn(t, service, "rita", "admin")
	reviewer.Do(`await sdk.updateMemorySettings("assistant", { memoryEnabled: true })`)
	ana.Do(`await sdk.sendMessage("I prefer short answers, and I work at a hospital.")`)

	pending := test.Eval[[]pendingMemory](reviewer, `
		let list;
		do {
			list = await sdk.listPendingMemories({ agentId: "assistant" });
		} while (list.total < 2);
		return list.approvals.map((m) => ({ ...m, words: m.triggering_message.slice(m.span.start, m.span.end) }))
			.sort((a, b) => (a.memory_type < b.memory_type ? -1 : 1));`)
	require.Len(t, pending, 2)
	require.Equal(t, pendingMemory{ID: pending[0].ID, User: "ana", Type: "fact", Content: "User works at a hospital", Words: "I work at a hospital"}, pending[0])
	require.Equal(t, pendingMemory{ID: pending[1].ID, User: "ana", Type: "preference", Content: "User prefers short answers", Words: "I prefer short answers"}, pending[1])
	require.Empty(t, memoryIDs(ana), "nothing is used before it is approved")

	approved := test.Eval[struct {
		Memory     struct{ Status string } `json:"memory"`
		Superseded []string                `json:"superseded"`
	}](reviewer, `return await sdk.approveMemory($1)`, pending[0].ID)
	require.Equal(t, "approved", approved.Memory.Status)
	require.Empty(t, approved.Superseded)
	require.Equal(t, 409, test.Eval[int](reviewer, `return await sdk.approveMemory($1).then(() => 200, (error) => error.status)`, pending[0].ID))

	require.Equal(t, []string{pending[0].ID}, memoryIDs(ana))
	require.Empty(t, memoryIDs(bob))
	require.Equal(t, 403, test.Eval[int](bob, `return await sdk.listUserMemories("assistant", "ana").then(() => 200, (error) => error.status)`))
	require.Equal(t, 404, test.Eval[int](bob, `return await sdk.deleteMemory($1).then(() => 200, (error) => error.status)`, pending[0].ID))

	ana.Do(`await sdk.deleteMemory($1)`, pending[0].ID)
	require.Empty(t, memoryIDs(ana))
	detection := map[string]any{"detector": "embedded", "waiting": 0.0}
	require.Equal(t, map[string]any{"total": 1.0, "approved": 0.0, "pending": 1.0, "rejected": 0.0, "superseded": 0.0, "users": 1.0, "detection": detection},
		test.Eval[map[string]any](reviewer, `return await sdk.getMemoryStats("assistant")`))
}

// memoryIDs are the memories in the prompt of a new chat.
func memoryIDs(p *test.Page) []string {
	return test.Eval[[]string](p, `return (await sdk.sendMessage("What is new?")).message.memory_ids ?? []`)
}
