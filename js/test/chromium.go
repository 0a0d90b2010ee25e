package test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// chromium is a headless Chromium with its own profile, driven by the DevTools protocol.
type chromium struct {
	ctx    context.Context
	cancel []context.CancelFunc
}

// startChromium starts the program that CHROMIUM names, or else the installed one;
// js/test/chromium.sh finds or installs it. Its profile is in folder.
func startChromium(folder string, more ...chromedp.ExecAllocatorOption) (*chromium, error) {
	path, err := findChromium()
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp(folder, "profile-")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.UserDataDir(profile),
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		// Each window would start processes for the address bar's popups and for future
		// pages, which take half of the processor's time.
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,WebUIOmniboxPopup,WebUIOmniboxAimPopup,PreloadTopChromeWebUI,SpareRendererForSitePerProcess"),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	options = append(options, more...)
	allocator, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	b := &chromium{ctx: ctx, cancel: []context.CancelFunc{cancel, cancelAllocator}}
	if err := chromedp.Do(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s does not start: %w", path, err), b.close())
	}
	return b, nil
}

func findChromium() (string, error) {
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium found: run make test-browser, which sets it up, or name one with CHROMIUM")
}

// close ends the browser and waits for it.
func (b *chromium) close() error {
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	err := chromedp.Cancel(ctx)
	for _, cancel := range b.cancel {
		cancel()
	}
	return err
}

func (b *chromium) tab(c *console) (tab, error) {
	return openChromiumTab(b.ctx, c, chromedp.WithNewBrowserContext())
}

// chromiumTab is a tab of Chromium.
type chromiumTab struct {
	ctx    context.Context
	cancel context.CancelFunc
	// the patience for code in the page, if it is not the usual one
	patience time.Duration
}

func openChromiumTab(parent context.Context, c *console, options ...chromedp.ContextOption) (tab, error) {
	ctx, cancel := chromedp.NewContext(parent, options...)
	t := &chromiumTab{ctx: ctx, cancel: cancel}
	if err := errors.Join(chromedp.Do(ctx), chromedp.Listen(ctx, c.note)); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

func (t *chromiumTab) beside(c *console) (tab, error) { return openChromiumTab(t.ctx, c) }

func (t *chromiumTab) close() error {
	t.cancel()
	return nil
}

func (t *chromiumTab) do(actions ...chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	return chromedp.Do(ctx, actions...)
}

func (t *chromiumTab) before(script string) error {
	_, err := call(t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	return err
}

func (t *chromiumTab) open(address string) error { return t.do(chromedp.Navigate(address)) }

func (t *chromiumTab) reload() error { return t.do(chromedp.Reload()) }

func (t *chromiumTab) evaluate(expression string) (string, error) {
	ctx, cancel := context.WithTimeout(t.ctx, cmp.Or(t.patience, patience))
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
}

// Reports come before the answer to a command.
func (t *chromiumTab) settle() error {
	_, err := t.evaluate(`Promise.resolve("")`)
	return err
}

func (t *chromiumTab) press(keys string, modifiers chromedp.Modifier) error {
	for _, key := range keys {
		for _, event := range strokes(key) {
			event.Modifiers |= int64(modifiers)
			if _, err := call(t, input.DispatchKeyEvent, *event); err != nil {
				return err
			}
		}
	}
	return nil
}

// strokes are the events of a key that goes down and up. The character belongs to the first:
// chromedp.KeyEvent sends it as a separate event, which a page that prevents the default of keydown
// could not stop, although it can stop a real one.
func strokes(key rune) []*input.DispatchKeyEventParams {
	events := kb.Encode(key)
	if len(events) == 3 {
		down, character := events[0], events[1]
		down.Type, down.Text, down.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, character.Text, character.UnmodifiedText
		events = []*input.DispatchKeyEventParams{down, events[2]}
	}
	return events
}

func (t *chromiumTab) point(x, y float64) error {
	return t.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
}

func (t *chromiumTab) click(selector string) error {
	return t.do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

func (t *chromiumTab) attach(selector, path string) error {
	return t.do(chromedp.SetUploadFiles(chromedp.CSS(selector), []string{path}))
}

func (t *chromiumTab) resize(width, height int) error {
	_, err := call(t, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(width), Height: int64(height), DeviceScaleFactor: 2, Mobile: true,
	})
	return err
}

func (t *chromiumTab) prefer(name, value string) error {
	_, err := call(t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: name, Value: value}},
	})
	return err
}

func (t *chromiumTab) offline(is bool) error {
	// navigator.onLine and its events are separate.
	_, err := call(t, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: is, DownloadThroughput: -1, UploadThroughput: -1})
	if err != nil {
		return err
	}
	_, err = call(t, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Offline: is, DownloadThroughput: -1, UploadThroughput: -1}},
	})
	return err
}

func (t *chromiumTab) controls(roles []string) ([]Control, error) {
	tree, err := call(t, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		return nil, err
	}
	var all []Control
	for _, node := range tree.Nodes {
		if node.Ignored || node.Role == nil {
			continue
		}
		control := Control{Role: unquoted(node.Role), Named: node.Name != nil && unquoted(node.Name) != ""}
		if slices.Contains(roles, control.Role) {
			all = append(all, control)
		}
	}
	return all, nil
}

// unquoted returns the text of a value, or "".
func unquoted(value *accessibility.Value) string {
	var text string
	_ = json.Unmarshal(value.Value, &text) // a value that is not a text is not a name
	return text
}

// ProfilePage is a Page in the browser's own profile, whose cache and storage outlive the page, as
// for a returning visitor. Only Chromium has it.
func (s *Suite) ProfilePage(t testing.TB, address string) *Page {
	b, can := s.browser.(*chromium)
	if !can {
		t.Skipf("%s gives each page its own profile", Browser())
	}
	return open(t, func(c *console) (tab, error) { return openChromiumTab(b.ctx, c) }, address, nil)
}

// Renderers are the processes of Chromium that run pages. If the browser is another one, the test is skipped.
func (s *Suite) Renderers(t testing.TB) []int64 {
	b, can := s.browser.(*chromium)
	if !can {
		t.Skipf("%s does not name its processes", Browser())
	}
	result, err := chromedp.CallBrowser(b.ctx, systeminfo.GetProcessInfo, cdp.Empty{})
	require.NoError(t, err)
	var ids []int64
	for _, process := range result.ProcessInfo {
		if process.Type == "renderer" {
			ids = append(ids, process.ID)
		}
	}
	return ids
}

// Patient is the page with more patience for code that is known to be slow. Only Chromium has it.
func (p *Page) Patient(limit time.Duration) *Page {
	t, can := p.tab.(*chromiumTab)
	if !can {
		return p
	}
	return &Page{t: p.t, tab: &chromiumTab{ctx: t.ctx, cancel: t.cancel, patience: limit}, console: p.console}
}

func call[P, R any](t *chromiumTab, command cdp.Command[P, R], params P) (R, error) {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	return chromedp.Call(ctx, command, params)
}

// Call sends a command of the DevTools protocol to a page. If the browser does not speak the
// protocol, the test is skipped.
func Call[P, R any](p *Page, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	t, can := p.tab.(*chromiumTab)
	if !can {
		p.t.Skipf("%s does not speak the DevTools protocol", Browser())
	}
	result, err := call(t, command, params)
	require.NoError(p.t, err)
	return result
}

// Hear calls a function with each event of the DevTools protocol that a page sends. If the browser
// does not speak the protocol, the test is skipped.
func Hear(p *Page, listener func(event any)) {
	p.t.Helper()
	t, can := p.tab.(*chromiumTab)
	if !can {
		p.t.Skipf("%s does not speak the DevTools protocol", Browser())
	}
	require.NoError(p.t, chromedp.Listen(t.ctx, listener))
}
