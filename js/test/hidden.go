package test

import (
	"testing"

	window "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// HidablePage is a Page in its own Chromium, where a page that nobody sees is treated as people's browsers do: its timers run once a
// second at most. Other browsers skip the test.
func (s *Suite) HidablePage(t testing.TB, address string, scripts ...string) *Page {
	if Browser() != "chromium" {
		t.Skipf("%s cannot be told to hide a page", Browser())
	}
	b, err := startChromium(s.folder,
		chromedp.Flag("disable-background-timer-throttling", false),
		chromedp.Flag("disable-backgrounding-occluded-windows", false),
		chromedp.Flag("disable-renderer-backgrounding", false),
	)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.close()) })
	return open(t, b.tab, address, scripts)
}

// Hide minimizes the page's window, or shows it again.
func (p *Page) Hide(is bool) {
	p.t.Helper()
	of := Call(p, window.GetWindowForTarget, window.GetWindowForTargetParams{})
	state := window.WindowStateNormal
	if is {
		state = window.WindowStateMinimized
	}
	Call(p, window.SetWindowBounds, window.SetWindowBoundsParams{WindowID: of.WindowID, Bounds: &window.Bounds{WindowState: state}})
}
