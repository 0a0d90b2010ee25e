package aisdk_test

import (
	"os/exec"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

var exampleBuilt sync.Once

func buildExample(t *testing.T) {
	t.Helper()
	exampleBuilt.Do(func() {
		command := exec.CommandContext(t.Context(), "npm", "run", "build", "--silent")
		command.Dir = suite.File(example)
		output, err := command.CombinedOutput()
		require.NoError(t, err, string(output))
	})
}

// The example as its README builds it, used by a person.
func TestTheExample(t *testing.T) {
	t.Parallel()
	buildExample(t)

	model := test.NewModel(t)
	gate, _ := gated(model, "count")
	model.On("hard", func(a *test.Answer) { a.Refuse(400) })
	service := suite.Service(t, model.Env()...)
	p := suite.Page(t, service.URL+"/"+example+"/")
	shows := func(status, text string) {
		t.Helper()
		p.Until(`document.querySelector("main")?.dataset.status === $1 && document.querySelector("article:last-of-type")?.textContent === $2`, status, text)
	}
	ask := func(text string) {
		p.Click(`input[name="text"]`)
		p.Type(text + "\r")
	}

	p.Until(`document.querySelector("main")?.dataset.status === "ready"`)
	ask("count")
	shows("streaming", "one ")
	p.Reload()
	shows("streaming", "one ")
	close(gate)
	shows("ready", "one two")
	require.Equal(t, 1, model.Calls("count"))
	require.Equal(t, "count", test.Eval[string](p, `return document.querySelector("h1").textContent`), "the chat's name")

	ask("hard")
	p.Until(`document.querySelector("[role=alert]")?.textContent.includes("rejected the question")`)
	model.On("hard", func(a *test.Answer) { a.Text("easy").Wait(nil) })
	p.Click(`form button:last-child`) // try again
	shows("streaming", "easy")
	p.Click(`form button:last-child`) // stop
	shows("ready", "easy")
	require.Equal(t, []string{"count", "one two", "hard", "easy"},
		test.Eval[[]string](p, `return [...document.querySelectorAll("article")].map((article) => article.textContent)`))
}

// A message that could not be sent is marked, also when the next one has been sent, and can be sent again.
func TestTheExampleMarksWhatWasNotSent(t *testing.T) {
	t.Parallel()
	buildExample(t)
	model := test.NewModel(t)
	p := suite.Page(t, suite.Service(t, model.Env()...).URL+"/"+example+"/")
	ask := func(text string) {
		p.Click(`input[name="text"]`)
		p.Type(text + "\r")
	}
	articles := func() []string {
		return test.Eval[[]string](p, `return [...document.querySelectorAll("article")].map((article) => article.textContent)`)
	}
	p.Until(`document.querySelector("main")?.dataset.status === "ready"`)
	p.Offline(true)
	ask("one")
	p.Until(`document.querySelector("main").dataset.status === "error"`)
	require.Equal(t, []string{"oneNot sent. Send again"}, articles())
	p.Offline(false)
	ask("two")
	p.Until(`document.querySelector("main").dataset.status === "ready"`)
	require.Equal(t, []string{"oneNot sent. Send again", "two", "two"}, articles())
	p.Click(`article [role=status] button`)
	p.Until(`document.querySelectorAll("article").length === 4 && document.querySelector("main").dataset.status === "ready"`)
	require.Equal(t, []string{"two", "two", "one", "one"}, articles())
	require.Equal(t, 1, model.Calls("one"))
}

func TestTheExampleApprovesACall(t *testing.T) {
	t.Parallel()
	buildExample(t)
	p := suite.Page(t, suite.Service(t).URL+"/"+example+"/")
	p.Until(`document.querySelector("main")?.dataset.status === "ready"`)
	p.Click(`input[name="text"]`)
	p.Type("/create_ticket {\"title\": \"A lamp is broken\"}\r")
	p.Until(`document.querySelector("[data-call=approval-requested]")`)
	require.Equal(t, "titleA lamp is broken", test.Eval[string](p, `return document.querySelector("dl").textContent`))
	p.Click("[data-call] button") // Approve
	p.Until(`document.querySelector("[data-call=output-available] pre")?.textContent.includes('"title":"A lamp is broken"')`)
	p.Until(`document.querySelector("main").dataset.status === "ready"`)
}
