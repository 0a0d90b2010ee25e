package test_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// A page that is loaded while an answer is written runs the lines of docs/streams.md: nothing is shown twice, and what the
// history gives is enough to stop the answer.
func TestAReloadedPageGoesOnReading(t *testing.T) {
	t.Parallel()
	lines := guideCode(t, "streams.md", "js")[2]
	require.Contains(t, lines, "resumeStream(chatId, {")
	model := test.NewModel(t)
	answer := pace(model, "slow", "one ", "two ", "three")
	service := suite.Service(t, model.Env()...)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config(t, "ada"))
	reload := func() {
		p.Do(`
			const first = kit.deferred();
			sdk.sendMessageStream("slow", { onStart: ({ chat_id }) => { globalThis.chatId = chat_id; }, onChunk: first.resolve }).catch(() => {});
			await first.promise;
			sdk.close();
			globalThis.sdk = new ChatSDK(config);`)
	}
	reload()
	p.Do(`globalThis.shown = (async () => { ` + lines + `; return messages.map(({ content }) => content); })()`)
	close(answer.gates[1])
	close(answer.gates[2])
	require.Equal(t, []string{"slow", "one two three"}, test.Eval[[]string](p, `return shown`))

	model.On("slow", func(a *test.Answer) { a.Text("one ").Wait(nil) })
	reload()
	p.Do(`
		const { messages } = await sdk.getChatHistory(chatId);
		const { stream_id: streamId } = messages.find(({ role, finish_reason }) => role === "assistant" && !finish_reason);
		const { stopped, message } = await sdk.stop({ streamId });
		if (!stopped || message.content !== "one ") throw new Error(message.content);`)
	require.False(t, strings.Contains(lines, "messageId"), "the lines need the chat alone")
}
