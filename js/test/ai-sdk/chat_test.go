package aisdk_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
	"github.com/chatsdk/chatsdk/js/test/fault"
)

// chat is a page that shows a chat.
type chat struct {
	*test.Page
	service *test.Service
	config  test.Config
	id      string
}

// open shows a new chat of a service, with the options of the transport.
func (v *version) open(t *testing.T, service *test.Service, options map[string]any) *chat {
	return v.openAt(t, service, service.URL, options)
}

// openAt does the same as open, through another address.
func (v *version) openAt(t *testing.T, service *test.Service, address string, options map[string]any) *chat {
	service.Handle("/test/ai-sdk.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write(v.script)
	})
	service.Handle("/test/ai-sdk.html", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<!doctype html><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/test/ai-sdk.js"></script>`))
	})
	c := &chat{Page: suite.Page(t, address+"/test/ai-sdk.html"), service: service, config: service.Config(t, "ada")}
	c.config["baseUrl"] = address
	c.config["maxRetries"] = 2
	c.show(options)
	return c
}

func (c *chat) show(options map[string]any) {
	c.id = test.Eval[string](c.Page, `return show($1, $2 || undefined, $3 ?? undefined)`, c.config, c.id, options)
	c.Until(`document.querySelector("main")?.dataset.status === "ready" || document.querySelector("main")?.dataset.status === "streaming"`)
}

// shows waits until the page shows these texts, and the chat has this status.
func (c *chat) shows(status string, texts ...string) {
	c.Until(`document.querySelector("main").dataset.status === $1 && JSON.stringify([...document.querySelectorAll("p")].map((p) => p.textContent)) === JSON.stringify($2)`,
		status, texts)
}

// do calls a function of useChat and does not wait for it.
func (c *chat) do(call string, args ...any) { c.Do(`void chat.`+call, args...) }

// message is a message of the history.
type message struct {
	ID, Role, Content string
	FinishReason      string         `json:"finish_reason"`
	ImageURLs         []string       `json:"image_urls"`
	Metadata          map[string]any `json:"metadata"`
}

func (c *chat) history() []message {
	return test.Eval[[]message](c.Page, `return (await sdk.getChatHistory($1)).messages`, c.id)
}

// ids are the ids of the messages on the page.
func (c *chat) ids() []string {
	return test.Eval[[]string](c.Page, `return [...document.querySelectorAll("p")].map((p) => p.id)`)
}

// calls counts the requests that begin with prefix.
func (c *chat) calls(prefix string) int {
	count := 0
	for _, call := range c.service.Calls() {
		if strings.HasPrefix(call, prefix) {
			count++
		}
	}
	return count
}

const (
	send   = "POST /v3/chat/message"
	follow = "GET /v3/chat/stream/"
	stops  = "POST /v3/chat/stream/"
)

// gated makes a model answer a question with two pieces, the second when the gate
// opens; left is closed if the service hangs up before.
func gated(model *test.Model, question string) (gate, left chan struct{}) {
	gate, left = make(chan struct{}), make(chan struct{})
	model.On(question, func(a *test.Answer) {
		if a.Text("one ").Wait(gate) {
			a.Text("two").Finish("stop")
		} else {
			close(left)
		}
	})
	return gate, left
}

func TestAnAnswerGrowsAndHasTheIdOfTheService(t *testing.T) {
	inEach(t, func(t *testing.T, ai *version) {
		model := test.NewModel(t)
		gate, _ := gated(model, "count")
		c := ai.open(t, suite.Service(t, model.Env()...), nil)
		c.do(`sendMessage({ text: "count", metadata: { tone: "kind" } })`)
		c.shows("streaming", "count", "one ")
		close(gate)
		c.shows("ready", "count", "one two")
		history := c.history()
		require.Equal(t, c.ids()[1], history[1].ID)
		require.Equal(t, "kind", history[0].Metadata["tone"])
		require.Equal(t, []any{history[1].ID, "stop", c.id}, test.Eval[[]any](c.Page, `
			const { message_id, finish_reason, chat_id } = chat.messages[1].metadata;
			return [message_id, finish_reason, chat_id];`))
		require.Equal(t, 1, model.Calls("count"))
	})
}

func TestStopStopsTheModelAndTheAnswerCanBeRegenerated(t *testing.T) {
	inEach(t, func(t *testing.T, ai *version) {
		model := test.NewModel(t)
		_, left := gated(model, "count")
		c := ai.open(t, suite.Service(t, model.Env()...), nil)
		c.do(`sendMessage({ text: "count" })`)
		c.shows("streaming", "count", "one ")
		model.On("count", func(a *test.Answer) { a.Text("three").Finish("stop") })
		// At once: the stop may still be on its way.
		c.do(`stop().then(() => chat.regenerate())`)
		<-left
		c.shows("ready", "count", "three")
		history := c.history()
		require.Len(t, history, 2)
		require.Equal(t, []string{"three", "stop"}, []string{history[1].Content, history[1].FinishReason})
		require.Equal(t, history[1].ID, test.Eval[string](c.Page, `return chat.messages[1].metadata.message_id`))

		model.On("count", func(a *test.Answer) { a.Text("four").Finish("stop") })
		c.do(`regenerate({ messageId: chat.messages[1].id })`)
		c.shows("ready", "count", "four")
		c.Reload()
		c.show(nil)
		c.shows("ready", "count", "four")
		model.On("count", func(a *test.Answer) { a.Text("five").Finish("stop") })
		c.do(`regenerate()`)
		c.shows("ready", "count", "five")
		require.Len(t, c.history(), 2)
	})
}

func TestAnAnswerGoesOnAfterAReload(t *testing.T) {
	inEach(t, func(t *testing.T, ai *version) {
		model := test.NewModel(t)
		gate, _ := gated(model, "count")
		c := ai.open(t, suite.Service(t, model.Env()...), nil)
		c.do(`sendMessage({ text: "count" })`)
		c.shows("streaming", "count", "one ")
		id := c.ids()[1]
		c.Reload()
		c.show(nil)
		c.shows("streaming", "count", "one ")
		close(gate)
		c.shows("ready", "count", "one two")
		require.Equal(t, id, c.ids()[1])
		require.Equal(t, []int{1, 0, 1}, []int{c.calls(follow), c.calls(stops), model.Calls("count")})
		require.Equal(t, "stop", c.history()[1].FinishReason)

		c.Reload()
		c.show(nil)
		c.shows("ready", "count", "one two")
		require.Equal(t, 1, c.calls(follow), "nothing was being written")
	})
}

func TestStopStopsAnAnswerThatIsFollowed(t *testing.T) {
	inEach(t, func(t *testing.T, ai *version) {
		model := test.NewModel(t)
		_, left := gated(model, "count")
		c := ai.open(t, suite.Service(t, model.Env()...), nil)
		c.do(`sendMessage({ text: "count" })`)
		c.shows("streaming", "count", "one ")
		c.Reload()
		c.show(nil)
		c.shows("streaming", "count", "one ")
		c.do(`stop()`)
		<-left
		c.shows("ready", "count", "one ")
	})
}

// From version 7 on, useChat stops when its component unmounts; before, it reads on.
func TestAComponentThatUnmounts(t *testing.T) {
	inEach(t, func(t *testing.T, ai *version) {
		if ai.name == "ai 7" {
			t.Run("stops its answer", func(t *testing.T) {
				t.Parallel()
				model := test.NewModel(t)
				_, left := gated(model, "count")
				c := ai.open(t, suite.Service(t, model.Env()...), nil)
				c.do(`sendMessage({ text: "count" })`)
				c.shows("streaming", "count", "one ")
				c.Do(`leave()`)
				<-left
			})
			t.Run("with detachOnAbort leaves it to the service, and comes back to it", func(t *testing.T) {
				t.Parallel()
				comeBack(t, ai, map[string]any{"detachOnAbort": true})
			})
			return
		}
		comeBack(t, ai, nil)
	})
}

// comeBack leaves a chat in mid-answer, and comes back to an answer that nobody stopped.
func comeBack(t *testing.T, ai *version, options map[string]any) {
	model := test.NewModel(t)
	gate, _ := gated(model, "count")
	c := ai.open(t, suite.Service(t, model.Env()...), options)
	c.do(`sendMessage({ text: "count" })`)
	c.shows("streaming", "count", "one ")
	c.Do(`leave()`)
	c.Until(`!document.querySelector("main")`)
	c.show(options)
	c.shows("streaming", "count", "one ")
	close(gate)
	c.shows("ready", "count", "one two")
	require.Equal(t, 0, c.calls(stops))
}

func TestEditsAndRegenerationsMakeBranches(t *testing.T) {
	inEach(t, func(t *testing.T, ai *version) {
		model := test.NewModel(t)
		c := ai.open(t, suite.Service(t, model.Env()...), nil)
		c.do(`sendMessage({ text: "first" })`)
		c.shows("ready", "first", "first")
		c.do(`sendMessage({ text: "second" })`)
		c.shows("ready", "first", "first", "second", "second")
		before := c.history()
		c.do(`sendMessage({ text: "changed", messageId: chat.messages[0].id })`)
		c.shows("ready", "changed", "changed")
		require.Len(t, c.history(), 2)
		model.On("changed", func(a *test.Answer) { a.Text("again").Finish("stop") })
		c.do(`regenerate({ messageId: chat.messages[1].id })`)
		c.shows("ready", "changed", "again")
		require.Equal(t, c.history()[1].ID, c.ids()[1])

		c.Do(`
			await sdk.selectBranch($1, $2);
			chat.setMessages(toUIMessages(await sdk.getChatHistory($1)));`, c.id, before[0].ID)
		c.shows("ready", "first", "first", "second", "second")
		model.On("first", func(a *test.Answer) { a.Text("erst").Finish("stop") })
		c.do(`regenerate({ messageId: $1 })`, before[1].ID)
		c.shows("ready", "first", "erst")
		c.do(`sendMessage({ text: "second" })`)
		c.shows("ready", "first", "erst", "second", "second")
		c.Reload()
		c.show(nil)
		c.shows("ready", "first", "erst", "second", "second")
		require.Equal(t, []int{2, 2}, test.Eval[[]int](c.Page, `return chat.messages.slice(0, 2).map(({ metadata }) => metadata.siblings.length)`))
	})
}

func TestAfterADecisionTheAnswerGoesOnInItsMessage(t *testing.T) {
	inEach(t, func(t *testing.T, ai *version) {
		if ai.name == "ai 5" {
			t.Skip("this version has no approvals")
		}
		service := suite.Service(t)
		c := ai.open(t, service, nil)
		const parts = `chat.messages.at(-1).parts.map(({ type, state }) => state ?? type)`
		readings := func() int {
			return len(slices.DeleteFunc(service.Calls(), func(call string) bool { return !strings.HasPrefix(call, "GET /v3/chat/stream/") }))
		}
		c.do(`sendMessage({ text: $1 })`, `/create_ticket {"title": "A lamp is broken"}`)
		c.Until(`document.querySelector("main").dataset.status === "ready" && document.querySelectorAll("p").length === 2`)
		require.Equal(t, []string{"done", "approval-requested"}, test.Eval[[]string](c.Page, `return `+parts))
		before := readings()
		c.Reload()
		c.show(nil)
		require.Eventually(t, func() bool { return readings() > before }, time.Minute, time.Millisecond, "the waiting answer is followed")
		c.Until(parts + `.includes("approval-requested") && document.querySelector("main").dataset.status === "ready"`)
		c.Do(`
			const { approval } = chat.messages.at(-1).parts.find(({ type }) => type === "dynamic-tool");
			void chat.addToolApprovalResponse({ id: approval.id, approved: true });`)
		c.Until(parts + `.length === 3 && document.querySelector("main").dataset.status === "ready"`)
		got := test.Eval[[]string](c.Page, `
			const [, { state, output, callProviderMetadata: { chatsdk } }, { text }] = chat.messages.at(-1).parts;
			return [state, output, chatsdk.description, text];`)
		require.Equal(t, "output-available", got[0])
		require.Contains(t, got[1], `"title":"A lamp is broken"`)
		require.Contains(t, got[2], "Opens a ticket")
		require.True(t, strings.HasPrefix(got[3], "create_ticket is done"), got[3])
		require.Len(t, c.history(), 2)
	})
}

func TestAFailureIsShownAndTryingAgainDoublesNothing(t *testing.T) {
	inEach(t, func(t *testing.T, ai *version) {
		model := test.NewModel(t)
		model.On("hard", func(a *test.Answer) { a.Refuse(http.StatusBadRequest) })
		c := ai.open(t, suite.Service(t, model.Env()...), nil)
		c.do(`sendMessage({ text: "hard" })`)
		c.Until(`document.querySelector("main").dataset.status === "error"`)
		require.Equal(t, []any{"APIError", 502.0, "PROVIDER_FAILED"}, test.Eval[[]any](c.Page, `
			const { name, status, code } = chat.error;
			return [name, status, code];`))
		model.On("hard", func(a *test.Answer) { a.Text("easy").Finish("stop") })
		c.do(`regenerate()`)
		c.shows("ready", "hard", "easy")
		history := c.history()
		require.Len(t, history, 2)
		require.Equal(t, []string{"hard", "easy"}, []string{history[0].Content, history[1].Content})
	})
}

func TestACutConnectionIsNotNoticed(t *testing.T) {
	inEach(t, func(t *testing.T, ai *version) {
		service := suite.Service(t, test.NewModel(t).Env()...)
		var sends atomic.Int32
		proxy, err := fault.Start(strings.TrimPrefix(service.URL, "http://"), func(r *http.Request) fault.Plan {
			if r.URL.Path == "/v3/chat/message" && sends.Add(1) == 1 {
				return fault.Plan{Way: fault.RST, At: fault.InEvent(2, 5)}
			}
			return fault.Plan{}
		})
		require.NoError(t, err)
		t.Cleanup(proxy.Close)
		c := ai.openAt(t, service, proxy.URL, nil)
		c.do(`sendMessage({ text: "one two three" })`)
		c.shows("ready", "one two three", "one two three")
		require.Len(t, proxy.Broken(), 1)
		require.Len(t, c.history(), 2)
	})
}

func TestImages(t *testing.T) {
	inEach(t, func(t *testing.T, ai *version) {
		c := ai.open(t, suite.Service(t), nil)
		c.Do(`
			const canvas = new OffscreenCanvas(3, 2);
			canvas.getContext("2d");
			const files = new DataTransfer();
			files.items.add(new File([await canvas.convertToBlob()], "dot.png", { type: "image/png" }));
			await chat.sendMessage({ text: "What do you see?", files: files.files });`)
		c.Until(`/PNG.*3.*2/i.test(document.querySelector("[data-role=assistant]")?.textContent)`)
		c.Until(`document.querySelector("main").dataset.status === "ready"`)
		require.Len(t, c.history()[0].ImageURLs, 1)
		c.Reload()
		c.show(nil)
		require.Equal(t, []any{"file", "image/*", true}, test.Eval[[]any](c.Page, `
			const { type, mediaType, url } = chat.messages[0].parts.at(-1);
			return [type, mediaType, (await fetch(url)).ok];`))
	})
}

func TestSources(t *testing.T) {
	inEach(t, func(t *testing.T, ai *version) {
		c := ai.open(t, suite.Service(t), nil)
		const parts = `return chat.messages[1].parts.filter(({ type }) => type === "source-document").map(({ title, providerMetadata: { chatsdk } }) => [title, chatsdk.document_key])`
		key := test.Eval[string](c.Page, `
			const { document_key } = await sdk.uploadDocument(new File(["# Cats\n\nMimi the cat was born in Lyon.\n"], "cats.md"));
			for (let status = "queued"; status === "queued";) {
				[{ status }] = (await sdk.listDocuments()).docs;
			}
			return document_key;`)
		c.Do(`await chat.sendMessage({ text: "Where was Mimi born?" }, { body: { documentKeys: [$1] } })`, key)
		c.Until(`document.querySelector("main").dataset.status === "ready"`)
		got := test.Eval[[][]string](c.Page, parts)
		require.Equal(t, [][]string{{"Cats", key}}, got)
		c.Reload()
		c.show(nil)
		require.Equal(t, got, test.Eval[[][]string](c.Page, parts), "the history has them too")
	})
}

func TestAChatThatDoesNotExist(t *testing.T) {
	inEach(t, func(t *testing.T, ai *version) {
		c := ai.open(t, suite.Service(t), nil)
		require.Contains(t, test.Eval[string](c.Page, `
			const messages = [{ id: "1", role: "user", parts: [{ type: "text", text: "hi" }] }];
			const answer = await new ChatSDKTransport(sdk).sendMessages({ trigger: "submit-message", chatId: "guess", messages });
			return answer.getReader().read().catch((error) => error.advice);`), "is guess, the id of useChat, the chat_id of a chat that createChat made?")
	})
}
