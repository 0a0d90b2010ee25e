package test_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// Every callback that the built-in agent causes: it says what it looks up, returns what it quotes,
// and the first exchange names the chat.
func TestEveryCallback(t *testing.T) {
	t.Parallel()
	everyPage(t, func(t *testing.T, path string) {
		service := suite.Service(t)
		p := suite.SDKPage(t, service.Origin, path, service.Config(t, "ada"))
		chatID := test.Eval[string](p, `return (await sdk.createChat()).chat_id`)

		first := test.Eval[streamed](p, `return kit.stream(sdk, "My name is Ada.", {chatId: $1})`, chatID)
		require.Equal(t, "resolved", first.Outcome)
		require.Equal(t, []string{"onChatNameUpdate", "onComplete", "onMessageEnd"}, first.Names[len(first.Names)-3:])
		require.Equal(t, "My name is Ada.", heardAs[string](t, first, len(first.Names)-3))
		complete := heardAs[message](t, first, len(first.Names)-2)
		require.Equal(t, chatID, complete.ChatID)
		require.Equal(t, first.Text, complete.Content)
		require.Equal(t, "stop", complete.FinishReason)
		requireHeardNothing(t, first, len(first.Names)-1)

		second := test.Eval[streamed](p, `return kit.stream(sdk, "What is my name?", {chatId: $1})`, chatID)
		require.Equal(t, "onDocumentChunk", second.Names[0])
		require.NotEmpty(t, heardAs[string](t, second, 0))
		require.Equal(t, "onMessageObject", second.Names[1])
		object := heardAs[struct {
			Quotes []struct {
				Text string `json:"text"`
			} `json:"quotes"`
		}](t, second, 1)
		require.Len(t, object.Quotes, 1)
		require.Contains(t, object.Quotes[0].Text, "Ada")
		require.Equal(t, "onChunk", second.Names[2])
		require.NotEmpty(t, heardAs[string](t, second, 2))
		require.Contains(t, second.Text, "Ada")
		require.NotContains(t, second.Names, "onChatNameUpdate", "the chat has its name")
		require.NotContains(t, second.Names, "onError")
		require.Equal(t, 1, count(second.Names, "onComplete"))
		require.Equal(t, 1, count(second.Names, "onMessageEnd"))

		got := historyOf(p, chatID)
		require.Equal(t, "My name is Ada.", got.Name)
		require.Equal(t, second.Text, got.Messages[3].Content)
	})
}

// requireHeardNothing checks that callback number i got no value.
func requireHeardNothing(t *testing.T, s streamed, i int) {
	t.Helper()
	for _, value := range s.Heard[i][1:] {
		require.Equal(t, json.RawMessage("null"), value)
	}
}

func count(names []string, name string) int {
	n := 0
	for _, one := range names {
		if one == name {
			n++
		}
	}
	return n
}

// scripted is a service whose answer has every event.
func scripted(t *testing.T) *test.Fake {
	return suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		test.NewStream(w).
			Event("document_chunk", map[string]any{"text": "looking"}).
			Chunk("He").
			Event("message_object", map[string]any{"image_urls": []string{"/a.png"}}).
			Chunk("llo").
			Event("of_a_later_version", map[string]any{"text": "?"}).
			Event("chat_name", map[string]any{"name": "Greeting"}).
			Complete()
	})
}

func TestCallbacksComeInOrder(t *testing.T) {
	t.Parallel()
	everyPage(t, func(t *testing.T, path string) {
		service := scripted(t)
		p := suite.SDKPage(t, service.Origin, path, service.Config())
		got := test.Eval[streamed](p, `return kit.stream(sdk, "hi")`)
		require.Equal(t, []string{
			"onDocumentChunk", "onChunk", "onMessageObject", "onChunk", "onChatNameUpdate", "onComplete", "onMessageEnd",
		}, got.Names)
		require.Equal(t, "looking", heardAs[string](t, got, 0))
		require.Equal(t, "He", heardAs[string](t, got, 1))
		require.Equal(t, map[string]any{"image_urls": []any{service.URL + "/a.png"}}, heardAs[map[string]any](t, got, 2))
		require.Equal(t, "Greeting", heardAs[string](t, got, 4))
		require.Equal(t, "Hello", heardAs[message](t, got, 5).Content)
	})
}

func TestCallbacksMayBeLeftOut(t *testing.T) {
	t.Parallel()
	service := scripted(t)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	require.Nil(t, test.Eval[any](p, `return sdk.sendMessageStream("hi")`))
	require.Nil(t, test.Eval[any](p, `return sdk.sendMessageStream("hi", {})`))
	require.Nil(t, test.Eval[any](p, `return sdk.sendMessageStream("hi", {onChunk: undefined, onComplete: null})`))
}

// An error that a callback throws is reported as an uncaught error, and later events are still
// delivered.
func TestACallbackThatThrowsEndsNothing(t *testing.T) {
	t.Parallel()
	everyPage(t, func(t *testing.T, path string) {
		service := scripted(t)
		p := suite.SDKPage(t, service.Origin, path, service.Config())
		all := []string{"onDocumentChunk", "onChunk", "onMessageObject", "onChatNameUpdate", "onComplete", "onMessageEnd"}
		got := test.Eval[streamed](p, `
			const throwing = Object.fromEntries($1.map((name) => [name, () => { throw new Error("thrown by " + name); }]));
			return kit.stream(sdk, "hi", throwing);`, all)
		require.Equal(t, "resolved", got.Outcome)
		require.Equal(t, []string{
			"onDocumentChunk", "onChunk", "onMessageObject", "onChunk", "onChatNameUpdate", "onComplete", "onMessageEnd",
		}, got.Names)
		for _, name := range all {
			p.Expect("uncaught: Uncaught Error: thrown by " + name)
		}
		require.Len(t, p.Errors(), len(all)+1, "two chunks came")
	})
}

func TestAnErrorCallbackThatThrowsEndsNothing(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) { test.Reply(w, 500, "text/plain", "") })
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	got := test.Eval[streamed](p, `return kit.stream(sdk, "hi", {onError() { throw "a text" }, onMessageEnd() { throw undefined }})`)
	require.Equal(t, "resolved", got.Outcome)
	require.Equal(t, []string{"onError", "onMessageEnd"}, got.Names)
	p.Expect("a text")
	require.Len(t, p.Errors(), 2)
	p.Expect("uncaught: Uncaught")
}

func TestACallbackMayCallTheSDK(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	got := test.Eval[map[string]any](p, `
		const inner = kit.deferred();
		const outer = await kit.stream(sdk, "outer", {
			onChunk: () => kit.stream(sdk, "inner").then(inner.resolve, inner.reject),
			onComplete: (message) => sdk.sendFeedback(message.id, message.chat_id, true).catch(inner.reject),
		});
		return { outer: outer.text, inner: (await inner.promise).text };`)
	require.Equal(t, map[string]any{"outer": "outer", "inner": "inner"}, got)
}
