package test_test

import (
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// An answer of 100,000 chunks arrives complete and in order, and its proof matches the stored text.
func TestALongAnswer(t *testing.T) {
	t.Parallel()
	const chunks = 100_000
	var text strings.Builder
	for i := range chunks {
		text.WriteString(strconv.Itoa(i) + " ")
	}
	model := test.NewModel(t)
	model.On("count", func(a *test.Answer) {
		for i := range chunks {
			a.Text(strconv.Itoa(i) + " ")
		}
		a.Finish("stop")
	})
	service := suite.Service(t, model.Env()...)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	got := test.Eval[struct {
		Chunks   int      `json:"chunks"`
		InOrder  bool     `json:"inOrder"`
		Text     string   `json:"text"`
		Complete message  `json:"complete"`
		Names    []string `json:"names"`
	}](p, `
		const chunks = [];
		const names = [];
		let complete;
		await sdk.sendMessageStream("count", {
			onChunk: (chunk) => chunks.push(chunk),
			onComplete: (message) => { complete = message; names.push("onComplete"); },
			onError: (error) => names.push("onError " + error.message),
			onMessageEnd: () => names.push("onMessageEnd"),
		});
		return {
			chunks: chunks.length, text: chunks.join(""), complete, names,
			inOrder: chunks.every((chunk, i) => chunk === i + " "),
		};`)
	require.Equal(t, []string{"onComplete", "onMessageEnd"}, got.Names)
	requireSameText(t, text.String(), got.Text)
	require.Equal(t, chunks, got.Chunks)
	require.True(t, got.InOrder)
	requireSameText(t, text.String(), got.Complete.Content)
	requireSameText(t, text.String(), historyOf(p, got.Complete.ChatID).Messages[1].Content)
}

// The page reads the stream by hand, to see the proof.
func TestTheProofMatchesTheChunks(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	model.On("count", func(a *test.Answer) { a.Text("één ").Text("twee ").Text("😀").Finish("stop") })
	service := suite.Service(t, model.Env()...)
	p := suite.Page(t, service.URL+test.BlankPage)
	stream := test.Eval[string](p, `
		const body = new FormData();
		body.append("message", "count");
		body.append("project_id", $1.projectId);
		const headers = { authorization: "Bearer " + $1.accessToken, accept: "text/event-stream" };
		return (await fetch("/v3/chat/message", { method: "POST", body, headers })).text();`, service.Config(t, "ada"))
	text := "één twee 😀"
	require.Contains(t, stream, fmt.Sprintf(`"chunks":3,"bytes":%d,"crc32":"%08x"`, len(text), crc32.ChecksumIEEE([]byte(text))))
}

// Streams of one page run side by side, also in the same chat.
func TestSeveralStreamsAtOnce(t *testing.T) {
	t.Parallel()
	const streams = 5 // HTTP/1.1 allows a page six to one origin
	model := test.NewModel(t)
	gates := make([]chan struct{}, streams)
	for i := range gates {
		gates[i] = make(chan struct{})
		model.On(fmt.Sprint("question ", i), func(a *test.Answer) {
			a.Text(fmt.Sprint("begin ", i, " ")).Wait(gates[i])
			a.Text(fmt.Sprint("end ", i)).Finish("stop")
		})
	}
	service := suite.Service(t, model.Env()...)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	chatID := test.Eval[string](p, `
		const { chat_id } = await sdk.createChat("shared");
		const begun = Array.from({ length: $1 }, kit.deferred);
		globalThis.running = begun.map(({ resolve }, i) => kit.stream(sdk, "question " + i, { onChunk: resolve, chatId: chat_id }));
		await Promise.all(begun.map(({ promise }) => promise));
		return chat_id;`, streams)
	p.Do(`await sdk.listChats()`) // a call between them
	for i := range streams {
		last := streams - 1 - i
		close(gates[last])
		got := test.Eval[streamed](p, `return running[$1]`, last)
		requireCompleted(t, got)
		require.Equal(t, fmt.Sprint("begin ", last, " end ", last), got.Text)
	}
	messages := historyOf(p, chatID).Messages
	require.Len(t, messages, 2*streams)
	for i := range streams {
		require.Equal(t, messages[2*i].Content, strings.NewReplacer("begin", "question", fmt.Sprint(" end ", string(messages[2*i].Content[9])), "").Replace(messages[2*i+1].Content))
	}
}

// A page that leaves does not stop the answer: after a reload the history has the text so far, and
// later all of it.
func TestLeavingThePageDoesNotStopTheAnswer(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	gate, done := make(chan struct{}), make(chan struct{})
	model.On("hi", func(a *test.Answer) {
		defer close(done)
		a.Text("first ").Wait(gate)
		a.Text("second").Finish("stop")
	})
	service := suite.Service(t, model.Env()...)
	config := service.Config(t, "ada")
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, config)
	// Firefox fails the requests of a page that leaves while the page still runs.
	chatID := test.Eval[string](p, `
		const { chat_id } = await sdk.createChat();
		await new Promise((resolve) => { sdk.sendMessageStream("hi", { chatId: chat_id, onChunk: resolve }).catch(() => {}); });
		return chat_id;`)

	p.Open(service.URL + test.ScriptPage)
	p.Do(`globalThis.sdk = new ChatSDK($1)`, config)
	running := historyOf(p, chatID).Messages
	require.Len(t, running, 2)
	require.Equal(t, "first ", running[1].Content)
	require.Empty(t, running[1].FinishReason)
	require.NotEmpty(t, running[1].StreamID)

	close(gate)
	<-done
	finished := test.Eval[message](p, `
		for (;;) {
			const { messages } = await sdk.getChatHistory($1);
			if (messages[1].finish_reason) return messages[1];
		}`, chatID)
	require.Equal(t, "first second", finished.Content)
	require.Equal(t, "stop", finished.FinishReason)
	require.Empty(t, finished.StreamID)
}

// Chunks are passed on when they arrive, not when the answer is complete.
func TestChunksComeWhenTheyAreWritten(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	gates := []chan struct{}{make(chan struct{}), make(chan struct{})}
	model.On("hi", func(a *test.Answer) {
		a.Text("one").Wait(gates[0])
		a.Text("two").Wait(gates[1])
		a.Finish("stop")
	})
	service := suite.Service(t, model.Env()...)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config(t, "ada"))
	p.Do(`
		globalThis.came = [kit.deferred(), kit.deferred()];
		let n = 0;
		globalThis.stream = kit.stream(sdk, "hi", { onChunk: (chunk) => came[n++].resolve(chunk) });`)
	for i, want := range []string{"one", "two"} {
		require.Equal(t, want, test.Eval[string](p, `return came[$1].promise`, i))
		close(gates[i])
	}
	requireCompleted(t, test.Eval[streamed](p, `return stream`))
}

// The page stays usable while a long answer arrives.
func TestAPageIsNotBlocked(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	gate := make(chan struct{})
	model.On("hi", func(a *test.Answer) { a.Text("one").Wait(gate); a.Finish("stop") })
	service := suite.Service(t, model.Env()...)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	p.Do(`await new Promise((resolve) => { globalThis.stream = kit.stream(sdk, "hi", { onChunk: resolve }); })`)
	p.Do(`await new Promise((resolve) => setTimeout(resolve)); await new Promise(requestAnimationFrame)`)
	close(gate)
	requireCompleted(t, test.Eval[streamed](p, `return stream`))
}
