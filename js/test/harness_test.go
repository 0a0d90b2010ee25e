package test_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// The tests' own tools work in every browser.
func TestTheHarness(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, http.NotFound)
	service.Handle("/test/harness.html", func(w http.ResponseWriter, _ *http.Request) {
		test.Reply(w, 200, "text/html; charset=utf-8", `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>harness</title><link rel="icon" href="data:,">
			<script>globalThis.order.push("page")</script>
			<style>body { color: rgb(1, 1, 1) } @media (prefers-color-scheme: dark) { body { color: rgb(2, 2, 2) } }</style>
			<button id="named">Named</button><button id="empty"></button><button hidden></button>
			<input aria-label="Text"><input id="file" type="file" hidden>
			<p style="height: 200vh"></p><a id="far" href="#there">Far</a>`)
	})
	address := service.URL + "/test/harness.html"
	p := suite.Page(t, address, `globalThis.order = ["first"];`, `const second = "second"; order.push(second)`)

	require.Equal(t, []string{"first", "second", "page"}, test.Eval[[]string](p, `return order`))
	p.Reload()
	require.Equal(t, []string{"first", "second", "page"}, test.Eval[[]string](p, `return order`))
	require.Equal(t, []test.Control{{Role: "button", Named: true}, {Role: "button"}}, p.Controls("button"))

	p.Do(`document.querySelector("input").addEventListener("keydown", ({ key, shiftKey }) => { document.title = key + shiftKey })`)
	p.Click("input")
	p.Type("a b ü")
	require.Equal(t, "a b ü", test.Eval[string](p, `return document.querySelector("input").value`))
	p.Type(kb.Enter, chromedp.ModifierShift)
	require.Equal(t, "Entertrue", test.Eval[string](p, `return document.title`))
	p.Click("#far")
	require.Equal(t, "#there", test.Eval[string](p, `return location.hash`))
	p.Do(`scrollTo(0, 0); document.querySelector("#named").addEventListener("mouseenter", () => { document.title = "pointed" })`)
	p.Point("#named")
	p.Until(`document.title === "pointed"`)

	path := filepath.Join(t.TempDir(), "file.txt")
	require.NoError(t, os.WriteFile(path, []byte("content"), 0o600))
	p.Attach("#file", path)
	require.Equal(t, []string{"file.txt", "content"}, test.Eval[[]string](p, `
		const [file] = document.querySelector("#file").files;
		return [file.name, await file.text()];`))

	p.Prefer("prefers-color-scheme", "dark")
	require.Equal(t, "rgb(2, 2, 2)", test.Eval[string](p, `return getComputedStyle(document.body).color`))
	p.Prefer("prefers-color-scheme", "light")
	require.Equal(t, "rgb(1, 1, 1)", test.Eval[string](p, `return getComputedStyle(document.body).color`))
	p.OnAPhone()
	require.Equal(t, []int{360, 640}, test.Eval[[]int](p, `return [innerWidth, innerHeight]`))

	p.Offline(true)
	require.Equal(t, "TypeError", test.Eval[string](p, `return fetch("/anything").then(() => "an answer", (error) => error.name)`))
	p.Offline(false)
	p.Do(`await fetch("/anything")`)
}

func TestTheHarnessSeesWhatAPageReports(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, http.NotFound)
	p := suite.Page(t, service.URL+test.BlankPage)
	p.Do(`
		console.error("said");
		console.warn("only warned");
		setTimeout(() => { throw new RangeError("thrown"); });
		setTimeout(() => { Promise.reject(new Error("rejected")); });
		await new Promise((resolve) => setTimeout(resolve));`)
	p.Expect("said")
	p.Expect("uncaught: Uncaught RangeError: thrown")
	p.Expect("Error: rejected")
	require.Len(t, p.Errors(), 3)
}

func TestTheHarnessKeepsPagesApart(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, http.NotFound)
	p := suite.Page(t, service.URL+test.BlankPage)
	p.Do(`localStorage.setItem("whose", "the first's"); document.cookie = "whose=first"`)
	stored := `return [localStorage.getItem("whose"), document.cookie]`
	require.Equal(t, []any{"the first's", "whose=first"}, test.Eval[[]any](p.Tab(service.URL+test.BlankPage), stored))
	require.Equal(t, []any{nil, ""}, test.Eval[[]any](suite.Page(t, service.URL+test.BlankPage), stored))
}
