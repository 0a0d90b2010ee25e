package test_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// contrasts lists the visible texts whose contrast (WCAG 2.2, section 1.4.3) is too low, each with its
// contrast.
const contrasts = `
	const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
	const bytes = (colour) => {
		canvas.clearRect(0, 0, 1, 1);
		canvas.fillStyle = colour;
		canvas.fillRect(0, 0, 1, 1);
		return [...canvas.getImageData(0, 0, 1, 1).data];
	};
	const light = (rgb) => {
		const [r, g, b] = rgb.map((byte) => byte / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = (element) => {
		for (let at = element; at; at = at.parentElement) {
			const [r, g, b, a] = bytes(getComputedStyle(at).backgroundColor);
			if (a === 255) return [r, g, b];
		}
		return [255, 255, 255];
	};
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	const low = [];
	let seen = 0;
	while (walker.nextNode()) {
		const element = walker.currentNode.parentElement;
		const text = walker.currentNode.data.trim();
		if (text === "" || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || element.closest("template, script, .unseen")) continue;
		seen++;
		const [a, b] = [light(bytes(getComputedStyle(element).color).slice(0, 3)), light(behind(element))].sort((x, y) => y - x);
		if ((a + 0.05) / (b + 0.05) < 4.5) low.push(text + " " + ((a + 0.05) / (b + 0.05)).toFixed(2));
	}
	return { low, seen, page: light(behind(document.body)) };`

type legibility struct {
	Low  []string `json:"low"`
	Seen int      `json:"seen"`
	Page float64  `json:"page"`
}

func TestExampleIsLegibleInLightAndDark(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	model.On("fail", func(a *test.Answer) { a.Refuse(http.StatusInternalServerError) })
	service := suite.Service(t, model.Env()...)
	p := openExample(t, service)
	say(p, "hello")
	answered(p, 1)
	say(p, "fail")
	p.Until(`find(".failure")`)
	page := map[string]float64{}
	for _, scheme := range []string{"light", "dark"} {
		p.Prefer("prefers-color-scheme", scheme)
		got := test.Eval[legibility](p, contrasts)
		require.Empty(t, got.Low, "%s: texts with too little contrast", scheme)
		require.Greater(t, got.Seen, 8)
		page[scheme] = got.Page
	}
	require.Greater(t, page["light"], 0.8)
	require.Less(t, page["dark"], 0.2)
}

func TestExampleOnAPhone(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	slow := pace(model, "slow", "one ", "two")
	service := suite.Service(t, model.Env()...)
	p := openExample(t, service)
	p.OnAPhone()
	withChats(p, service, "first", "second with a name that is much too long for the width of any phone that there is")
	fits := func(selectors ...string) {
		t.Helper()
		for _, selector := range selectors {
			require.Equal(t, []any{true, true}, test.Eval[[]any](p, `
				const { left, right, top, bottom } = find($1).getBoundingClientRect();
				return [document.documentElement.scrollWidth <= 360, left >= 0 && right <= 360 && top >= 0 && bottom <= 640];`, selector), selector)
		}
	}
	fits("#menu", "#title", "#attach", "#message", "#send", "#documents-choice")
	p.Click("#documents-choice")
	p.Until(`find("#documents-list li")`)
	fits("#documents", "#documents-search", "#documents-close")
	p.Click("#documents input[value=none]")
	p.Click("#documents-close")
	say(p, "a-word-without-an-end-"+"that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on")
	answered(p, 1)
	fits("#menu", "#title", "#message", "#send", "[data-role=user]", "[data-role=assistant]")
	say(p, "slow")
	shows(p, "writing", "one")
	fits("#stop", "#message")
	p.Click("#stop")
	<-slow.left
	p.Until(ready + ` && find("[data-state=stopped]")`)
	fits("#send", "[data-state=stopped] [data-action=regenerate]")

	p.Click("#menu")
	p.Until(`find("#menu").ariaExpanded === "true"`)
	p.Do(`await Promise.all(find("#sidebar").getAnimations().map((animation) => animation.finished))`)
	fits("#sidebar", "#new", "#close")
	p.Click(`[data-chat]:nth-child(3) a`)
	p.Until(`find("#title").textContent === "first" && find("#menu").ariaExpanded === "false" && ` + ready)
	p.Do(`await Promise.all(find("#sidebar").getAnimations().map((animation) => animation.finished))`)
	fits("#menu", "#title", "#message", "#send")
}

func TestExampleWithoutAMouse(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := openExample(t, service)
	p.Type("one")
	p.Type(kb.Enter, chromedp.ModifierShift)
	p.Type("two")
	require.Equal(t, "one\ntwo", test.Eval[string](p, `return find("#message").value`))
	p.Type(kb.Enter)
	require.Equal(t, "one\ntwo", answered(p, 1))
	require.True(t, test.Eval[bool](p, `return document.activeElement === find("#message")`), "one can go on typing")

	withChats(p, service, "first", "second")
	press := func(selector, key string) {
		p.Do(`find($1).focus()`, selector)
		require.True(t, test.Eval[bool](p, `return document.activeElement === find($1)`, selector), "%s takes the focus", selector)
		p.Type(key)
	}
	press(`[data-chat]:nth-child(1) a`, kb.Enter)
	p.Until(`find("#title").textContent === "second" && ` + ready)
	press(`[data-chat]:nth-child(1) [data-action=rename]`, kb.Enter)
	p.Until(`document.activeElement.tagName === "INPUT"`)
	p.Type("by key" + kb.Enter)
	p.Until(`find("#title").textContent === "by key" && !find("#chats input")`)
	press(`[data-chat]:nth-child(2) [data-action=delete]`, kb.Enter)
	p.Until(`find("#confirm").open`)
	require.True(t, test.Eval[bool](p, `return document.activeElement.dataset.action === "cancel"`), "the harmless answer comes first")
	p.Type(kb.Escape)
	p.Until(`!find("#confirm").open`)
	require.Len(t, listed(p), 3)
	press(`[data-chat]:nth-child(2) [data-action=delete]`, kb.Enter)
	p.Until(`find("#confirm").open`)
	p.Type(kb.Tab + kb.Enter)
	p.Until(`all("#chats li").length === 2`)
	require.True(t, test.Eval[bool](p, `return find("#sidebar").contains(document.activeElement)`), "the focus stays near what is gone")
}

// A screen reader gets a name for each control.
func TestExampleNamesItsControls(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := openExample(t, service)
	withChats(p, service, "first")
	say(p, "hi")
	answered(p, 1)
	controls := p.Controls("button", "link", "textbox", "navigation", "region", "article")
	for _, control := range controls {
		require.True(t, control.Named, "a %s without a name", control.Role)
	}
	require.Greater(t, len(controls), 8)
}
