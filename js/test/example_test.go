package test_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// The README of examples/01-script-tag names the hooks that these tests use.
const examplePath = "/examples/01-script-tag/"

// find and all look for elements in the page.
const find = `
	globalThis.find = (selector) => document.querySelector(selector);
	globalThis.all = (selector) => [...document.querySelectorAll(selector)];`

// ready is true when a message can be sent.
const ready = `find(".view") && !find("#send").disabled && find("#chats[aria-busy=false]")`

// openExample opens the page that make demo serves, as a new user.
func openExample(t *testing.T, service *test.Service) *test.Page {
	t.Helper()
	p := suite.Page(t, service.URL+"/", find)
	require.Equal(t, examplePath, test.Eval[string](p, `return location.pathname`), "/ leads to the page")
	p.Until(ready)
	return p
}

// say types a message and sends it.
func say(p *test.Page, text string) {
	p.Click("#message")
	p.Type(text + kb.Enter)
}

// answered waits until n answers are complete, and returns the text of the last.
func answered(p *test.Page, n int) string {
	p.Until(`all("[data-role=assistant][data-state=complete]").length === $1 && `+ready, n)
	return test.Eval[string](p, `return all("[data-role=assistant] [data-part=text]").at(-1).textContent`)
}

func TestExampleKeepsWhatIsTypedWhileItLoads(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := suite.Page(t, service.URL+examplePath, find+`
		const fetched = globalThis.fetch;
		const held = new Promise((resolve) => (globalThis.letGo = resolve));
		globalThis.fetch = async (...request) => {
			await held;
			return fetched(...request);
		};`)
	say(p, "Hello")
	p.Do(`letGo()`)
	p.Until(ready)
	require.Equal(t, "Hello", test.Eval[string](p, `return find("#message").value`))
	p.Type(kb.Enter)
	answered(p, 1)
}

// listed are the names in the list of chats.
func listed(p *test.Page) []string {
	return test.Eval[[]string](p, `return all("#chats [data-part=name]").map((name) => name.textContent)`)
}

// withChats creates chats of the page's user outside of the page, and opens it again.
func withChats(p *test.Page, service *test.Service, names ...string) {
	p.Do(`
		const headers = { "content-type": "application/json" };
		const body = JSON.stringify({ user_id: localStorage.getItem("chatsdk-demo-user") });
		const { access_token } = await (await fetch("/demo/token", { method: "POST", headers, body })).json();
		const sdk = new ChatSDK({ baseUrl: location.origin, projectId: "demo", accessToken: access_token });
		for (const name of $1) await sdk.createChat(name);`, names)
	p.Open(service.URL + examplePath)
	p.Until(ready + ` && all("#chats li").length > 0`)
}

func TestExampleStreamsAnAnswer(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	gate := make(chan struct{})
	model.On("Hello there", func(a *test.Answer) {
		a.Text("It begins ").Wait(gate)
		a.Text("and ends.").Finish("stop")
	})
	service := suite.Service(t, model.Env()...)
	p := openExample(t, service)
	require.True(t, test.Eval[bool](p, `return document.activeElement === find("#message")`), "one can type at once")
	say(p, "Hello there")
	p.Until(`find("[data-role=assistant][data-state=writing] [data-part=text]")?.innerText.startsWith("It begins")`)
	require.Equal(t, "Hello there", test.Eval[string](p, `return find("[data-role=user] [data-part=text]").textContent`))
	require.Equal(t, "", test.Eval[string](p, `return find("#message").value`))
	require.True(t, test.Eval[bool](p, `return find("#send").disabled`), "one message at a time")
	require.Equal(t, 1, test.Eval[int](p, `return all("[data-chat][data-writing]").length`))

	close(gate)
	require.Equal(t, "It begins and ends.", answered(p, 1))
	p.Until(`find("#title").textContent === "Hello there"`)
	require.Equal(t, []string{"Hello there"}, listed(p), "the first exchange names the chat")
	require.False(t, test.Eval[bool](p, `return find("#send").disabled || find("[data-writing]") !== null`))

	p.Reload()
	require.Equal(t, "It begins and ends.", answered(p, 1), "the address leads to the chat again")
	require.Equal(t, "Hello there", test.Eval[string](p, `return find("#title").textContent`))
}

func TestExampleWithTheBuiltInAgent(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openExample(t, service)
	require.Len(t, test.Eval[[]string](p, `return all("[data-action=suggest]").map((button) => button.textContent)`), 4)
	p.Click(`[data-action=suggest]:nth-of-type(2)`)
	require.Contains(t, answered(p, 1), "My name is Ada")
	say(p, "What is my name?")
	require.Contains(t, answered(p, 2), "Ada")
}

func TestExampleListsChatsInPages(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openExample(t, service)
	require.True(t, test.Eval[bool](p, `return !find("#no-chats").hidden && find("#more").hidden`))
	names := make([]string, 35)
	for i := range names {
		names[i] = fmt.Sprint("chat ", 35-i)
	}
	withChats(p, service, names...)
	require.Len(t, listed(p), 30)
	p.Click("#more")
	p.Until(`all("#chats li").length === 35 && find("#more").hidden`)
	got := listed(p)
	require.Equal(t, "chat 1", got[0])
	require.Equal(t, "chat 35", got[34])
}

func TestExampleCreatesRenamesAndDeletes(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openExample(t, service)
	p.Click("#new")
	p.Until(`all("#chats li").length === 1 && find("#chats [aria-current=page]")`)
	withChats(p, service, "first", "second")
	require.Equal(t, []string{"second", "first", "Untitled"}, listed(p))

	rename := func(name, keys string) {
		p.Point(`[data-chat]:nth-child(` + name + `)`)
		p.Click(`[data-chat]:nth-child(` + name + `) [data-action=rename]`)
		p.Until(`document.activeElement.tagName === "INPUT"`)
		p.Type(keys)
		p.Until(`!find("#chats input")`)
	}
	rename("2", "Renamed"+kb.Enter)
	p.Until(`find("#chats li [data-part=name]").textContent === "Renamed"`)
	require.Equal(t, []string{"Renamed", "second", "Untitled"}, listed(p), "what was renamed is on top")
	rename("2", "not this"+kb.Escape)
	require.Equal(t, []string{"Renamed", "second", "Untitled"}, listed(p))

	remove := func(action string) {
		p.Point(`[data-chat]:nth-child(2)`)
		p.Click(`[data-chat]:nth-child(2) [data-action=delete]`)
		p.Until(`find("#confirm").open`)
		require.Contains(t, test.Eval[string](p, `return find("#confirm").innerText`), "second")
		p.Click("#confirm [data-action=" + action + "]")
		p.Until(`!find("#confirm").open`)
	}
	remove("cancel")
	require.Len(t, listed(p), 3)
	remove("confirm")
	p.Until(`all("#chats li").length === 2`)
	p.Open(service.URL + examplePath)
	p.Until(ready + ` && all("#chats li").length > 0`)
	require.Equal(t, []string{"Renamed", "Untitled"}, listed(p))
}

func TestExampleKeepsRatings(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := openExample(t, service)
	say(p, "hi")
	answered(p, 1)
	pressed := func() []string {
		return test.Eval[[]string](p, `return ["up", "down"].map((thumb) => find("[data-action=" + thumb + "]").ariaPressed)`)
	}
	require.Equal(t, []string{"false", "false"}, pressed())
	for _, thumb := range []string{"up", "down"} {
		before := count(service.Calls(), "POST /chat/message/user/feedback")
		p.Click("[data-action=" + thumb + "]")
		p.Until(`find("[data-action=$1]".replace("$1", $1)).ariaPressed === "true"`, thumb)
		service.Answered(t, "/chat/message/user/feedback", before+1)
	}
	require.Equal(t, []string{"false", "true"}, pressed())
	p.Reload()
	answered(p, 1)
	require.Equal(t, []string{"false", "true"}, pressed())
}

// Codes with many causes have the service's own words as their headline: a restart is no busy service,
// and a wrong key no bad question.
func TestExampleTellsCausesApart(t *testing.T) {
	t.Parallel()
	p := openExample(t, suite.Service(t))
	explained := func(failure string) []string {
		return test.Eval[[]string](p, `const { explain } = await import("./errors.js");
			const { title, text, details } = explain(`+failure+`); return [title, text, details];`)
	}
	require.Equal(t, []string{
		"A restart of the service interrupted the answer.", "Send the message again or regenerate the answer. The service asks you to wait 2 seconds.",
		"UNAVAILABLE · req_1",
	}, explained(`{ code: "UNAVAILABLE", status: 503, requestId: "req_1", retryAfter: 2,
		message: "A restart of the service interrupted the answer; send the message again or regenerate the answer" }`))
	require.Equal(t, []string{"The model's answer broke off.", "It did not give a complete answer. Regenerate asks it again.", "PROVIDER_FAILED"},
		explained(`{ code: "PROVIDER_FAILED", status: 502, message: "The model's answer broke off" }`))
	require.Equal(t, "The service is unavailable.", explained(`{ status: 503, message: "<html>" }`)[0], "a proxy's message is not for people")
	require.Equal(t, "The service is unavailable.", explained(`{ code: "UNAVAILABLE", status: 503 }`)[0])
}

func TestExampleReportsFailures(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	model.On("fail", func(a *test.Answer) { a.Refuse(http.StatusInternalServerError) })
	model.On("break", func(a *test.Answer) { a.Text("half of it").Cut() })
	service := suite.Service(t, model.Env()...)
	p := openExample(t, service)

	say(p, "fail")
	p.Until(`find(".failure")?.innerText.includes("The model's provider failed")`)
	require.NotContains(t, test.Eval[string](p, `return find(".failure strong").innerText`), "502")
	require.Nil(t, test.Eval[any](p, `return find(".failure button")`), "the service has the question, and asking again at once would not help")
	model.On("fail", func(a *test.Answer) { a.Text("better").Finish("stop") })
	p.Click("[data-action=regenerate]")
	require.Equal(t, "better", answered(p, 1))

	p.Open(service.URL + examplePath)
	p.Until(ready)
	p.Do(`find("#message").value = "x".repeat(32001)`)
	p.Click("#send")
	p.Until(`find(".failure")?.innerText.includes("too long")`)
	p.Click(".failure [data-action=edit]")
	p.Until(`find("#message").value.length === 32001 && !find(".failure") && find(".empty")`)

	p.Open(service.URL + examplePath)
	p.Until(ready)
	say(p, "break")
	p.Until(`find(".failure") && find("[data-role=assistant][data-state=incomplete]")`)
	require.Contains(t, test.Eval[string](p, `return find("[data-role=assistant]").innerText`), "half of it")

	p.Open(service.URL + examplePath + "#nowhere")
	p.Reload()
	p.Until(`find(".failure")?.innerText.includes("gone")`)

	p.Open(service.URL + examplePath)
	p.Until(ready)
	service.Stop()
	say(p, "is anybody there?")
	p.Until(`find(".failure")`)
	require.Contains(t, test.Eval[string](p, `return find(".failure").innerText`), "No connection")
	p.Click(".failure [data-action=edit]")
	p.Until(`find("#message").value === "is anybody there?"`)
}

// Texts of people and models are always shown as text.
func TestExampleShowsMarkupAsText(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := openExample(t, service)
	markup := `<img src=x onerror="globalThis.fired = true"><b>bold</b> & <script>globalThis.fired = true</script>`
	say(p, markup)
	require.Equal(t, markup, answered(p, 1))
	require.Equal(t, []any{0.0, false}, test.Eval[[]any](p, `return [all("#messages img, #messages b, #chats img, #title img").length, "fired" in globalThis]`))
}
