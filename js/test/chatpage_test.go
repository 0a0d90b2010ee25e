package test_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// chatPage is examples/01-script-tag as make demo serves it. Its address has a
// fragment of its own, so that opening it again is no navigation.
const chatPage = "/examples/01-script-tag/"

// kit waits in the page: for what a function gives, as soon as the page changes.
const kit = `
	globalThis.until = (look) => new Promise((resolve) => {
		const check = () => {
			const found = look();
			if (!found) return false;
			observer.disconnect();
			resolve(found);
			return true;
		};
		const observer = new MutationObserver(check);
		if (!check()) observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
	});
	globalThis.find = (selector) => document.querySelector(selector);
	globalThis.answers = () => [...document.querySelectorAll("[data-role=assistant]")];
	globalThis.textOf = (article) => article.querySelector("[data-part=text]").textContent;
	globalThis.answered = (count) => until(() => answers().filter((a) => a.dataset.state === "complete").length === count);`

// openChatPage opens the page and waits until it can be used.
func openChatPage(t *testing.T, service *test.Service) *test.Page {
	t.Helper()
	p := suite.Page(t, service.URL+chatPage, kit)
	p.Do(`await until(() => find("#chats").getAttribute("aria-busy") !== "true" && find(".view[data-state=ready]"))`)
	return p
}

// write types a message and sends it with the Enter key alone.
func write(p *test.Page, text string) {
	p.Do(`find("#message").focus()`)
	p.Act(chromedp.KeyEvent(text), chromedp.KeyEvent(kb.Enter))
}

func TestTheChatPageShowsAnAnswerAsItStreams(t *testing.T) {
	t.Parallel()
	model, gate := test.NewModel(t), make(chan struct{})
	model.On("Where to?", func(a *test.Answer) {
		a.Text("To <b>Lyon</b>")
		if a.Wait(gate) {
			a.Text(", of course.").Finish("stop")
		}
	})
	p := openChatPage(t, suite.Service(t, model.Env()...))
	write(p, "Where to?")
	p.Do(`await until(() => answers()[0] && textOf(answers()[0]) === "To <b>Lyon</b>")`)
	require.Equal(t, "writing", test.Eval[string](p, `return answers()[0].dataset.state`))
	close(gate)
	p.Do(`await answered(1)`)
	require.Equal(t, "To <b>Lyon</b>, of course.", test.Eval[string](p, `return textOf(answers()[0])`))
	require.Equal(t, "Where to?", test.Eval[string](p, `await until(() => find("#title").textContent === "Where to?"); return find("#chats [data-chat] [data-part=name]").textContent`))
	require.Empty(t, test.Eval[string](p, `return find("#message").value.trim()`))
}

func TestTheChatPageKeepsWhatWasRated(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openChatPage(t, service)
	write(p, "My name is Ada.")
	p.Do(`await answered(1); find("[data-action=up]").click(); await until(() => find("[data-action=up][aria-pressed=true]"));
		location.reload()`)
	p.Do(`await answered(1); await until(() => find("[data-action=up][aria-pressed=true]"))`)
	write(p, "What is my name?")
	p.Do(`await answered(2)`)
	require.Contains(t, test.Eval[string](p, `return textOf(answers()[1])`), "Ada")
	require.Equal(t, 1, service.Count("/chat/message/user/feedback"))
}

func TestAChatIsRenamedAndDeletedAfterAQuestion(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openChatPage(t, service)
	write(p, "Hello there")
	p.Do(`await answered(1); find("#chats [data-action=rename]").click(); await until(() => document.activeElement?.closest("#chats") && document.activeElement.tagName === "INPUT")`)
	p.Act(chromedp.KeyEvent("Holidays"), chromedp.KeyEvent(kb.Enter))
	p.Do(`await until(() => find("#title").textContent === "Holidays")`)

	p.Do(`find("#chats [data-action=delete]").click(); await until(() => find("#confirm").open)`)
	p.Act(chromedp.KeyEvent(kb.Escape))
	p.Do(`await until(() => !find("#confirm").open)`)
	require.Zero(t, service.Count("/chat/delete"))
	p.Do(`find("#chats [data-action=delete]").click(); await until(() => find("#confirm").open);
		find("#confirm [data-action=confirm]").click(); await until(() => !find("#chats [data-chat]"))`)
	require.Equal(t, 1, service.Count("/chat/delete"))
	p.Do(`await until(() => !answers().length)`)
}

func TestTheListOfChatsIsPaged(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openChatPage(t, service)
	p.Do(`
		const user_id = localStorage.getItem("chatsdk-demo-user");
		const answer = await fetch("/demo/token", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ user_id }) });
		const { access_token, project_id } = await answer.json();
		const sdk = new ChatSDK({ baseUrl: location.origin, projectId: project_id, accessToken: access_token });
		for (let i = 0; i < 35; i += 1) await sdk.createChat("Chat " + i);
		location.reload();`)
	p.Do(`await until(() => document.querySelectorAll("#chats [data-chat]").length >= 30)`)
	p.Do(`const more = find("#more"); if (!more.hidden) more.click();
		await until(() => document.querySelectorAll("#chats [data-chat]").length === 35)`)
	require.Equal(t, "Chat 34", test.Eval[string](p, `return find("#chats [data-part=name]").textContent`))
}

func TestAFailureIsToldAndTheMessageComesBack(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	model.On("Will it work?", func(a *test.Answer) { a.Refuse(http.StatusInternalServerError) })
	p := openChatPage(t, suite.Service(t, model.Env()...))
	write(p, "Will it work?")
	require.NotEmpty(t, test.Eval[string](p, `return (await until(() => find(".failure"))).textContent.trim()`))
	p.Do(`find(".failure [data-action=retry]").click(); await until(() => find("#message").value === "Will it work?")`)
}

func TestTheChatPageFitsAPhoneInTheDark(t *testing.T) {
	t.Parallel()
	p := openChatPage(t, suite.Service(t))
	light := test.Eval[string](p, `return getComputedStyle(document.body).backgroundColor`)
	test.Call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	})
	test.Call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 360, Height: 640, DeviceScaleFactor: 1, Mobile: true})
	require.NotEqual(t, light, test.Eval[string](p, `return getComputedStyle(document.body).backgroundColor`))
	require.True(t, test.Eval[bool](p, `return document.documentElement.scrollWidth <= 360`))
	require.False(t, test.Eval[bool](p, `return find("#new").checkVisibility({ visibilityProperty: true })`), "the list stands in the way")
	p.Do(`find("#menu").click(); await until(() => find("#menu").getAttribute("aria-expanded") === "true")`)
	p.Act(chromedp.WaitVisible("#new"))
	write(p, "short")
}
