package test_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// ticket makes the demo's agent call a tool that its user has to approve.
const ticket = `/create_ticket {"title": "A lamp is broken"}`

// toolCall is a call as the page has it.
type toolCall struct {
	ID, Name, Status, Arguments, Result, Reason string
	DecidedBy                                   string `json:"decided_by"`
	Edited                                      bool
	At                                          int
}

// callOf is the first call of the n-th visible message, from 0.
func callOf(p *test.Page, n int) toolCall {
	return test.Eval[toolCall](p, `return chat.messages[$1].tool_calls[0]`, n)
}

// notes gives a page a tool that keeps what it is told.
const notes = `
	globalThis.noted = [];
	globalThis.sdk = new ChatSDK({ ...$1, tools: { note: {
		description: "Notes a text on this page.",
		parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
		run: async ({ text }) => {
			noted.push(text);
			return "noted " + text;
		},
	} } });`

func TestReactDecidesACall(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := reactPage(t, service.Origin, service.Config(t, "ada"))
	show(p, map[string]any{})
	hasStatus(p, "ready")
	p.Do(`globalThis.sent = chat.send($1)`, ticket)
	hasStatus(p, "waiting")
	call := callOf(p, 1)
	require.Equal(t, []any{"create_ticket", "awaiting", `{"title": "A lamp is broken"}`}, []any{call.Name, call.Status, call.Arguments})
	require.Equal(t, test.Eval[int](p, `return chat.messages[1].content.length`), call.At)

	got := test.Eval[toolCall](p, `return chat.approve($1, { arguments: { title: "A lamp", priority: "high" } })`, call.ID)
	require.Equal(t, []any{"approved", true, "ada"}, []any{got.Status, got.Edited, got.DecidedBy})
	require.Equal(t, "stop", test.Eval[string](p, `return (await sent).finish_reason`))
	hasStatus(p, "ready")
	call = callOf(p, 1)
	require.Equal(t, []any{"done", `{"title":"A lamp","priority":"high"}`}, []any{call.Status, call.Arguments})
	require.Contains(t, call.Result, `"title":"A lamp"`)
	require.Contains(t, test.Eval[string](p, `return chat.messages[1].content`), "create_ticket is done")

	p.Do(`globalThis.sent = chat.send($1)`, ticket)
	hasStatus(p, "waiting")
	require.Equal(t, "denied", test.Eval[string](p, `return (await chat.deny(chat.messages[3].tool_calls[0].id, "not today")).status`))
	require.Contains(t, test.Eval[string](p, `return (await sent).content`), "not today")
	require.Equal(t, "not today", callOf(p, 3).Reason)

	p.Do(`void chat.send($1)`, ticket)
	hasStatus(p, "waiting")
	p.Do(`await chat.stop()`)
	hasStatus(p, "ready")
	require.Equal(t, []string{"denied", "stopped"}, []string{callOf(p, 5).Status, callOf(p, 5).Reason})
	require.Contains(t, test.Eval[string](p, `return (await kit.failure(chat.approve("call_none"))).code`), "ENTITY_NOT_FOUND")
	hasStatus(p, "ready")
}

// A waiting call is still there after a reload, and in another tab, where it may also be decided.
func TestReactFindsACallAgain(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	config := service.Config(t, "ada")
	p := reactPage(t, service.Origin, config)
	show(p, map[string]any{})
	hasStatus(p, "ready")
	p.Do(`void chat.send($1)`, ticket)
	hasStatus(p, "waiting")
	chatID := test.Eval[string](p, `return chat.chatId`)
	p.Reload()
	startReact(p, config)
	show(p, map[string]any{"chatId": chatID})
	hasStatus(p, "waiting")
	call := callOf(p, 1)
	require.Equal(t, "awaiting", call.Status)

	other := p.Tab(service.URL + test.ModulePage)
	startReact(other, config)
	show(other, map[string]any{"chatId": chatID})
	hasStatus(other, "waiting")
	decisions := []string{
		test.Eval[string](p, `return (await chat.deny($1, "mine")).status`, call.ID),
		test.Eval[string](other, `return (await chat.approve($1)).status`, call.ID),
	}
	require.Equal(t, []string{"denied", "denied"}, decisions, "the first decision counts, and both get it")
	for _, tab := range []*test.Page{p, other} {
		hasStatus(tab, "ready")
		require.Equal(t, "mine", callOf(tab, 1).Reason)
		lastIs(tab, "stop", "Calling create_ticket.\n\ncreate_ticket was denied, and was not carried out, with the reason:\n> mine")
	}
}

// While an answer waits, the user can ask another question, or look at another branch.
func TestReactGoesOnWhileACallWaits(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := reactPage(t, service.Origin, service.Config(t, "ada"))
	show(p, map[string]any{})
	hasStatus(p, "ready")
	p.Do(`void chat.send($1)`, ticket)
	hasStatus(p, "waiting")
	p.Do(`await chat.send("What did I ask first?")`)
	p.Until(`document.querySelectorAll("li").length === 4`)
	hasStatus(p, "waiting")
	p.Do(`await chat.send($1.replace("lamp", "door"))`, `/shop_lookup_order {"order": "AB-1234"}`)
	hasStatus(p, "waiting")
	require.Equal(t, "done", callOf(p, 5).Status, "nobody has to approve this one")
	p.Do(`
		globalThis.other = chat.edit(chat.messages[2].id, "What did I ask last?");
		await other;`)
	hasStatus(p, "waiting")
	p.Do(`void chat.selectBranch(chat.messages[2].siblings[0])`)
	p.Until(`document.querySelectorAll("li").length === 6`)
	hasStatus(p, "waiting")
	p.Do(`await chat.approve(chat.messages[1].tool_calls[0].id)`)
	hasStatus(p, "ready")
	require.Equal(t, "done", callOf(p, 1).Status)
	require.Contains(t, test.Eval[string](p, `return chat.messages[1].content`), "create_ticket is done")
	require.Zero(t, count(service.Calls(), "POST /v3/chat/stop"))
}

// If two answers wait, one continues when its call is decided, whichever was being read.
func TestReactWithTwoWaitingAnswers(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := reactPage(t, service.Origin, service.Config(t, "ada"))
	show(p, map[string]any{})
	hasStatus(p, "ready")
	p.Do(`void chat.send($1)`, ticket)
	hasStatus(p, "waiting")
	p.Do(`void chat.send($1)`, `/create_ticket {"title": "A door is open"}`)
	p.Until(`document.querySelectorAll("li").length === 4`)
	hasStatus(p, "waiting")
	p.Do(`await chat.approve(chat.messages[1].tool_calls[0].id)`)
	p.Until(`document.querySelectorAll("li")[1].dataset.state === "stop"`)
	hasStatus(p, "waiting")
	require.Equal(t, []string{"done", "awaiting"}, []string{callOf(p, 1).Status, callOf(p, 3).Status})
	p.Do(`await chat.approve(chat.messages[3].tool_calls[0].id)`)
	hasStatus(p, "ready")
	require.Equal(t, "done", callOf(p, 3).Status)
}

// A tool of the page runs once, in the tab in which it was approved.
func TestReactRunsThePagesTool(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	config := service.Config(t, "ada")
	p := reactPage(t, service.Origin, config)
	p.Do(notes, config)
	show(p, map[string]any{})
	hasStatus(p, "ready")
	p.Do(`globalThis.sent = chat.send('/note {"text": "milk"}')`)
	hasStatus(p, "waiting")
	other := p.Tab(service.URL + test.ModulePage)
	startReact(other, config)
	other.Do(notes, config)
	show(other, map[string]any{"chatId": test.Eval[string](p, `return chat.chatId`)})
	hasStatus(other, "waiting")
	other.Do(`await chat.approve(chat.messages[1].tool_calls[0].id)`)
	hasStatus(p, "ready")
	hasStatus(other, "ready")
	require.Equal(t, "noted milk", callOf(p, 1).Result)
	require.Equal(t, "noted milk", callOf(other, 1).Result)
	noted := append(test.Eval[[]string](p, `return noted`), test.Eval[[]string](other, `return noted`)...)
	require.Equal(t, []string{"milk"}, noted)
}
