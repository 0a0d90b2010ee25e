package test_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// However many chunks arrive, there is one rendering a frame, and the messages above do not render
// again.
func TestReactRendersOnceAFrame(t *testing.T) {
	t.Parallel()
	const chunks = 5_000
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/all") {
			test.Reply(w, 200, "application/json", `{"id":"c1","chat_id":"c1","name":"n","created_at":1,"messages":[
				{"id":"a","chat_id":"c1","role":"user","content":"before","created_at":1}]}`)
			return
		}
		stream := test.NewStream(w)
		for i := range chunks {
			stream.Chunk(fmt.Sprint(i, " "))
		}
		stream.Complete()
	})
	p := reactPage(t, service.Origin, service.Config())
	show(p, map[string]any{"chatId": "c1"})
	hasStatus(p, "ready")
	got := test.Eval[struct {
		Renders, Frames, Length int
		Rows                    []int
	}](p, `
		let frames = 0;
		const tick = () => { frames++; requestAnimationFrame(tick); };
		requestAnimationFrame(tick);
		const before = kit.react.renders;
		const { content } = await chat.send("go");
		await new Promise(requestAnimationFrame);
		return {
			renders: kit.react.renders - before, frames, length: content.split(" ").length - 1,
			rows: [...document.querySelectorAll("li")].map((row) => Number(row.dataset.renders)),
		};`)
	t.Logf("%d renders in %d frames of %d chunks", got.Renders, got.Frames, chunks)
	require.Equal(t, chunks, got.Length)
	// In addition to one for each frame, there is one when the message is sent, and one at the end.
	require.LessOrEqual(t, got.Renders, got.Frames+2)
	require.Len(t, got.Rows, 3)
	require.Equal(t, 2, got.Rows[0], "once, and once more for StrictMode")
}

// A hidden page has no frames.
func TestReactRendersInAHiddenPage(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	answer := pace(model, "slow", "one ", "two ", "three")
	service := suite.Service(t, model.Env()...)
	p := reactPage(t, service.Origin, service.Config(t, "ada"))
	show(p, map[string]any{})
	p.Do(`
		globalThis.requestAnimationFrame = () => 1;
		chat.send("slow");`)
	p.Do(`await new Promise((resolve) => {
		// The page becomes hidden after it requested a frame, which it does not get.
		Object.defineProperty(document, "hidden", { get: () => { resolve(); return false; }, configurable: true });
	})`)
	p.Do(`Object.defineProperty(document, "hidden", { value: true })`)
	close(answer.gates[1])
	lastIs(p, "writing", "one two ")
	close(answer.gates[2])
	lastIs(p, "stop", "one two three")
}

// Structured data of an answer is in its message while it is written.
func TestReactShowsSources(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		stream := test.NewStream(w).
			Event("document_chunk", map[string]any{"text": "looking"}).
			Event("message_object", map[string]any{"sources": []any{map[string]any{"title": "Cats"}}}).
			Event("message_object", map[string]any{"sources": []any{5}, "image_urls": []any{map[string]any{}}}) // a provider's own
		<-gate
		stream.Chunk("They purr.")
		<-gate
		stream.CompleteWith(map[string]any{"message": test.Answered("They purr.")})
	})
	p := reactPage(t, service.Origin, service.Config())
	show(p, map[string]any{})
	hasStatus(p, "ready")
	p.Do(`void chat.send("cats")`)
	p.Until(`document.querySelector("main").dataset.activity === "looking"`)
	require.Equal(t, []string{"sent cats"}, rows(p))
	gate <- struct{}{}
	lastIs(p, "writing", "They purr.")
	p.Until(`!document.querySelector("main").dataset.activity`)
	require.Equal(t, "Cats", test.Eval[string](p, `return chat.messages[1].sources[0].title`))
	gate <- struct{}{}
	hasStatus(p, "ready")
}

// What a server rendered is used first, and then loaded.
func TestReactHydrates(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := reactPage(t, service.Origin, service.Config(t, "ada"))
	chatID := newChat(p, "hello")
	before := len(service.Calls())
	messages := test.Eval[string](p, `return JSON.stringify((await sdk.getChatHistory($1)).messages)`, chatID)
	html := test.Eval[string](p, `
		const messages = JSON.parse($2); // as they come from a server
		return kit.react.hydrate({ chatId: $1, initialMessages: messages });`, chatID, messages)
	require.Contains(t, html, "hello</li>")
	require.Contains(t, html, `data-status="loading"`)
	hasStatus(p, "ready")
	require.Equal(t, []string{"sent hello", "stop hello"}, rows(p))
	require.Equal(t, 2, len(service.Calls())-before)
	require.Equal(t, 1, test.Eval[int](p, `return document.querySelectorAll("main").length`))
}

// The callbacks of the last rendering are called.
func TestReactCallbacks(t *testing.T) {
	t.Parallel()
	service := scripted(t)
	p := reactPage(t, service.Origin, service.Config())
	p.Do(`
		globalThis.heard = [];
		globalThis.told = (n) => ({
			onFinish: ({ content }) => heard.push(n + " onFinish " + content),
			onError: ({ status }) => heard.push(n + " onError " + status),
			onMessageObject: (object) => heard.push(n + " onMessageObject " + Object.keys(object)),
		});`)
	for i := range 2 {
		p.Do(`
			const before = kit.react.renders;
			kit.react.show(told($1));
			while (kit.react.renders === before) await new Promise(requestAnimationFrame);`, i)
	}
	p.Do(`await chat.send("hi")`)
	service.Play(func(w http.ResponseWriter, r *http.Request) { test.Reply(w, 500, "text/plain", "") })
	p.Do(`await chat.send("hi")`)
	require.Equal(t, []string{"1 onMessageObject image_urls", "1 onFinish Hello", "1 onError 500"}, test.Eval[[]string](p, `return heard`))
}

// Without an SDK it says so.
func TestReactNeedsAnSDK(t *testing.T) {
	t.Parallel()
	service := scripted(t)
	p := reactPage(t, service.Origin, service.Config())
	require.Equal(t, []string{
		"useChat: sdk is missing, want one made outside the component", "useChat: sdk is not a ChatSDK, want one made outside the component",
	}, test.Eval[[]string](p, `
		const said = [];
		for (const options of [{}, { sdk: {} }]) try { kit.react.useChat(options); } catch (error) { said.push(error.message); }
		return said;`))
}
