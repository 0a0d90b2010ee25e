package test_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// A team reviews a user's memories: an approval that edits, memories written by hand, many
// decisions at once, the origin and the answers of a memory, and what was deleted.
func TestATeamReviewsMemories(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	ana, reviewer := signIn(t, service, "ana", "user"), signIn(t, service, "rita", "admin")
	reviewer.Do(`await sdk.updateMemorySettings("assistant", { memoryEnabled: true })`)
	chat := test.Eval[string](ana, `return (await sdk.sendMessage("I work at a hospital. I have two cats.")).chat_id`)
	type memory struct {
		ID        string `json:"id"`
		Content   string `json:"memory_content"`
		Original  string `json:"original_content"`
		Status    string `json:"status"`
		DecidedBy string `json:"decided_by"`
		EditedBy  string `json:"edited_by"`
		Origin    string `json:"origin"`
		WaitsFor  string `json:"waits_for"`
		Source    string `json:"source_message_id"`
	}
	found := test.Eval[[]memory](reviewer, `
		let page;
		do {
			page = await sdk.memoriesOfSource("assistant", { chatId: $1 });
		} while (page.total_memories < 2);
		return page.memories_by_user.ana;`, chat)
	require.Len(t, found, 2)
	require.Equal(t, []string{"user", "review"}, []string{found[0].Origin, found[0].WaitsFor})
	require.Equal(t, 2, test.Eval[int](reviewer, `return (await sdk.memoriesOfSource("assistant", { messageId: $1 })).total_memories`, found[0].Source))

	edited := test.Eval[memory](reviewer, `return (await sdk.approveMemory($1, { memoryContent: "User is a nurse" })).memory`, found[0].ID)
	require.Equal(t, memory{
		ID: found[0].ID, Content: "User is a nurse", Original: found[0].Content, Status: "approved", DecidedBy: "rita", EditedBy: "rita",
		Origin: "user", WaitsFor: "review", Source: found[0].Source,
	}, edited)
	byHand := test.Eval[memory](reviewer, `return await sdk.createMemory("assistant", "ana", { memoryContent: "User rows", memoryType: "fact" })`)
	require.Equal(t, memory{ID: byHand.ID, Content: "User rows", Status: "approved", DecidedBy: "rita", Origin: "administrator"}, byHand)
	byHand = test.Eval[memory](reviewer, `return await sdk.updateMemory($1, { memoryContent: "User rows on Sundays", memoryType: "fact" })`, byHand.ID)
	require.Equal(t, []string{"User rows on Sundays", "User rows", "rita"}, []string{byHand.Content, byHand.Original, byHand.EditedBy})
	require.Equal(t, 403, test.Eval[int](ana, `
		return await sdk.createMemory("assistant", "ana", { memoryContent: "User sails", memoryType: "fact" }).then(() => 200, (error) => error.status)`))

	require.Equal(t, []any{200.0, 409.0, 404.0}, test.Eval[[]any](reviewer, `
		const { results } = await sdk.decideMemories({ action: "reject", memoryIds: [$1, $2, "mem_nobody"] });
		return results.map((one) => one.status);`, found[1].ID, found[0].ID))

	require.ElementsMatch(t, []string{found[0].ID, byHand.ID}, memoryIDs(ana))
	answers := test.Eval[[]map[string]string](reviewer, `return (await sdk.answersOfMemory($1)).answers`, byHand.ID)
	require.Len(t, answers, 1)
	room := test.Eval[map[string]int](reviewer, `return (await sdk.getMemoryStats("assistant", { userId: "ana" })).room`)
	require.Positive(t, room["used_bytes"])
	require.Greater(t, room["room_bytes"], room["used_bytes"])
	require.Zero(t, room["left_out"])

	ana.Do(`await sdk.deleteChat($1)`, answers[0]["chat_id"])
	require.Empty(t, test.Eval[[]map[string]string](reviewer, `return (await sdk.answersOfMemory($1)).answers`, byHand.ID), "the link is deleted with the chat")
	reviewer.Do(`await sdk.deleteMemory($1)`, byHand.ID)
	require.Equal(t, []any{"memory", "rita", 1.0}, test.Eval[[]any](reviewer, `
		const { erasures } = await sdk.listErasures("assistant");
		return [erasures[0].kind, erasures[0].by, erasures[0].counts.memories];`))
	require.Equal(t, 403, test.Eval[int](ana, `return await sdk.listErasures("assistant").then(() => 200, (error) => error.status)`))
}
