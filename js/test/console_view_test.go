package test_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// agentsFile names two agents without memory.
func agentsFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agents.yaml")
	require.NoError(t, os.WriteFile(path, []byte("agents:\n- {id: first, name: The first}\n- {id: second/one, name: The second}\n"), 0o600))
	return path
}

// hostile is text that would do harm as HTML, or reverse the reading direction.
const hostile = `<img src=x onerror="globalThis.fired = true"></blockquote><script>globalThis.fired = true</script> ` + "\u202e" + ` שלום <b>bold</b> ` + "\u2066"

// Texts of people and models are always shown as text.
func TestConsoleShowsMarkupAsText(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	message, quote := hostile+" I like "+hostile+".", "I like "+hostile
	content := "User likes <img src=x onerror=fired=1>"
	model.Detects(message, test.Detected{Type: "preference", Content: content, Confidence: 0.555, Quote: quote})
	service, admin := remembering(t, model.Env()...)
	user := `<b onclick="fired=1">ana & "co"`
	tell(admin, 1, user, message)
	p := openConsole(t, service, "")
	p.Until(`card($1)`, content)
	shown := strings.NewReplacer("\u202e", "⟨U+202E⟩", "\u2066", "⟨U+2066⟩").Replace // invisible characters are named
	require.Equal(t, []string{shown(message), shown(quote), user}, test.Eval[[]string](p, `
		return [inside(card($1), "message"), card($1).querySelector("mark").textContent, inside(card($1), "user")]`, content))
	p.Click("[data-view=memories]")
	p.Until(`row($1)`, content)
	require.Equal(t, shown(message), test.Eval[string](p, `return inside(row($1), "message")`, content))
	p.Click("#owners [data-action=delete-all]")
	p.Until(`find("#confirm").open`)
	require.Equal(t, user, test.Eval[string](p, `return find("#confirm blockquote").textContent`))
	p.Click("#confirm [data-action=confirm]")
	p.Until(`!row($1) && find("#outcome").textContent.includes($2)`, content, user)
	require.Equal(t, []any{0.0, false}, test.Eval[[]any](p, `return [all("main img, main b b, blockquote > b, #outcome *").length, "fired" in globalThis]`))
}

func TestConsoleWhenTheServiceIsAway(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "it makes the page's own fetch fail")
	p, _, _ := withQueue(t)
	p.Do(`globalThis.isAway = true`)
	p.Until(`find("#connection").textContent.includes("does not answer. Trying again in 2 seconds")`)
	p.Until(`find("#connection").textContent.includes("Trying again in 4 seconds")`)
	require.Len(t, queued(p), 2, "what is known stays")
	p.Type("ja")
	p.Do(`pass(10)`)
	p.Until(`all("#queue [data-part=error]").some((error) => error.textContent.includes("Not approved. The service does not answer."))`)
	require.Len(t, queued(p), 2, "what failed can be tried again")
	p.Do(`globalThis.isAway = false`)
	p.Do(`find("[data-action=again]:not([hidden])").click()`) // a line above it, the time of the next update, appears and disappears
	p.Until(`find("#connection").textContent === "" && find("[data-stat=approved] b").textContent === "1"`)
}

// A hidden page sends no requests, and updates when it is shown.
func TestConsoleRestsInTheBackground(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t)
	p := suite.Page(t, service.URL+consolePath, inConsole, `
		globalThis.isHidden = false;
		Object.defineProperty(document, "hidden", { get: () => isHidden });
		const wait = globalThis.setTimeout;
		globalThis.waits = 0;
		globalThis.setTimeout = (work, time) => {
			if (time === 2000) waits++;
			return wait(work, time / 50);
		};`)
	p.Until(`find("#main[aria-busy=false]")`)
	p.Do(`
		isHidden = true;
		document.dispatchEvent(new Event("visibilitychange"));`)
	before := test.Eval[int](p, `return waits`)
	tell(admin, 1, "ana", "I have two cats.")
	require.Equal(t, before, test.Eval[int](p, `return waits`), "it does not schedule another update")
	p.Do(`
		isHidden = false;
		document.dispatchEvent(new Event("visibilitychange"));`)
	p.Until(`card("User has two cats")`)
}

// withEverything starts a service in which each view has content, and opens the console.
func withEverything(t *testing.T) *test.Page {
	t.Helper()
	service, admin := remembering(t)
	ids := tell(admin, 1, "ana", "I live in Paris.")
	admin.Do(`await sdk.approveMemory($1)`, ids["User lives in Paris"])
	tell(admin, 2, "ana", "I live in Lyon now. "+strings.Repeat("withoutanyend", 20))
	tell(admin, 3, "a-user-whose-id-has-no-end-"+strings.Repeat("and-none", 12), "I have two cats.")
	ids = tell(admin, 4, "eve", "I live in Rome.")
	admin.Do(`await sdk.deleteMemory($1)`, ids["User lives in Rome"])
	p := openConsole(t, service, "")
	p.Until(`all("#queue [data-state=open]").length === 2`)
	return p
}

// consoleViews are the views, with an element that each has when it is shown.
var consoleViews = []struct{ name, has string }{
	{"review", "#queue li"}, {"memories", "#owners li"}, {"erasures", "#erasure-list li"}, {"settings", "#settings-form"},
}

func TestConsoleOnAPhone(t *testing.T) {
	t.Parallel()
	p := withEverything(t)
	p.OnAPhone()
	p.Do(`find("#queue [data-action=edit]").click()`)
	message := test.Eval[string](p, `
		find("#queue [data-action=source]").click();
		return location.hash;`)
	for _, view := range append(consoleViews, struct{ name, has string }{message, "#source-list li"}) {
		if view.name == message {
			p.Do(`location.hash = $1`, message)
		} else {
			p.Click("[data-view=" + view.name + "]")
		}
		p.Until(`find($1)?.checkVisibility()`, view.has)
		p.Do(`for (const details of all("details")) details.open = true`)
		require.Empty(t, test.Eval[[]string](p, `
			return all("body *").filter((element) => element.checkVisibility() && !element.closest("svg, #skip"))
				.filter((element) => element.getBoundingClientRect().right > 360 || element.getBoundingClientRect().left < 0)
				.map((element) => element.outerHTML.slice(0, 100));`), view.name)
		require.LessOrEqual(t, test.Eval[int](p, `return document.documentElement.scrollWidth`), 360, view.name)
	}
	p.Click("[data-view=memories]")
	p.Until(`find("#owners li")?.checkVisibility()`)
	p.Click("#owners [data-action=delete]")
	p.Until(`find("#confirm").open`)
	require.LessOrEqual(t, test.Eval[float64](p, `return find("#confirm").getBoundingClientRect().right`), 360.0)
}

func TestConsoleIsLegibleInLightAndDark(t *testing.T) {
	t.Parallel()
	p := withEverything(t)
	p.Type("jr")
	p.Do(`pass(10)`)
	// The page moves when a rejected memory leaves the list.
	p.Until(`find("#outcome").textContent !== "" && all("#queue [data-memory]").length === 1`)
	for _, view := range consoleViews {
		p.Click("[data-view=" + view.name + "]")
		p.Until(`find($1)?.checkVisibility()`, view.has)
		for _, scheme := range []string{"light", "dark"} {
			p.Prefer("prefers-color-scheme", scheme)
			got := test.Eval[legibility](p, contrasts)
			require.Empty(t, got.Low, "%s, %s: texts with too little contrast", view.name, scheme)
			require.Greater(t, got.Seen, 15)
			require.Equal(t, scheme == "light", got.Page > 0.5)
		}
	}
}

// A user without a mouse can reach everything, in the order of the page.
func TestConsoleWithoutAMouse(t *testing.T) {
	t.Parallel()
	p := withEverything(t)
	// Checked when the focus arrives: Firefox shows no focus in a window that is behind another, such
	// as another test's.
	p.Do(`
		globalThis.outlines = new WeakMap();
		addEventListener("focusin", ({ target }) => outlines.set(target, getComputedStyle(target).outlineStyle));`)
	steps := func(until string) {
		t.Helper()
		for range 40 {
			p.Type(kb.Tab)
			if test.Eval[bool](p, `return document.activeElement.matches($1)`, until) {
				require.NotEqual(t, "none", test.Eval[string](p, `return outlines.get(document.activeElement) ?? "none"`), "the focus is visible")
				return
			}
		}
		t.Fatalf("Tab never reaches %s", until)
	}
	p.Type(kb.Tab)
	require.Equal(t, "skip", test.Eval[string](p, `return document.activeElement.id`))
	p.Type(kb.Enter)
	require.Equal(t, "main", test.Eval[string](p, `return document.activeElement.id`))
	for _, stop := range []string{"[data-stat=total]", "[data-view=review]", "#keys-on", "[data-memory]:first-child [data-action=approve]", "[data-action=reject]"} {
		steps(stop)
	}
	p.Type(kb.Enter)
	p.Until(`card("User has two cats") === document.activeElement`)
	p.Do(`pass(10)`)
	p.Until(`find("#outcome").textContent === "Rejected: User lives in Lyon now."`)

	p.Do(`find("[data-view=memories]").focus()`)
	p.Type(kb.Enter)
	p.Until(`row("User lives in Paris")`)
	for _, stop := range []string{
		"[name=user]", "[name=type]", "[name=status]", "[type=reset]", "#add", "[data-action=export]", "[data-action=delete-all]", "summary", "[data-action=delete]",
	} {
		steps(stop)
	}
	p.Type(kb.Enter)
	p.Until(`find("#confirm").open && document.activeElement.dataset.action === "cancel"`)
	p.Type(kb.Tab + kb.Enter)
	p.Until(`all("#owners [data-memory]").length === 2 && find("#owners").contains(document.activeElement)`)

	p.Do(`find("[data-view=settings]").focus()`)
	p.Type(kb.Enter)
	p.Until(`find("#settings").checkVisibility()`)
	steps("[name=auto_approve]")
	p.Type(" ")
	steps("[type=submit]")
	p.Type(kb.Enter)
	p.Until(`find("#outcome").textContent === "Settings saved"`)
}

// A screen reader gets a name for each control.
func TestConsoleNamesItsControls(t *testing.T) {
	t.Parallel()
	p := withEverything(t)
	for _, view := range consoleViews {
		p.Click("[data-view=" + view.name + "]")
		p.Until(`find($1)?.checkVisibility()`, view.has)
		controls := p.Controls("button", "link", "textbox", "combobox", "checkbox", "spinbutton", "navigation", "region", "search")
		for _, control := range controls {
			require.True(t, control.Named, "a %s without a name", control.Role)
		}
		require.Greater(t, len(controls), 10)
	}
}
