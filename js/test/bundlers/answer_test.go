package bundlers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// question is what every example asks.
const question = "How many words are in this question?"

// stage is a service whose model waits in mid-answer.
type stage struct {
	*test.Service
	model *test.Model
}

func newStage(t *testing.T, env ...string) stage {
	t.Helper()
	model := test.NewModel(t)
	return stage{suite.Service(t, append(model.Env(), env...)...), model}
}

// resource is a file or call of a page, as its PerformanceResourceTiming has it.
type resource struct {
	Name   string `json:"name"`
	Status int    `json:"status"`
}

// counting counts the modules that are compiled while they come, which they are
// where the server says application/wasm.
const counting = `
	globalThis.streamed = 0;
	const { compileStreaming } = WebAssembly;
	WebAssembly.compileStreaming = (source) => {
		globalThis.streamed++;
		return compileStreaming(source);
	};`

// shown gives the text of the answer once there is some, or it has ended.
const shown = `
	const answer = document.getElementById("answer");
	await new Promise((resolve) => {
		const look = () => (answer.dataset.state === "ended" || ($1 === "" && answer.textContent !== "")) && resolve();
		new MutationObserver(look).observe(answer, { attributes: true, characterData: true, childList: true, subtree: true });
		look();
	});
	return answer.textContent;`

// follow opens an example and sees its answer come: the first half while the
// model still writes, then the whole, with one file of WebAssembly, compiled
// while it came, and nothing missing.
func (s stage) follow(t *testing.T, address string) {
	t.Helper()
	gate := make(chan struct{})
	s.model.On(question, func(a *test.Answer) {
		a.Text("There are ").Wait(gate)
		a.Text("seven.").Finish("stop")
	})
	p := suite.Page(t, address, counting)
	require.Equal(t, "There are ", test.Eval[string](p, shown, ""), "while the model writes")
	close(gate)
	require.Equal(t, "There are seven.", test.Eval[string](p, shown, "ended"))
	requireFiles(t, p)
}

func requireFiles(t *testing.T, p *test.Page) {
	t.Helper()
	resources := test.Eval[[]resource](p, `
		return performance.getEntriesByType("resource").map(({ name, responseStatus: status }) => ({ name, status }));`)
	var modules []string
	for _, file := range resources {
		require.Less(t, file.Status, 400, file.Name)
		if strings.HasSuffix(file.Name, ".wasm") {
			modules = append(modules, file.Name)
		}
	}
	require.Len(t, modules, 1, resources)
	require.Equal(t, 1, test.Eval[int](p, `return streamed`), "it was compiled while it came")
}

// refusal opens an example that lacks something and gives what it shows.
func refusal(t *testing.T, address string, expected ...string) string {
	t.Helper()
	p := suite.Page(t, address)
	for _, text := range expected {
		p.Expect(text)
	}
	return test.Eval[string](p, shown, "ended")
}
