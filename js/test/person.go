package test

import (
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Until waits until a JavaScript condition is true in the page. It checks whenever the document
// changes. $1, $2 … are its arguments.
func (p *Page) Until(condition string, args ...any) {
	p.t.Helper()
	p.Do(`
		const holds = () => `+condition+`;
		if (!holds()) await new Promise((resolve) => {
			const observer = new MutationObserver(() => {
				if (holds()) {
					observer.disconnect();
					resolve();
				}
			});
			observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
		});`, args...)
}

// Reload loads the page again.
func (p *Page) Reload() {
	p.t.Helper()
	require.NoError(p.t, p.tab.reload())
}

// Type types into the focused element. Keys without a character are those of package kb.
func (p *Page) Type(keys string, modifiers ...chromedp.Modifier) {
	p.t.Helper()
	var held chromedp.Modifier
	for _, modifier := range modifiers {
		held |= modifier
	}
	require.NoError(p.t, p.tab.press(keys, held))
}

// Click clicks the middle of the first element that matches a CSS selector, when it is visible, as
// a mouse does.
func (p *Page) Click(selector string) {
	p.t.Helper()
	require.NoError(p.t, p.tab.click(selector), "clicking %s", selector)
}

// Point moves the mouse to the middle of an element.
func (p *Page) Point(selector string) {
	p.t.Helper()
	middle := Eval[[2]float64](p, `
		const { x, y, width, height } = document.querySelector($1).getBoundingClientRect();
		return [x + width / 2, y + height / 2];`, selector)
	require.NoError(p.t, p.tab.point(middle[0], middle[1]))
}

// Attach gives a file to the file chooser of an input.
func (p *Page) Attach(selector, path string) {
	p.t.Helper()
	require.NoError(p.t, p.tab.attach(selector, path))
}

// OnAPhone gives the page the screen of a phone, 360 by 640.
func (p *Page) OnAPhone() {
	p.t.Helper()
	require.NoError(p.t, p.tab.resize(360, 640))
}

// Prefer emulates a preference of the user, such as "prefers-color-scheme" and "dark".
func (p *Page) Prefer(name, value string) {
	p.t.Helper()
	require.NoError(p.t, p.tab.prefer(name, value))
}

// Offline cuts the page off from the network, or connects it again.
func (p *Page) Offline(is bool) {
	p.t.Helper()
	require.NoError(p.t, p.tab.offline(is))
}

// Control is an element as a screen reader sees it.
type Control struct {
	// Role is its ARIA role, such as "button".
	Role string
	// Named says whether the element has an accessible name.
	Named bool
}

// Controls lists the elements that have one of the roles, from the browser's accessibility tree.
func (p *Page) Controls(roles ...string) []Control {
	p.t.Helper()
	controls, err := p.tab.controls(roles)
	require.NoError(p.t, err)
	return controls
}
