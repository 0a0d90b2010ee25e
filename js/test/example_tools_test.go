package test_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// callIs waits until the n-th call in the page, from 0, is in a state.
func callIs(p *test.Page, n int, state string) {
	p.Until(`all(".call")[$1]?.dataset.state === $2`, n, state)
}

// inCall is the text of a part of the n-th call.
func inCall(p *test.Page, n int, part string) string {
	return test.Eval[string](p, `return all(".call")[$1].querySelector("[data-part=" + $2 + "]").innerText`, n, part)
}

// arguments are the rows of the n-th call's table: "name value".
func arguments(p *test.Page, n int) []string {
	return test.Eval[[]string](p, `return [...all(".call")[$1].querySelectorAll("tr")].map((row) => row.cells[0].textContent + " " + row.cells[1].textContent)`, n)
}

func TestExampleApprovesACall(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openExample(t, service)
	say(p, `/create_ticket {"title": "A lamp is broken", "priority": "high"}`)
	callIs(p, 0, "awaiting")
	require.Equal(t, "create_ticket", inCall(p, 0, "name"))
	require.Equal(t, "waits for your approval", inCall(p, 0, "status"))
	require.Equal(t, "Opens a ticket with the support team of the demo's shop.", inCall(p, 0, "description"))
	require.Equal(t, []string{"title A lamp is broken", "priority high"}, arguments(p, 0))
	require.Contains(t, inCall(p, 0, "fate"), "It can be decided until")
	p.Until(`find(".view").dataset.state === "parked" && !find("#send").disabled`)

	p.Reload()
	callIs(p, 0, "awaiting")
	p.Click(".call [data-action=edit-arguments]")
	p.Until(`document.activeElement.tagName === "TEXTAREA" && document.activeElement.value === "A lamp is broken"`)
	p.Type(" in the hall")
	p.Click(".call [data-action=approve]")
	callIs(p, 0, "done")
	require.Contains(t, answered(p, 1), "create_ticket is done")
	require.Equal(t, []string{"title A lamp is broken in the hall", "priority high"}, arguments(p, 0))
	require.Regexp(t, `^Approved with other arguments by you, \S+ [AP]M\. Ended \S+ [AP]M\.$`, inCall(p, 0, "fate"))
	p.Click(".call summary")
	require.Contains(t, inCall(p, 0, "result"), `"title":"A lamp is broken in the hall"`)
	require.Equal(t, []bool{false, false}, canDecide(p))
	require.Contains(t, test.Eval[string](p, `return all("[data-role=assistant] [data-part=text]").at(-1).textContent`), "create_ticket is done. It gave:")

	p.Reload()
	callIs(p, 0, "done")
	require.Contains(t, inCall(p, 0, "fate"), "Approved with other arguments by you")
	require.Equal(t, 1, test.Eval[int](p, `return all(".call").length`))
}

func TestExampleDeniesACallWithoutAMouse(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openExample(t, service)
	say(p, `/create_ticket {"title": "A lamp is broken"}`)
	callIs(p, 0, "awaiting")
	p.Until(`find("#announcer").textContent.startsWith("The assistant wants to call create_ticket.")`)
	p.Do(`find(".call input").focus()`)
	p.Type("not today" + kb.Enter)
	require.Equal(t, "awaiting", test.Eval[string](p, `return find(".call").dataset.state`), "Enter in the reason decides nothing")
	p.Do(`find(".call [data-action=approve]").focus()`)
	p.Type(kb.Tab + kb.Enter)
	callIs(p, 0, "denied")
	require.Regexp(t, `^Denied by you, \S+ [AP]M: “not today”\.$`, inCall(p, 0, "fate"))
	answered(p, 1)
	require.Contains(t, test.Eval[string](p, `return all("[data-role=assistant] [data-part=text]").at(-1).textContent`), "not today")
	require.True(t, test.Eval[bool](p, `return document.activeElement !== document.body`), "the focus is not lost")
}

// A new user first sees the page's own tool.
func TestExampleCallsItsOwnTool(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openExample(t, service)
	scheme := func() string {
		return test.Eval[string](p, `return getComputedStyle(document.documentElement).colorScheme`)
	}
	require.Equal(t, "light dark", scheme())
	p.Prefer("prefers-color-scheme", "light")
	require.Equal(t, `/set_theme {"theme": "dark"}`, test.Eval[string](p, `return find("[data-action=suggest][data-part=tool]").textContent`))
	p.Click("[data-action=suggest][data-part=tool]")
	callIs(p, 0, "awaiting")
	require.Equal(t, "light dark", scheme(), "nothing happens unasked")
	p.Click(".call [data-action=approve]")
	callIs(p, 0, "done")
	answered(p, 1)
	require.Equal(t, "dark", scheme())
	p.Reload()
	answered(p, 1)
	require.Equal(t, "dark", scheme())
}

// A waiting call blocks nobody, and can be decided in any tab.
func TestExampleGoesOnWhileACallWaits(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openExample(t, service)
	say(p, `/create_ticket {"title": "A lamp is broken"}`)
	callIs(p, 0, "awaiting")
	say(p, `/shop_lookup_order {"order": "AB-1234"}`)
	callIs(p, 1, "done")
	require.Equal(t, "Nobody has to approve it. ", test.Eval[string](p, `return all(".call")[1].querySelector("[data-part=fate]").textContent.split("Ended")[0]`))
	p.Until(`all("[data-role=assistant]")[1].dataset.state === "complete" && find(".view").dataset.state === "parked"`)
	other := p.Tab(test.Eval[string](p, `return location.href`), find)
	callIs(other, 0, "awaiting")
	other.Until(`all("[data-role=assistant]")[1]?.dataset.state === "complete" && find(".view").dataset.state === "parked"`)
	other.Do(`find(".call [data-action=approve]").focus()`) // a click would hit the place where the button was before the page scrolled
	other.Type(kb.Enter)
	for _, tab := range []*test.Page{p, other} {
		callIs(tab, 0, "done")
		tab.Until(`all("[data-role=assistant][data-state=complete]").length === 2 && ` + ready)
		require.Equal(t, 4, test.Eval[int](tab, `return all("article").length`))
	}
	require.Zero(t, count(service.Calls(), "POST /v3/chat/stop"))
	readings := slices.DeleteFunc(service.Calls(), func(call string) bool { return !strings.HasPrefix(call, "GET /v3/chat/stream/") })
	require.Less(t, len(readings), 12, "two tabs do not make each other read forever")
}

// A call that an administrator has to approve is decided in the console.
func TestExampleWaitsForAnAdministrator(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openExample(t, service)
	say(p, `/put_up_notice {"text": "Closed tomorrow."}`)
	callIs(p, 0, "awaiting")
	require.Equal(t, "waits for an administrator", inCall(p, 0, "status"))
	require.Equal(t, []bool{false, true}, canDecide(p))
	console := openConsole(t, service, "#/calls")
	console.Until(`find("#call-queue [data-call]")`)
	require.Equal(t, "Calls (1)", test.Eval[string](console, `return find("[data-view=calls]").textContent`))
	console.Click("#call-queue [data-action=edit-arguments]")
	console.Type(" All day.")
	console.Click("#call-queue input")
	console.Type("as agreed")
	console.Click("#call-queue [data-action=approve]")
	console.Until(`find("#call-queue [data-part=note]").textContent === "Approved with other arguments."`)
	callIs(p, 0, "done")
	p.Until(`find("#notice[data-kind=news]:not([hidden]) [data-part=text]")?.textContent === "Closed tomorrow. All day."`)
	require.Contains(t, inCall(p, 0, "fate"), "Approved with other arguments by reviewer, ")
	require.Contains(t, inCall(p, 0, "fate"), ": “as agreed”.")
}

// Texts of tools, models and users are shown as text, and invisible characters are named.
func TestExampleShowsCallsAsText(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openExample(t, service)
	p.Do(`
		find("#message").value = "/create_ticket " + JSON.stringify({ title: "<img src=x onerror='globalThis.fired = 1'>\u202eevil\u200b" });
		find("#message").focus();`)
	p.Type(kb.Enter)
	callIs(p, 0, "awaiting")
	require.Equal(t, []string{"title <img src=x onerror='globalThis.fired = 1'>⟨U+202E⟩evil⟨U+200B⟩"}, arguments(p, 0))
	for _, scheme := range []string{"light", "dark"} {
		p.Prefer("prefers-color-scheme", scheme)
		require.Empty(t, test.Eval[legibility](p, contrasts).Low, scheme)
	}
	for _, control := range p.Controls("button", "link", "textbox", "region") {
		require.True(t, control.Named, "a %s without a name", control.Role)
	}
	p.Click(".call [data-action=approve]")
	callIs(p, 0, "done")
	answered(p, 1)
	require.Equal(t, []any{0.0, false}, test.Eval[[]any](p, `return [all("#messages img").length, "fired" in globalThis]`))
}

func TestExampleEditsArgumentsOfEachKind(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openExample(t, service)
	p.Do(`
		const { Arguments } = await import("/examples/01-script-tag/arguments.js");
		globalThis.table = new Arguments();
		document.body.append(table.element);
		table.show('{"text": "a", "n": 1.50, "is": false, "list": [1, {"b": null}], "none": ""}');
		globalThis.set = (name, value) => {
			const field = [...table.element.querySelectorAll("textarea, input")].find((one) => one.ariaLabel === name);
			field.type === "checkbox" ? (field.checked = value) : (field.value = value);
		};
		globalThis.failure = () => { try { return table.read(); } catch (error) { return error.message; } };`)
	require.Equal(t, []string{"a", "1.5", "false", "[\n  1,\n  {\n    \"b\": null\n  }\n]", "(empty)"}, test.Eval[[]string](p, `
		return [...table.element.querySelectorAll("td")].map((cell) => cell.textContent)`))
	p.Do(`table.edit(true)`)
	require.Nil(t, test.Eval[any](p, `return table.read() ?? null`), "nobody has changed anything")
	p.Do(`set("n", "2,5")`)
	require.Equal(t, "n is not a number", test.Eval[string](p, `return failure()`))
	p.Do(`set("n", "2.5"); set("list", "[1")`)
	require.Equal(t, "list is not JSON", test.Eval[string](p, `return failure()`))
	p.Do(`set("list", "[]"); set("is", true); set("text", "a\nb")`)
	require.JSONEq(t, `{"text": "a\nb", "n": 2.5, "is": true, "list": [], "none": ""}`, test.Eval[string](p, `return failure()`))
	p.Do(`table.edit(false)`)
	require.Nil(t, test.Eval[any](p, `return table.read() ?? null`))
}

// canDecide reports whether the first card can be approved and denied.
func canDecide(p *test.Page) []bool {
	return test.Eval[[]bool](p, `
		return ["approve", "deny"].map((action) => find(".call [data-action=" + action + "]").checkVisibility())`)
}

// hideCall edits the question of the chat's call that waits, as the same user does on another device, and comes back to the page.
func hideCall(p *test.Page, chatSDK string) {
	p.Do(`
		const { access_token: accessToken, user_id } = await (await fetch("/demo/token", { method: "POST",
			headers: { "content-type": "application/json" }, body: JSON.stringify({ user_id: localStorage.getItem("chatsdk-demo-user") ?? undefined }) })).json();
		const { ChatSDK } = ` + chatSDK + `;
		const elsewhere = new ChatSDK({ baseUrl: location.origin, projectId: "demo", accessToken });
		const { tool_calls: [call] } = await elsewhere.listToolCalls({ status: "awaiting" });
		const { messages: [question] } = await elsewhere.getChatHistory(call.chat_id);
		await elsewhere.sendMessage("Another question", { chatId: call.chat_id, edits: question.id });
		elsewhere.close();
		dispatchEvent(new Event("focus"));`)
}

// Beside Approve the page says that the chat no longer shows the call's answer.
func TestExampleTellsCallsOfHiddenBranches(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openExample(t, service)
	say(p, `/create_ticket {"title": "A lamp is broken"}`)
	callIs(p, 0, "awaiting")
	p.Do(`dispatchEvent(new Event("focus"))`)
	require.True(t, test.Eval[bool](p, `return find(".call [data-part=hidden]").hidden`), "it is shown")
	hideCall(p, "globalThis")
	p.Until(`!find(".call [data-part=hidden]").hidden`)
	require.Contains(t, inCall(p, 0, "hidden"), "another version of the chat")
	require.Equal(t, []bool{true, true}, canDecide(p))
}
