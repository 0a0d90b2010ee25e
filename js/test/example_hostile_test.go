package test_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// markdownKit renders Markdown as the chat page does. It needs the example's page.
const markdownKit = `
	const { MarkdownText } = await import("/examples/01-script-tag/markdown.js");
	const place = document.body.appendChild(document.createElement("div"));
	const render = (...pieces) => {
		const text = new MarkdownText(place.appendChild(document.createElement("div")), () => {});
		pieces.forEach((_, i) => text.set(pieces.slice(0, i + 1).join("")));
		return text;
	};
	const allowed = {
		P: ["dir"], H2: ["dir"], H3: ["dir"], H4: ["dir"], H5: ["dir"], H6: ["dir"], UL: ["dir"], OL: ["dir", "start"], LI: [], BLOCKQUOTE: ["dir"],
		HR: ["dir"], BR: [], EM: [], STRONG: [], S: [], CODE: [], PRE: ["dir"], A: ["href", "target", "rel"], DIV: ["dir"], SPAN: [], TABLE: [], THEAD: [],
		TBODY: [], TR: [], TH: ["data-align"], TD: ["data-align"], FIGURE: ["dir", "data-language"], BUTTON: ["type", "data-action", "aria-label"],
	};
	const values = {
		dir: /^auto$/, start: /^\d+$/, "data-align": /^(center|right)$/, href: /^(https?:\/\/|mailto:)/i, target: /^_blank$/,
		rel: /^noopener noreferrer nofollow$/, type: /^button$/, "data-action": /^copy$/, "aria-label": /^Copy code$/,
	};
	// forbidden lists everything in an element that the lists above do not allow.
	const forbidden = (element) => [...element.querySelectorAll("*")].flatMap((inner) => {
		const names = inner.getAttributeNames();
		const wrong = names.filter((name) => !allowed[inner.tagName]?.includes(name) || !(values[name] ?? /^/).test(inner.getAttribute(name)));
		const isLink = inner.tagName !== "A" || names.length === 3;
		return inner.tagName in allowed && wrong.length === 0 && isLink ? [] : [inner.cloneNode().outerHTML];
	});
`

// cuts renders a text at every cut, and reports what went wrong. A text that grows by single
// characters must at every length look as if it were shown at once, and so must a text that arrives
// in two pieces, wherever it is cut.
const cuts = markdownKit + `
	const whole = render($1).element;
	const growing = render("");
	const wrong = new Set();
	for (let at = 0; at <= $1.length; at++) {
		growing.set($1.slice(0, at));
		const once = render($1.slice(0, at)).element;
		const two = render($1.slice(0, at), $1.slice(at)).element;
		growing.element.isEqualNode(once) || wrong.add("it grows to " + at + ": " + growing.element.innerHTML + " is not " + once.innerHTML);
		two.isEqualNode(whole) || wrong.add("it is cut at " + at + ": " + two.innerHTML + " is not " + whole.innerHTML);
		forbidden(once).forEach((tag) => wrong.add(tag));
		place.childElementCount > 200 && place.replaceChildren(growing.element);
	}
	place.addEventListener("click", (event) => event.preventDefault());
	const events = ["click", "mouseover", "pointerenter", "focus", "error", "load", "toggle", "animationstart", "begin", "submit"];
	for (const element of whole.querySelectorAll("*")) {
		for (const name of events) element.dispatchEvent(new Event(name, { bubbles: true, cancelable: true }));
	}
	place.remove();
	return [...wrong].slice(0, 5);`

// witness counts what a page must not do: run something from a text, or load anything for it.
const witness = `
	globalThis.ran = [];
	globalThis.pwned = () => ran.push("pwned");
	globalThis.alert = globalThis.confirm = globalThis.prompt = pwned;
	globalThis.refused = [];
	addEventListener("securitypolicyviolation", (event) => refused.push(event.blockedURI));`

// traces are the effects of hostile text in the page.
func traces(p *test.Page) []string {
	return test.Eval[[]string](p, `return [
		...ran, ...refused,
		...performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => !name.startsWith(location.origin) || /evil/.test(name)),
		...all("iframe, object, embed, img, base, meta[http-equiv=refresh], link:not([rel=stylesheet], [rel=icon], [rel=preload])").map(String),
		...(location.pathname === "/examples/01-script-tag/" ? [] : [location.href]),
	]`)
}

func TestExampleMarkdownStaysText(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := suite.Page(t, service.URL+"/", find+witness)
	p.Until(ready)
	for _, tt := range hostileMarkdown {
		t.Run(tt.name, func(t *testing.T) {
			p := p.For(t)
			require.Empty(t, test.Eval[[]string](p, cuts, tt.text))
			require.Empty(t, traces(p))
		})
	}
}

// A whole answer of such texts, in pieces, through the service and the SDK.
func TestExampleMarkdownStaysTextInAnAnswer(t *testing.T) {
	t.Parallel()
	var all []string
	for _, tt := range hostileMarkdown {
		all = append(all, tt.text)
	}
	text := strings.Join(all, "\n\n")
	model := test.NewModel(t)
	model.On("hostile", func(a *test.Answer) {
		for rest := []rune(text); len(rest) > 0; {
			n := min(7, len(rest))
			a.Text(string(rest[:n]))
			rest = rest[n:]
		}
		a.Finish("stop")
	})
	service := suite.Service(t, model.Env()...)
	p := suite.Page(t, service.URL+"/", find+witness)
	p.Until(ready)
	say(p, "hostile")
	answered(p, 1)
	check := markdownKit + `
		const shown = find("[data-role=assistant] [data-part=text]");
		const once = render($1).element;
		place.remove();
		return [...forbidden(shown), ...(shown.innerHTML === once.innerHTML ? [] : ["the answer differs from the text rendered at once"])];`
	require.Empty(t, test.Eval[[]string](p, check, text))
	require.Empty(t, traces(p))
	p.Reload()
	answered(p, 1)
	require.Empty(t, test.Eval[[]string](p, check, text), "from the history")
	require.Empty(t, traces(p))
}

// Beginnings, ends and continuations of blocks, and definitions of addresses, in any order: text
// before the last block may only be treated as final if no further text can change it.
func TestExampleMarkdownLooksTheSameHoweverItGrows(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := suite.Page(t, service.URL+"/", find+witness)
	p.Until(ready)
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{
		"a", "b ", "\n", "\n", "\n\n", "\n\n", "\r", "\t", "  ", "    ", "- ", "-", "* ", "1. ", "2", ". ", "2) ", "> ", ">", "#", "## ", "---", "===",
		"```", "```js", "~~~", "`", "*", "**", "_", "[a]", "[b][a]", "[a]: https://x", "[b]: /y", "[c]: https://z 't", "'", "![i](https://x)", "](", "<b>",
		"\\", "&amp;", "https://x.y", "\u00a0", "\f", "|", "|-|\n", "a | b\n- | -\n",
	}
	texts := make([]string, 600)
	for i := range texts {
		for range 4 + random.IntN(24) {
			texts[i] += pieces[random.IntN(len(pieces))]
		}
	}
	require.Empty(t, test.Eval[[]string](p, markdownKit+`
		const wrong = [];
		for (const text of $1) {
			const growing = render("");
			for (let at = 1; at <= text.length; at++) {
				growing.set(text.slice(0, at));
				const once = render(text.slice(0, at)).element;
				growing.element.isEqualNode(once) || wrong.push(JSON.stringify(text.slice(0, at)) + " grew to " + growing.element.innerHTML + " and is " + once.innerHTML);
			}
			place.replaceChildren();
		}
		return wrong.slice(0, 3);`, texts))
}

// None of these freezes the page: showing each, at once and in twenty pieces, takes seconds, where a
// weak parser or browser would take minutes.
func TestExampleMarkdownOfAnySize(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := suite.Page(t, service.URL+"/", find+witness)
	p.Until(ready)
	tests := []struct{ name, text string }{
		{"quotes in quotes", strings.Repeat(">", 20_000) + " deep"},
		{"quotes in quotes with blanks", strings.Repeat("> ", 20_000) + "deep"},
		{"lists in lists", strings.Repeat("- ", 5_000) + "deep"},
		{"lists that go deeper by lines", stairs(300)},
		{"brackets", strings.Repeat("[", 20_000) + "deep"},
		{"images in images", strings.Repeat("![", 2_000) + "deep" + strings.Repeat("](https://evil.example/x)", 2_000)},
		{"emphasis in emphasis", strings.Repeat("*a _b ", 4_000) + strings.Repeat("_ *", 4_000)},
		{"backticks", strings.Repeat("`a``b", 8_000)},
		{"a wide table", "|" + strings.Repeat("a|", 2_000) + "\n|" + strings.Repeat("-|", 2_000) + "\n" + strings.Repeat("|x|y|\n", 200)},
		{"a long table", "|a|b|\n|-|-|\n" + strings.Repeat("|x|y|\n", 3_000)},
		{"definitions", strings.Repeat("[a]: https://evil.example\n", 2_000) + strings.Repeat("[a] ", 2_000)},
		{"one long line", strings.Repeat("word ", 20_000)},
		{"many paragraphs", strings.Repeat("A **paragraph**.\n\n", 3_000)},
		{"long code", "```\n" + strings.Repeat("line\n", 20_000)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := p.For(t)
			took := test.Eval[[]float64](p, markdownKit+`
				const begun = performance.now();
				const once = render($1);
				once.element.getBoundingClientRect();
				const whole = performance.now() - begun;
				const growing = render("");
				const wrong = [];
				for (let i = 1; i <= 20; i++) {
					growing.set($1.slice(0, Math.ceil(i * $1.length / 20)));
					growing.element.getBoundingClientRect();
				}
				const isSame = growing.element.innerHTML === once.element.innerHTML && forbidden(once.element).length === 0;
				place.remove();
				return [isSame ? 1 : 0, Math.round(whole), Math.round(performance.now() - begun)];`, tt.text)
			t.Logf("at once %v ms, in twenty pieces %v ms", took[1], took[2])
			require.Equal(t, 1.0, took[0])
		})
	}
	require.Empty(t, traces(p))
}

// stairs is a list in which every line is deeper than the one before.
func stairs(depth int) string {
	var all strings.Builder
	for i := range depth {
		all.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	return all.String()
}
