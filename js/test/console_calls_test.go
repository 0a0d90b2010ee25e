package test_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// inCallQueue are the texts of the calls that can be decided in the console.
func inCallQueue(p *test.Page) []string {
	return test.Eval[[]string](p, `return all("#call-queue [data-state=open] td").map((cell) => cell.textContent)`)
}

// putUp makes a user's page, which stays open, request notices that an administrator has to
// approve.
func putUp(t *testing.T, service *test.Service, texts ...string) *test.Page {
	t.Helper()
	p := suite.Page(t, service.URL+test.ModulePage)
	p.Do(`
		globalThis.up = [];
		globalThis.sdk = new ChatSDK({ ...$1, tools: { put_up: {
			description: "Puts up a notice.", approval: "admin",
			parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
			run: ({ text }) => void up.push(text),
		} } });
		globalThis.answers = $2.map((text) => sdk.stream("/put_up " + JSON.stringify({ text })));
		while ((await sdk.listToolCalls({ status: "awaiting" })).tool_calls.length < $2.length);`, service.Config(t, "ana"), texts)
	return p
}

func TestConsoleDecidesCalls(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	user := putUp(t, service, "one", "two", "three")
	p := openConsole(t, service, "#/calls")
	p.Until(`all("#call-queue [data-state=open]").length === 3`)
	require.ElementsMatch(t, []string{"one", "two", "three"}, inCallQueue(p))
	require.Equal(t, "(3) Memory console", test.Eval[string](p, `return document.title`))
	of := func(text string) string {
		id := test.Eval[string](p, `return all("#call-queue [data-call]").find((card) => card.querySelector("td").textContent === $1).dataset.call`, text)
		return `[data-call="` + id + `"]`
	}
	one, two, three := of("one"), of("two"), of("three")
	p.Click(one + " [data-action=approve]")
	p.Until(`find($1).dataset.state === "settled"`, one)
	require.Equal(t, "Approved.", test.Eval[string](p, `return find($1).querySelector("[data-part=note]").textContent`, one))
	user.Do(`while (!up.includes("one")) await new Promise(requestAnimationFrame)`)

	p.Click(two + " input")
	p.Type("not this one")
	p.Click(two + " [data-action=deny]")
	p.Until(`find($1 + " [data-part=note]")?.textContent === "Denied."`, two)
	require.Equal(t, []string{"reviewer", "not this one"}, test.Eval[[]string](user, `
		const { tool_calls: [{ decided_by, reason }] } = await sdk.listToolCalls({ status: "denied" });
		return [decided_by, reason];`))

	// Somebody else decides first: the focused card stays, and says so.
	p.Do(`find($1).scrollIntoView({ block: "center" })`, three)
	p.Point(three)
	user.Do(`
		const [call] = (await sdk.listToolCalls({ status: "awaiting" })).tool_calls;
		await sdk.denyToolCall(call.id);`)
	p.Until(`find($1 + " [data-part=note]")?.textContent === "Already denied elsewhere."`, three)
	require.Equal(t, []string{"one"}, test.Eval[[]string](user, `return up`))
	require.Equal(t, "Calls", test.Eval[string](p, `return find("[data-view=calls]").textContent`))
}

// A call of a branch that the chat no longer shows says so beside its buttons, and waits all the same.
func TestConsoleTellsCallsOfHiddenBranches(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	user := putUp(t, service, "one")
	user.Do(`
		const [{ chat_id: chatId }] = (await sdk.listToolCalls({ status: "awaiting" })).tool_calls;
		const { messages: [{ id }] } = await sdk.getChatHistory(chatId);
		globalThis.edited = sdk.stream("/put_up " + JSON.stringify({ text: "two" }), { chatId, edits: id });
		while ((await sdk.listToolCalls({ status: "awaiting" })).tool_calls.length < 2);`)
	require.Equal(t, []string{"two undefined", "one true"}, test.Eval[[]string](user, `
		return (await sdk.listToolCalls({ status: "awaiting" })).tool_calls.map((call) => JSON.parse(call.arguments).text + " " + call.hidden);`))
	p := openConsole(t, service, "#/calls")
	p.Until(`all("#call-queue [data-state=open]").length === 2`)
	require.Equal(t, []string{"one: false", "two: true"}, test.Eval[[]string](p, `
		return all("#call-queue [data-call]").map((card) => card.querySelector("td").textContent + ": " + card.querySelector("[data-part=hidden]").hidden);`))
}

func TestConsoleIsLegibleWithCalls(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	putUp(t, service, "one")
	p := openConsole(t, service, "#/calls")
	p.Until(`find("#call-queue [data-state=open]")`)
	for _, scheme := range []string{"light", "dark"} {
		p.Prefer("prefers-color-scheme", scheme)
		require.Empty(t, test.Eval[legibility](p, contrasts).Low, scheme)
	}
	for _, control := range p.Controls("button", "link", "textbox") {
		require.True(t, control.Named, "a %s without a name", control.Role)
	}
}
