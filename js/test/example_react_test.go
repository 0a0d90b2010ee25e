package test_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

const reactExamplePath = "/examples/04-react/"

// reactFlags make a bundle use the packages of the project.
var reactFlags = []string{
	"--format=esm", "--jsx=automatic",
	"--alias:chatsdk/react=./dist/react.mjs", "--alias:chatsdk=./dist/chatsdk.mjs",
	"--alias:react=./node_modules/react", "--alias:react-dom=./node_modules/react-dom",
}

// serveReactExample bundles the example as its own build does, with the packages
// of the project.
func serveReactExample(t *testing.T, service *test.Service) {
	t.Helper()
	service.Script(reactExamplePath+"dist/main.js", suite.Bundle(t, "examples/04-react/main.tsx", reactFlags...))
	service.Handle("GET "+reactExamplePath+"dist/chatsdk.wasm", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, suite.File("dist/chatsdk.wasm"))
	})
}

func TestReactExample(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	answer := pace(model, "slow", "one ", "two")
	service := suite.Service(t, model.Env()...)
	serveReactExample(t, service)
	p := suite.Page(t, service.URL+reactExamplePath)
	ask := func(text string) {
		hasStatus(p, "ready")
		p.Click("input")
		p.Type(text + kb.Enter)
	}
	lastIs := func(text string) {
		p.Until(`[...[...document.querySelectorAll("li")].at(-1)?.querySelectorAll("p, small") ?? []].map((part) => part.textContent).join("") === $1`, text)
	}
	ask("slow")
	lastIs("one ")
	p.Until(`location.hash !== "" && document.querySelector("h1").textContent !== ""`)
	p.Reload()
	lastIs("one ")
	close(answer.gates[1])
	lastIs("one two")
	hasStatus(p, "ready")
	require.Equal(t, "slow", test.Eval[string](p, `return document.querySelector("h1").textContent`))
	require.Equal(t, int32(1), answer.asked.Load())

	again := pace(model, "slow", "three ", "four")
	p.Click("li:last-child nav button") // Regenerate
	lastIs("three ")
	p.Click("main > form button") // Stop
	<-again.left
	lastIs("three Stopped.")
	hasStatus(p, "ready")
	p.Click("[aria-label='Previous version']")
	lastIs("one two")
	require.Equal(t, "‹ 1 of 2 ›", test.Eval[string](p, `return document.querySelector("li:last-child nav span").textContent`))

	hasStatus(p, "ready")
	p.Click("li nav button") // Edit
	p.Until(`document.activeElement?.name === "text"`)
	p.Type("er" + kb.Enter)
	lastIs("slower")
	p.Until(`document.querySelector("li nav")?.textContent === "‹ 2 of 2 ›Edit"`)

	p.Click("header a")
	p.Until(`!document.querySelector("li")`)
	model.On("busy", func(a *test.Answer) { a.Refuse(http.StatusServiceUnavailable) })
	ask("busy")
	p.Until(`document.querySelector("[role=alert]")`)
	model.On("busy", func(a *test.Answer) { a.Text("free").Finish("stop") })
	p.Click("[role=alert] button")
	lastIs("free")
}

// A message that could not go out stays, marked, when the next is sent, and goes out when the user says so.
func TestReactExampleKeepsWhatWasNotSent(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "it takes the page offline, but not a worker")
	model := test.NewModel(t)
	service := suite.Service(t, model.Env()...)
	serveReactExample(t, service)
	p := suite.Page(t, service.URL+reactExamplePath)
	ask := func(text string) {
		p.Until(`document.querySelector("main > form button")?.textContent === "Send"`)
		p.Click("main > form input")
		p.Type(text + kb.Enter)
	}
	hasRows := func(want ...string) {
		p.Until(`JSON.stringify([...document.querySelectorAll("li")].map((row) =>
			row.querySelector("p").textContent + (row.querySelector("[role=status]") ? " (unsent)" : ""))) === JSON.stringify($1)`, want)
	}
	ask("first")
	hasRows("first", "first")
	hasStatus(p, "ready")
	p.Offline(true)
	ask("offline")
	hasRows("first", "first", "offline (unsent)")
	require.True(t, test.Eval[bool](p, `return document.querySelector("[role=status]").checkVisibility()`))
	p.Offline(false)
	ask("next")
	hasRows("first", "first", "offline (unsent)", "next", "next")
	hasStatus(p, "ready")
	require.Equal(t, 0, model.Calls("offline"))
	p.Click("[role=status] button") // Send again
	hasRows("first", "first", "next", "next", "offline", "offline")
	hasStatus(p, "ready")
	p.Reload()
	hasRows("first", "first", "next", "next", "offline", "offline")
	require.Equal(t, 1, model.Calls("offline"))
}

// reactExampleWithACall opens the page, on which a call waits for its approval.
func reactExampleWithACall(t *testing.T) *test.Page {
	t.Helper()
	service := suite.Service(t)
	serveReactExample(t, service)
	p := suite.Page(t, service.URL+reactExamplePath)
	hasStatus(p, "ready")
	p.Click("main > form input")
	p.Type(ticket + kb.Enter)
	p.Until(`document.querySelector("[data-call=awaiting]")`)
	hasStatus(p, "waiting")
	return p
}

func TestReactExampleApprovesACall(t *testing.T) {
	t.Parallel()
	p := reactExampleWithACall(t)
	p.Click("[data-call] button")
	p.Until(`document.querySelector("[data-call=done] small")?.textContent.includes('"title":"A lamp is broken"')`)
	hasStatus(p, "ready")
}

// Beside Approve the page says that the chat no longer shows the call's answer.
func TestReactExampleTellsCallsOfHiddenBranches(t *testing.T) {
	t.Parallel()
	p := reactExampleWithACall(t)
	require.False(t, test.Eval[bool](p, `return document.querySelector("[data-call] small") !== null`))
	hideCall(p, `await import("/dist/chatsdk.mjs")`)
	p.Until(`document.querySelector("[data-call=awaiting] small")?.textContent.includes("another version of the chat")`)
	require.Equal(t, "ApproveDeny", test.Eval[string](p, `return document.querySelector("[data-call=awaiting] nav").textContent`))
}
