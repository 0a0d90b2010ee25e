package test_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

func TestExampleShowsMarkdownWhileItIsWritten(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	answer := pace(model, "how?", "# So\n\nIn **two** steps:\n\n1. one\n2. [two](https://example.com/)\n\n```go\nfirst(",
		")\nsecond()\n```\n\n| a | b |\n|---|--:|\n| 1 |", " 2 |\n")
	service := suite.Service(t, model.Env()...)
	p := openExample(t, service)
	say(p, "how?")
	p.Until(`find("figure code")?.textContent === "first("`)
	p.Do(`
		globalThis.finished = all(".markdown > :not(figure)");
		globalThis.code = find("figure code");
		getSelection().setBaseAndExtent(code.firstChild, 0, code.firstChild, 6);`)
	close(answer.gates[1])
	p.Until(`find("td")?.textContent === "1"`)
	close(answer.gates[2])
	answered(p, 1)
	require.True(t, test.Eval[bool](p, `return finished.length === 3 && finished.every((block, i) => block === find(".markdown").children[i])`),
		"what is finished stays")
	require.True(t, test.Eval[bool](p, `return code.isConnected && getSelection().toString() === "first("`), "so does what is selected")
	require.Equal(t, []string{"H2 So", "P In two steps:", "OL one two", "DIV a b 1 2"}, test.Eval[[]string](p, `
		const oneLine = (block) => block.innerText.trim().replace(/[\t\n]+/g, " ");
		return all(".markdown > :not(figure)").map((block) => block.tagName + " " + oneLine(block))`))
	require.Equal(t, []string{"https://example.com/", "_blank", "noopener noreferrer nofollow"}, test.Eval[[]string](p, `
		const link = find(".markdown a");
		return [link.href, link.target, link.rel];`))
	p.Until(`find("#announcer").textContent === "So\nIn two steps:\none\ntwo\nfirst()\nsecond()\n\na\nb\n1\n2"`)
	require.Empty(t, test.Eval[legibility](p, contrasts).Low)
}

func TestExampleCopiesCode(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	model.On("code?", func(a *test.Answer) {
		a.Text("Two:\n\n```js\none();\n```\n\n    two();\n    three();\n").Finish("stop")
	})
	service := suite.Service(t, model.Env()...)
	p := openExample(t, service)
	say(p, "code?")
	answered(p, 1)
	require.Equal(t, []string{"js", ""}, test.Eval[[]string](p, `return all("figure").map((figure) => figure.dataset.language ?? "")`))
	p.Do(`navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }`)
	p.Click("figure:last-of-type [data-action=copy]")
	p.Until(`find("figure:last-of-type button").ariaLabel === "Copied" && find("#announcer").textContent === "Copied"`)
	require.Equal(t, "two();\nthree();", test.Eval[string](p, `return copied`))
	p.Until(`find("figure:last-of-type button").ariaLabel === "Copy code"`)

	p.Do(`navigator.clipboard.writeText = async () => { throw new Error("refused") }; find("figure button").focus()`)
	p.Type(kb.Enter)
	p.Until(`find("figure button").ariaLabel === "Not copied"`)
}

func TestExampleShowsThreeSources(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openExample(t, service)
	shown := func() []string {
		return test.Eval[[]string](p, `return all(".sources li").filter((item) => item.checkVisibility()).map((item) => item.innerText.split("\n")[0])`)
	}
	p.Do(`
		const { copyOf, part } = await import("./page.js");
		const { showSources } = await import("./sources.js");
		const answer = copyOf("assistant");
		find(".view").replaceChildren(answer);
		const sources = ["a", "b", "c", "d", "e"].map((title) => ({ title, snippet: "x", document_key: title }));
		globalThis.list = (n) => showSources(part(answer, "sources"), sources.slice(0, n), {});
		list(3);`)
	require.Equal(t, []string{"a", "b", "c"}, shown())
	require.False(t, test.Eval[bool](p, `return find("[data-action=more-sources]").checkVisibility()`))

	p.Do(`list(5)`)
	require.Equal(t, []string{"a", "b", "c"}, shown())
	more := func() []string {
		return test.Eval[[]string](p, `const more = find("[data-action=more-sources]"); return [more.textContent, more.ariaExpanded]`)
	}
	require.Equal(t, []string{"2 more", "false"}, more())
	p.Do(`find("[data-action=more-sources]").focus()`)
	p.Type(kb.Enter)
	require.Equal(t, []string{"a", "b", "c", "d", "e"}, shown())
	require.Equal(t, []string{"2 more", "true"}, more())
	require.Equal(t, "d", test.Eval[string](p, `return document.activeElement.querySelector("strong").textContent`), "the focus is on the first of them")
	p.Do(`list(5)`)
	require.Len(t, shown(), 5, "the whole message leaves them open")
	p.Click("[data-action=more-sources]")
	require.Equal(t, []string{"a", "b", "c"}, shown())
}
