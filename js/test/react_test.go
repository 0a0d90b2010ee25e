package test_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// reactBundles are pages/react.mjs with the React of an npm folder, each built once.
var reactBundles = struct {
	sync.Mutex
	scripts map[string][]byte
}{scripts: map[string][]byte{}}

// The supported versions of React: the latest and the oldest.
const (
	react   = "node_modules"
	react18 = "js/test/react-18/node_modules"
)

// reactPage opens a page with React, the hook and an SDK of config. In it
// kit.react.show shows a chat in StrictMode.
func reactPage(t *testing.T, origin *test.Origin, config test.Config) *test.Page {
	t.Helper()
	return reactPageOf(t, react, origin, config)
}

func reactPageOf(t *testing.T, packages string, origin *test.Origin, config test.Config) *test.Page {
	t.Helper()
	origin.Script("/test/react.js", reactBundle(t, packages))
	p := suite.Page(t, origin.URL+test.ModulePage)
	startReact(p, config)
	return p
}

func reactBundle(t *testing.T, packages string) []byte {
	t.Helper()
	reactBundles.Lock()
	defer reactBundles.Unlock()
	if reactBundles.scripts[packages] == nil {
		require.FileExists(t, suite.File(packages+"/react/package.json"), "make test-browser installs it")
		reactBundles.scripts[packages] = suite.Bundle(t, "js/test/pages/react.mjs", "--format=esm", `--define:process.env.NODE_ENV="development"`,
			"--alias:react=./"+packages+"/react", "--alias:react-dom=./"+packages+"/react-dom")
	}
	return reactBundles.scripts[packages]
}

func startReact(p *test.Page, config test.Config) {
	p.Do(`await import("/test/react.js"); globalThis.sdk = new ChatSDK($1)`, config)
}

// show shows a chat with options of useChat.
func show(p *test.Page, options map[string]any) { p.Do(`kit.react.show($1)`, options) }

// hasStatus waits for a status of the chat.
func hasStatus(p *test.Page, status string) {
	p.Until(`document.querySelector("main")?.dataset.status === $1`, status)
}

// lastIs waits until the last message has a state and a text.
func lastIs(p *test.Page, state, text string) {
	p.Until(`((last) => last?.dataset.state === $1 && last.textContent === $2)([...document.querySelectorAll("li")].at(-1))`, state, text)
}

// rows returns the messages as they are shown: "state text".
func rows(p *test.Page) []string {
	return test.Eval[[]string](p, `return [...document.querySelectorAll("li")].map((row) => row.dataset.state + " " + row.textContent)`)
}

// newChat creates a chat with a first exchange.
func newChat(p *test.Page, question string) string {
	return test.Eval[string](p, `
		const { chat_id } = await sdk.createChat();
		await sdk.sendMessage($1, { chatId: chat_id });
		return chat_id;`, question)
}

// asked counts the requests for histories and for streams after the first n requests.
func asked(service *test.Service, n int) (histories, streams int) {
	for _, call := range service.Calls()[n:] {
		if strings.HasSuffix(call, "/all") {
			histories++
		}
		if strings.Contains(call, "/chat/stream/") {
			streams++
		}
	}
	return histories, streams
}

func TestReactSendsAMessage(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	answer := pace(model, "Hello there", "It begins ", "and ends.")
	service := suite.Service(t, model.Env()...)
	p := reactPage(t, service.Origin, service.Config(t, "ada"))
	show(p, map[string]any{})
	hasStatus(p, "ready")
	require.Equal(t, []string{"POST /demo/token"}, service.Calls(), "a new chat requests nothing")

	p.Do(`
		globalThis.sent = chat.send("Hello there");
		globalThis.error = await kit.failure(() => chat.send("me too"));`)
	require.Contains(t, test.Eval[string](p, `return error.message`), `useChat: send: status is "submitted", want "ready", "waiting" or "error"`)
	p.Until(`document.querySelector("li")?.textContent === "Hello there"`)
	keys := test.Eval[[]string](p, `return [...document.querySelectorAll("li")].map((row) => row.dataset.key)`)
	lastIs(p, "writing", "It begins ")
	hasStatus(p, "streaming")
	require.Contains(t, test.Eval[string](p, `return (await kit.failure(chat.send("now?"))).message`), `status is "streaming"`)
	require.Contains(t, test.Eval[string](p, `return (await kit.failure(chat.regenerate())).message`), `regenerate: status is "streaming"`)

	close(answer.gates[1])
	lastIs(p, "stop", "It begins and ends.")
	hasStatus(p, "ready")
	got := test.Eval[map[string]any](p, `
		const { id, content } = await sent;
		return { id, content, chatId: chat.chatId, name: chat.chatName, ids: chat.messages.map(({ id }) => id), key: chat.messages[0].key };`)
	stored := historyOf(p, got["chatId"].(string))
	require.Equal(t, map[string]any{
		"id": stored.Messages[1].ID, "content": "It begins and ends.", "chatId": stored.ChatID, "name": "Hello there",
		"ids": []any{stored.Messages[0].ID, stored.Messages[1].ID}, "key": keys[0],
	}, got)
	require.Equal(t, int32(1), answer.asked.Load())

	// The page puts the id into its address, and so into the options: it is the same chat, and nothing
	// is requested again.
	before := len(service.Calls())
	p.Do(`kit.react.show({ chatId: chat.chatId })`)
	p.Do(`await chat.send("and this")`)
	lastIs(p, "stop", "and this")
	histories, _ := asked(service, before)
	require.Zero(t, histories)
	require.Len(t, rows(p), 4)
	p.Do(`kit.react.show({})`)
	p.Until(`!document.querySelector("li") && chat.chatId === undefined`)
}

// StrictMode mounts, unmounts and mounts: the history is requested once, and one stream is opened.
func TestReactOpensOneStreamInStrictMode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, packages, version string }{{"React 19", react, "19."}, {"React 18", react18, "18."}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			requireOneStream(t, tt.packages, tt.version)
		})
	}
}

func requireOneStream(t *testing.T, packages, version string) {
	t.Helper()
	model := test.NewModel(t)
	answer := pace(model, "slow", "one ", "two")
	service := suite.Service(t, model.Env()...)
	config := service.Config(t, "ada")
	p := reactPageOf(t, packages, service.Origin, config)
	require.True(t, strings.HasPrefix(test.Eval[string](p, `return kit.react.version`), version))
	chatID := newChat(p, "hello")
	before := len(service.Calls())
	p.Do(`
		globalThis.statuses = new Set();
		new MutationObserver(() => statuses.add(document.querySelector("main")?.dataset.status)).observe(document, { subtree: true, childList: true, attributes: true })`)
	show(p, map[string]any{"chatId": chatID})
	p.Until(`!!document.querySelector("li")`)
	hasStatus(p, "ready")
	require.True(t, test.Eval[bool](p, `return statuses.has("loading")`))
	require.Equal(t, []string{"sent hello", "stop hello"}, rows(p))
	require.Equal(t, 1, len(service.Calls())-before)

	p.Do(`chat.send("slow")`)
	lastIs(p, "writing", "one ")
	before = len(service.Calls())
	p.Reload()
	startReact(p, config)
	show(p, map[string]any{"chatId": chatID})
	lastIs(p, "writing", "one ")
	hasStatus(p, "streaming")
	require.Eventually(t, func() bool { _, streams := asked(service, before); return streams > 0 }, time.Minute, time.Millisecond)
	close(answer.gates[1])
	lastIs(p, "stop", "one two")
	hasStatus(p, "ready")
	histories, streams := asked(service, before)
	require.Equal(t, []int{1, 1}, []int{histories, streams}, "resumeStream requests only the one message")
	require.Len(t, rows(p), 4)
	require.Equal(t, int32(1), answer.asked.Load())
}

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

func TestReactStopsAnAnswer(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	service := suite.Service(t, model.Env()...)
	config := service.Config(t, "ada")
	p := reactPage(t, service.Origin, config)
	chatID := newChat(p, "hello")
	show(p, map[string]any{"chatId": chatID})
	hasStatus(p, "ready")
	for _, how := range []struct{ name, begin string }{
		{"that was sent", `globalThis.sent = chat.send("slow")`},
		{"that is regenerated", `globalThis.sent = chat.regenerate()`},
	} {
		answer := pace(model, "slow", "one ", "two")
		p.Do(how.begin)
		lastIs(p, "writing", "one ")
		p.Do(`await chat.stop()`)
		<-answer.left
		lastIs(p, "stopped", "one ")
		hasStatus(p, "ready")
		require.Equal(t, "stopped one ", test.Eval[string](p, `const { finish_reason, content } = await sent; return finish_reason + " " + content`), how.name)
		require.Len(t, rows(p), 4, how.name)
	}

	answer := pace(model, "slow", "one ", "two")
	p.Do(`chat.regenerate()`)
	lastIs(p, "writing", "one ")
	p.Reload()
	startReact(p, config)
	show(p, map[string]any{"chatId": chatID})
	lastIs(p, "writing", "one ")
	p.Do(`await chat.stop(); await chat.stop()`)
	<-answer.left
	lastIs(p, "stopped", "one ")
	hasStatus(p, "ready")
	require.Equal(t, []string{"sent hello", "stop hello", "sent slow", "stopped one "}, rows(p))
	stored := historyOf(p, chatID).Messages
	require.Equal(t, []string{"one ", "stopped"}, []string{stored[3].Content, stored[3].FinishReason})
}

// A message that never reached the service is put back.
func TestReactStopsAMessageBeforeItIsSent(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := reactPage(t, service.Origin, service.Config(t, "ada"))
	show(p, map[string]any{})
	hasStatus(p, "ready")
	require.Nil(t, test.Eval[any](p, `
		const sent = chat.send("no");
		await chat.stop();
		return sent;`))
	hasStatus(p, "ready")
	require.Empty(t, rows(p))
	require.Zero(t, count(service.Calls(), "POST /v3/chat/message"))
}

func TestReactRegeneratesAnAnswer(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	service := suite.Service(t, model.Env()...)
	p := reactPage(t, service.Origin, service.Config(t, "ada"))
	model.On("why?", func(a *test.Answer) { a.Text("the old").Finish("stop") })
	show(p, map[string]any{})
	hasStatus(p, "ready")
	require.Contains(t, test.Eval[string](p, `return (await kit.failure(chat.regenerate())).message`), "is not an answer")
	p.Do(`await chat.send("why?")`)
	lastIs(p, "stop", "the old")
	key := test.Eval[string](p, `return chat.messages[1].key`)

	gate := make(chan struct{})
	model.On("why?", func(a *test.Answer) {
		a.Wait(gate)
		a.Text("half").Cut()
	})
	p.Do(`globalThis.again = chat.regenerate()`)
	hasStatus(p, "submitted")
	lastIs(p, "stop", "the old")
	close(gate)
	hasStatus(p, "error")
	lastIs(p, "stop", "the old")
	require.Nil(t, test.Eval[any](p, `return again`))

	answer := pace(model, "why?", "the ", "new")
	p.Do(`globalThis.again = chat.retry()`)
	lastIs(p, "writing", "the ")
	close(answer.gates[1])
	lastIs(p, "stop", "the new")
	require.Equal(t, []any{"the new", key, 2.0}, test.Eval[[]any](p, `return [(await again).content, chat.messages[1].key, chat.messages.length]`))
	require.Equal(t, test.Eval[string](p, `return chat.messages[1].id`), historyOf(p, test.Eval[string](p, `return chat.chatId`)).Messages[1].ID)
}

// A question goes to the branch that its user reads, even if the chat's path has changed.
func TestReactSendsAQuestionToTheBranchThatIsRead(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	service := suite.Service(t, model.Env()...)
	p := reactPage(t, service.Origin, service.Config(t, "ada"))
	model.On("one?", func(a *test.Answer) { a.Text("one").Finish("stop") })
	model.On("uno?", func(a *test.Answer) { a.Text("uno").Finish("stop") })
	model.On("two?", func(a *test.Answer) { a.Text("two").Finish("stop") })
	show(p, map[string]any{})
	hasStatus(p, "ready")
	p.Do(`await chat.send("one?")`)
	chatID := test.Eval[string](p, `return chat.chatId`)
	p.Do(`
		const { messages } = await sdk.getChatHistory(chat.chatId);
		await sdk.sendMessage("uno?", { chatId: chat.chatId, edits: messages[0].id });`)
	require.Equal(t, "uno", historyOf(p, chatID).Messages[1].Content)
	p.Do(`await chat.send("two?")`)
	lastIs(p, "stop", "two")
	var path []string
	for _, message := range historyOf(p, chatID).Messages {
		path = append(path, message.Content)
	}
	require.Equal(t, []string{"one?", "one", "two?", "two"}, path)
	require.Equal(t, "uno", test.Eval[string](p, `
		const { messages } = await sdk.getChatHistory(chat.chatId);
		await sdk.selectBranch(chat.chatId, messages[0].siblings[1]);
		return (await sdk.getChatHistory(chat.chatId)).messages[1].content`))
}

// A message that was not delivered is sent again unchanged with its key.
func TestReactSendsAFailedMessageAgain(t *testing.T) {
	t.Parallel()
	keys := make(chan string, 10)
	works := func(w http.ResponseWriter, r *http.Request) {
		keys <- r.Header.Get("Idempotency-Key") + " " + r.FormValue("message")
		test.NewStream(w).Chunk("yes").Complete()
	}
	fails := func(w http.ResponseWriter, r *http.Request) {
		keys <- r.Header.Get("Idempotency-Key") + " " + r.FormValue("message")
		test.Reply(w, 503, "application/json", `{"status_code":503,"error":{"code":"UNAVAILABLE","message":"busy"}}`)
	}
	service := suite.Fake(t, fails)
	p := reactPage(t, service.Origin, service.Config())
	show(p, map[string]any{})
	hasStatus(p, "ready")
	require.Nil(t, test.Eval[any](p, `return chat.send("one")`))
	p.Until(`document.querySelector("main").dataset.error === "UNAVAILABLE"`)
	require.Equal(t, []string{"unsent one"}, rows(p))
	p.Do(`await chat.retry()`)
	hasStatus(p, "error")
	service.Play(works)
	require.Equal(t, "yes", test.Eval[string](p, `return (await chat.retry()).content`))
	hasStatus(p, "ready")
	require.Equal(t, []string{"sent one", "stop yes"}, rows(p))
	first := <-keys
	require.Equal(t, []string{first, first}, []string{<-keys, <-keys})
	require.Nil(t, test.Eval[any](p, `return chat.retry()`), "nothing failed")
	require.Empty(t, keys)

	service.Play(fails)
	p.Do(`await chat.send("two")`)
	service.Play(works)
	p.Do(`await chat.send("three", { idempotencyKey: "mine" })`)
	second := <-keys
	require.NotEqual(t, first, second)
	require.Equal(t, "mine three", <-keys)
	hasStatus(p, "ready")
	require.Equal(t, []string{"sent one", "stop yes", "unsent two", "sent three", "stop yes"}, rows(p), "nothing is lost")

	// It is sent again with its key, behind what was sent since.
	key := `chat.messages.find(({ content }) => content === "two").key`
	require.True(t, test.Eval[bool](p, `return chat.messages.find(({ content }) => content === "two").unsent`))
	service.Play(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "m1", r.FormValue("parent_id"))
		works(w, r)
	})
	p.Do(`await chat.resend(` + key + `)`)
	require.Equal(t, second, <-keys)
	require.Equal(t, []string{"sent one", "stop yes", "sent three", "stop yes", "sent two", "stop yes"}, rows(p))
	require.Regexp(t, "no message with the key .* is marked unsent", test.Eval[string](p, `return chat.resend(`+key+`).then(() => "", (error) => error.message)`))

	// A message that can't be sent may be given up.
	service.Play(fails)
	p.Do(`await chat.send("four")`)
	<-keys
	require.Contains(t, rows(p), "unsent four")
	p.Do(`chat.discard(chat.messages.at(-1).key)`)
	hasStatus(p, "ready")
	require.Len(t, rows(p), 6)
}

// A message that was not sent outlives another version of what stands before it, and giving it up disturbs no message that is on its way.
func TestReactKeepsAnUnsentMessageApart(t *testing.T) {
	t.Parallel()
	works := func(w http.ResponseWriter, _ *http.Request) { test.NewStream(w).Chunk("yes").Complete() }
	fails := func(w http.ResponseWriter, _ *http.Request) {
		test.Reply(w, 503, "application/json", `{"status_code":503,"error":{"code":"UNAVAILABLE","message":"busy"}}`)
	}
	service := suite.Fake(t, works)
	p := reactPage(t, service.Origin, service.Config())
	show(p, map[string]any{})
	hasStatus(p, "ready")
	p.Do(`await chat.send("one")`)
	service.Play(fails)
	p.Do(`await chat.send("two")`)
	p.Do(`await chat.regenerate()`)
	require.Equal(t, []string{"sent one", "stop yes", "unsent two"}, rows(p), "the old answer is back")
	service.Play(works)
	p.Do(`await chat.regenerate()`)
	require.Equal(t, []string{"sent one", "stop yes", "unsent two"}, rows(p))

	gate := make(chan struct{})
	service.Play(func(w http.ResponseWriter, r *http.Request) {
		<-gate
		works(w, r)
	})
	p.Do(`globalThis.three = chat.send("three")`)
	hasStatus(p, "submitted")
	p.Do(`chat.discard(chat.messages.find(({ unsent }) => unsent).key)`)
	hasStatus(p, "submitted")
	close(gate)
	p.Do(`await three`)
	require.Equal(t, []string{"sent one", "stop yes", "sent three", "stop yes"}, rows(p))
}

// An interrupted answer is looked up at the service, and regenerated only if the service gave it up.
func TestReactGoesOnWithABrokenAnswer(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "it takes the page offline, but not a worker")
	model := test.NewModel(t)
	model.On("busy", func(a *test.Answer) { a.Text("half").Cut() })
	service := suite.Service(t, model.Env()...)
	config := service.Config(t, "ada")
	config["resumeTimeout"] = 0
	p := reactPage(t, service.Origin, config)
	show(p, map[string]any{})
	hasStatus(p, "ready")
	p.Do(`await chat.send("busy")`)
	hasStatus(p, "error")
	lastIs(p, "error", "half")
	model.On("busy", func(a *test.Answer) { a.Text("whole").Finish("stop") })
	p.Do(`await chat.retry()`)
	lastIs(p, "stop", "whole")
	require.Equal(t, []string{"sent busy", "stop whole"}, rows(p))

	answer := pace(model, "slow", "one ", "two")
	p.Do(`chat.send("slow")`)
	lastIs(p, "writing", "one ")
	p.Offline(true)
	service.Break()
	hasStatus(p, "error")
	lastIs(p, "error", "one ")
	p.Do(`await chat.retry()`)
	hasStatus(p, "error")
	lastIs(p, "error", "one ")
	p.Offline(false)
	p.Do(`void chat.retry()`)
	lastIs(p, "writing", "one ")
	close(answer.gates[1])
	lastIs(p, "stop", "one two")
	require.Equal(t, int32(1), answer.asked.Load())
}

// When a user goes to another chat, the service finishes the answer. The user gets no more of it,
// and finds it when coming back.
func TestReactSwitchesChats(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	answer := pace(model, "slow", "one ", "two ", "three")
	service := suite.Service(t, model.Env()...)
	p := reactPage(t, service.Origin, service.Config(t, "ada"))
	first, second := newChat(p, "first"), newChat(p, "second")
	show(p, map[string]any{"chatId": first})
	hasStatus(p, "ready")
	p.Do(`chat.send("slow")`)
	lastIs(p, "writing", "one ")
	p.Do(`
		globalThis.seen = [];
		new MutationObserver(() => seen.push(document.body.innerText)).observe(document, { subtree: true, childList: true, characterData: true });`)
	show(p, map[string]any{"chatId": second})
	lastIs(p, "stop", "second")
	close(answer.gates[1])
	p.Do(`await chat.send("meanwhile")`)
	lastIs(p, "stop", "meanwhile")
	require.NotContains(t, test.Eval[[]string](p, `return seen`), "two")
	require.Equal(t, []string{"sent second", "stop second", "sent meanwhile", "stop meanwhile"}, rows(p))
	show(p, map[string]any{"chatId": first})
	lastIs(p, "writing", "one two ")
	close(answer.gates[2])
	lastIs(p, "stop", "one two three")
	require.Equal(t, int32(1), answer.asked.Load())
	require.Zero(t, count(service.Calls(), "POST /v3/chat/stop"))
}

// A component that unmounts stops nothing, not even what it sent a moment ago.
func TestReactUnmountsInMidAnswer(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	answer := pace(model, "slow", "one ", "two")
	asked := make(chan struct{})
	model.On("quick", func(a *test.Answer) { close(asked); a.Text("yes").Finish("stop") })
	service := suite.Service(t, model.Env()...)
	p := reactPage(t, service.Origin, service.Config(t, "ada"))
	chatID := newChat(p, "hello")
	show(p, map[string]any{"chatId": chatID})
	hasStatus(p, "ready")
	p.Do(`void chat.send("slow")`)
	lastIs(p, "writing", "one ")
	show(p, nil)
	p.Until(`!document.querySelector("main")`)
	close(answer.gates[1])
	show(p, map[string]any{"chatId": chatID})
	lastIs(p, "stop", "one two")
	hasStatus(p, "ready")

	p.Do(`globalThis.sent = chat.send("quick"); kit.react.show(null)`)
	<-asked
	require.Nil(t, test.Eval[any](p, `return sent`))
	show(p, map[string]any{"chatId": chatID})
	lastIs(p, "stop", "yes")
	for _, call := range service.Calls() {
		require.NotContains(t, call, "/stop")
	}
}

// A chat that cannot be loaded says so, and loads when the user tries again.
func TestReactLoadsAChatAgain(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "it takes the page offline, but not a worker")
	model := test.NewModel(t)
	service := suite.Service(t, model.Env()...)
	p := reactPage(t, service.Origin, service.Config(t, "ada"))
	chatID := newChat(p, "hello")
	p.Offline(true)
	show(p, map[string]any{"chatId": chatID})
	hasStatus(p, "error")
	require.Contains(t, test.Eval[string](p, `return (await kit.failure(chat.send("hi"))).message`), "retry() loads it")
	p.Offline(false)
	p.Do(`await chat.retry()`)
	lastIs(p, "stop", "hello")
	hasStatus(p, "ready")
	require.Nil(t, test.Eval[any](p, `return chat.error`))
}

// Structured data of an answer is in its message while it is written.
func TestReactShowsSources(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		stream := test.NewStream(w).
			Event("document_chunk", map[string]any{"text": "looking"}).
			Event("message_object", map[string]any{"sources": []any{map[string]any{"title": "Cats"}}})
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
	html := test.Eval[string](p, `
		const messages = JSON.parse($2); // as they come from a server
		return kit.react.hydrate({ chatId: $1, initialMessages: messages });`, chatID, test.Eval[string](p, `return JSON.stringify((await sdk.getChatHistory($1)).messages)`, chatID))
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
