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

// counting counts the modules that the page compiles while they arrive, as it does
// if the server says application/wasm, those that it compiles otherwise, and its
// workers and warnings.
const counting = `
	globalThis.counted = { streamed: 0, compiled: 0, workers: 0, warnings: [] };
	for (const name of ["compile", "compileStreaming", "instantiateStreaming"]) {
		const run = WebAssembly[name];
		WebAssembly[name] = (...args) => {
			counted[name === "compileStreaming" ? "streamed" : "compiled"]++;
			return run(...args);
		};
	}
	globalThis.Worker = class extends Worker {
		constructor(...args) { counted.workers++; super(...args); }
	};
	console.warn = (...args) => counted.warnings.push(args.join(" "));`

// counted is what counting counted.
type counted struct {
	Streamed int      `json:"streamed"`
	Compiled int      `json:"compiled"`
	Workers  int      `json:"workers"`
	Warnings []string `json:"warnings"`
}

// inPage and inWorker are the counts of an example that runs the core there.
var (
	inPage   = counted{Streamed: 1, Warnings: []string{}}
	inWorker = counted{Workers: 1, Warnings: []string{}}
)

// shown returns the text of the answer once there is some, or it has ended.
const shown = `
	const answer = document.getElementById("answer");
	await new Promise((resolve) => {
		const look = () => (answer.dataset.state === "ended" || ($1 === "" && answer.textContent !== "")) && resolve();
		new MutationObserver(look).observe(answer, { attributes: true, characterData: true, childList: true, subtree: true });
		look();
	});
	return answer.textContent;`

// follow opens an example and watches its answer arrive: the first half while the
// model still writes, then the whole, with one file of WebAssembly, compiled
// while it arrived, and no file missing.
func (s stage) follow(t *testing.T, address string) {
	t.Helper()
	p := s.answered(t, address)
	require.Len(t, modules(t, p), 1)
	require.Equal(t, inPage, countedIn(p), "it was compiled while it arrived")
}

// followInWorker does the same with the core in a worker: the page itself neither
// fetches nor compiles WebAssembly, and warns of nothing.
func (s stage) followInWorker(t *testing.T, address string) {
	t.Helper()
	p := s.answered(t, address+"#worker")
	require.Empty(t, modules(t, p))
	require.Equal(t, inWorker, countedIn(p))
}

// answered opens an example and watches its answer arrive.
func (s stage) answered(t *testing.T, address string) *test.Page {
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
	return p
}

func countedIn(p *test.Page) counted { return test.Eval[counted](p, `return counted`) }

// modules are the files of WebAssembly that the page fetched. No file that it
// requested may be missing.
func modules(t *testing.T, p *test.Page) (modules []string) {
	t.Helper()
	resources := test.Eval[[]resource](p, `
		return performance.getEntriesByType("resource").map(({ name, responseStatus: status }) => ({ name, status }));`)
	for _, file := range resources {
		require.Less(t, file.Status, 400, file.Name)
		if strings.HasSuffix(file.Name, ".wasm") {
			modules = append(modules, file.Name)
		}
	}
	return modules
}

// warning keeps the last warning, the advice of an error.
const warning = `const { warn } = console; console.warn = (...texts) => { globalThis.warned = texts.join(" "); warn(...texts); };`

// refusal opens an example that lacks something and returns what it shows, and what the console advises.
func refusal(t *testing.T, address string, expected ...string) string {
	t.Helper()
	p := suite.Page(t, address, warning)
	for _, text := range expected {
		p.Expect(text)
	}
	return test.Eval[string](p, shown, "ended") + test.Eval[string](p, `return " " + globalThis.warned`)
}
