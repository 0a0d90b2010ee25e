package test_test

import (
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
