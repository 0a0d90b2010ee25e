package test_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// thinking is a service whose agent shows what its model thinks. The model says "Yes." when the gate opens.
func thinking(t *testing.T) (service *test.Service, gate chan struct{}) {
	model := test.NewModel(t)
	gate = make(chan struct{})
	model.On("why?", func(a *test.Answer) {
		if a.Think("Let me ").Think("see.").Wait(gate) {
			a.Text("Yes.").Finish("stop")
		}
	})
	return suite.Service(t, append(model.Env(), "AGENTS="+agents(t, "agents: [{id: a, name: A, reasoning: shown}]"))...), gate
}

// The chat page shows what the model thinks, folded, while it thinks and after a reload.
func TestExampleFoldsReasoning(t *testing.T) {
	t.Parallel()
	service, gate := thinking(t)
	p := openExample(t, service)
	say(p, "why?")
	p.Until(`find("[data-part=thoughts]")?.textContent === "Let me see."`)
	folded := func(text string) {
		t.Helper()
		require.Equal(t, []any{false, false, "Let me see.", text}, test.Eval[[]any](p, `
			const last = all("[data-role=assistant]").at(-1);
			const { hidden, open } = last.querySelector("[data-part=reasoning]");
			return [hidden, open, last.querySelector("[data-part=thoughts]").textContent, last.querySelector("[data-part=text]").textContent.trim()];`))
	}
	folded("")
	p.Reload()
	p.Until(`find("[data-part=thoughts]")?.textContent === "Let me see."`)
	close(gate)
	require.Equal(t, "Yes.", answered(p, 1))
	folded("Yes.")
	p.Reload()
	require.Equal(t, "Yes.", answered(p, 1))
	folded("Yes.")
}

// The hook's answers have what the model thinks, if the component asks for it.
func TestReactHasReasoning(t *testing.T) {
	t.Parallel()
	service, gate := thinking(t)
	p := reactPage(t, service.Origin, service.Config(t, "ada"))
	show(p, map[string]any{"reasoning": true})
	hasStatus(p, "ready")
	p.Do(`globalThis.sent = chat.send("why?")`)
	p.Until(`chat.messages[1]?.reasoning === "Let me see."`)
	require.Equal(t, []any{"", "streaming"}, test.Eval[[]any](p, `return [chat.messages[1].content, chat.status]`))
	close(gate)
	require.Equal(t, []string{"Yes.", "Let me see."}, test.Eval[[]string](p, `const { content, reasoning } = await sent; return [content, reasoning]`))
	require.Equal(t, []any{"Yes.", "Let me see."}, test.Eval[[]any](p, `const { content, reasoning } = await chat.regenerate(); return [content, reasoning]`))
	require.Equal(t, []any{"Yes.", nil}, test.Eval[[]any](p, `
		const { content, reasoning } = await chat.send("why?", { reasoning: false });
		return [content, reasoning ?? null];`))
}

// The console shows what a model wrote beside what will be carried out, where they differ.
func TestConsoleShowsWhatTheModelWrote(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	user := suite.Page(t, service.URL+test.ModulePage)
	user.Do(`
		globalThis.sdk = new ChatSDK({ ...$1, tools: { pick: {
			description: "Picks.", approval: "admin", parameters: { type: "object", properties: { n: { type: "integer" } } }, run: () => "picked",
		} } });
		globalThis.answers = ['{"n":"5"}', '{"n":6}'].map((text) => sdk.stream("/pick " + text));
		while ((await sdk.listToolCalls({ status: "awaiting" })).tool_calls.length < 2);`, service.Config(t, "ana"))
	p := openConsole(t, service, "#/calls")
	p.Until(`all("#call-queue [data-state=open]").length === 2`)
	require.ElementsMatch(t, []string{`5 false {"n":"5"}`, "6 true "}, test.Eval[[]string](p, `
		return all("#call-queue [data-call]").map((card) => [
			card.querySelector("td").textContent, card.querySelector("[data-part=mended]").hidden, card.querySelector("[data-part=wrote]").textContent,
		].join(" "));`))
}
