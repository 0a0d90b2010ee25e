package test

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// The test pages of an [Origin]. Each has the functions of pages/kit.js as kit.
const (
	// ScriptPage loads dist/chatsdk.js by a script tag.
	ScriptPage = "/test/script.html"
	// ModulePage imports dist/chatsdk.mjs, and names ChatSDK as the script does.
	ModulePage = "/test/module.html"
	// BlankPage loads nothing of the SDK.
	BlankPage = "/test/blank.html"
)

// Page is a tab of its own: no cookies, cache or storage are shared. It closes
// with the test, and errors that nobody expected fail it then.
type Page struct {
	t       testing.TB
	ctx     context.Context
	console *console
	// patience with what is run in the page, where it is not that of all pages.
	patience time.Duration
}

// Page opens an address, after scripts have run in the empty page.
func (s *Suite) Page(t testing.TB, address string, scripts ...string) *Page {
	return open(t, s.browser.ctx, address, scripts, chromedp.WithNewBrowserContext())
}

// ProfilePage is a Page in the browser's own profile, whose cache and storage
// outlive the page: what a visitor comes back with.
func (s *Suite) ProfilePage(t testing.TB, address string) *Page {
	return open(t, s.browser.ctx, address, nil)
}

// Tab is another tab that shares cookies, cache and storage with the page.
func (p *Page) Tab(address string, scripts ...string) *Page {
	return open(p.t, p.ctx, address, scripts)
}

func open(t testing.TB, parent context.Context, address string, scripts []string, options ...chromedp.ContextOption) *Page {
	ctx, cancel := chromedp.NewContext(parent, options...)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx), "opening a tab")
	p := &Page{t: t, ctx: ctx, console: &console{}}
	require.NoError(t, chromedp.Listen(ctx, p.console.note))
	for _, script := range scripts {
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		require.NoError(t, err)
	}
	p.Open(address)
	t.Cleanup(func() {
		p.settle()
		p.console.check(t)
	})
	return p
}

// SDKPage opens one of the test pages with sdk, a new ChatSDK of config.
func (s *Suite) SDKPage(t testing.TB, origin *Origin, path string, config Config, scripts ...string) *Page {
	p := s.Page(t, origin.URL+path, scripts...)
	p.Do(`globalThis.config = $1; globalThis.sdk = new ChatSDK($1)`, config)
	return p
}

// For gives the page to a subtest, which then fails instead of the whole test.
func (p *Page) For(t testing.TB) *Page { return &Page{t: t, ctx: p.ctx, console: p.console} }

// Patient is the page with more patience for what is run in it, for what is known
// to take long.
func (p *Page) Patient(limit time.Duration) *Page {
	return &Page{t: p.t, ctx: p.ctx, console: p.console, patience: limit}
}

// Open leaves the page for an address and waits until it is loaded.
func (p *Page) Open(address string) {
	p.t.Helper()
	require.NoError(p.t, p.run(chromedp.Navigate(address)), "opening %s", address)
}

func (p *Page) run(actions ...chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	return chromedp.Do(ctx, actions...)
}

// Expect lets the page report an error that holds text, in the console or by
// throwing it. One that does not come fails the test.
func (p *Page) Expect(text string) { p.console.expect(text) }

// Errors are what the page has reported so far.
func (p *Page) Errors() []string {
	p.settle()
	return p.console.errors()
}

// settle lets the page report what it has to: its reports come before the
// answer to a command.
func (p *Page) settle() {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	_, _ = chromedp.Run(ctx, chromedp.Evaluate[int]("1"))
}

// Do runs the body of an async function in the page and waits for its end.
// $1, $2 … are its arguments.
func (p *Page) Do(body string, args ...any) {
	p.t.Helper()
	Eval[any](p, body, args...)
}

// Eval is Do with what the function returns, by way of JSON.
func Eval[T any](p *Page, body string, args ...any) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, cmp.Or(p.patience, patience))
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](function(p.t, body, args), chromedp.EvalAwaitPromise))
	require.NoError(p.t, err, "in the page: %s", body)
	var value T
	require.NoError(p.t, json.Unmarshal([]byte(text), &value), "the page gave %.300s", text)
	return value
}

// function is an expression that gives the promise of the JSON.
func function(t testing.TB, body string, args []any) string {
	t.Helper()
	names, values := make([]string, len(args)), make([]string, len(args))
	for i, arg := range args {
		value, err := json.Marshal(arg)
		require.NoError(t, err)
		names[i], values[i] = "$"+string(rune('1'+i)), string(value)
	}
	return "(async (" + strings.Join(names, ",") + ") => {" + body + "\n})(" + strings.Join(values, ",") +
		").then((value) => JSON.stringify(value) ?? 'null')"
}

// Call sends a command of the DevTools protocol to a page.
func Call[P, R any](p *Page, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	result, err := chromedp.Call(ctx, command, params)
	require.NoError(p.t, err)
	return result
}
