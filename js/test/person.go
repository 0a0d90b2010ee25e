package test

import (
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// Until waits until a condition of JavaScript holds in the page, which is looked
// at whenever the document changes. $1, $2 … are its arguments.
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
	p.Act(chromedp.Reload())
}

// Type types into the element that has the focus. Keys without a character are
// those of package kb.
func (p *Page) Type(keys string, modifiers ...chromedp.Modifier) {
	p.t.Helper()
	for _, key := range keys {
		for _, event := range strokes(key) {
			for _, modifier := range modifiers {
				event.Modifiers |= int64(modifier)
			}
			Call(p, input.DispatchKeyEvent, *event)
		}
	}
}

// strokes are the events of a key that goes down and up. Its character belongs
// to the first: chromedp.KeyEvent sends it in one of its own, which a page that
// prevents the default of keydown could not stop, as it can a real one.
func strokes(key rune) []*input.DispatchKeyEventParams {
	events := kb.Encode(key)
	if len(events) == 3 {
		down, character := events[0], events[1]
		down.Type, down.Text, down.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, character.Text, character.UnmodifiedText
		events = []*input.DispatchKeyEventParams{down, events[2]}
	}
	return events
}

// Click clicks the first element that a CSS selector finds, once it is visible,
// in its middle, as a mouse does.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.Act(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// Point moves the mouse to the middle of an element.
func (p *Page) Point(selector string) {
	p.t.Helper()
	middle := Eval[[2]float64](p, `
		const { x, y, width, height } = document.querySelector($1).getBoundingClientRect();
		return [x + width / 2, y + height / 2];`, selector)
	p.Act(chromedp.MouseEvent(chromedp.MouseMoved, middle[0], middle[1]))
}

// Act performs actions of chromedp, for what there is no word of its own.
func (p *Page) Act(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	require.NoError(p.t, p.run(actions...))
}
