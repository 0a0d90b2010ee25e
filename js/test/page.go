package test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The test pages of an [Origin]. Each has the functions of pages/kit.js as kit.
const (
	// ScriptPage loads dist/chatsdk.js by a script tag.
	ScriptPage = "/test/script.html"
	// ModulePage imports dist/chatsdk.mjs, and defines ChatSDK as the script does.
	ModulePage = "/test/module.html"
	// BlankPage loads nothing from the SDK.
	BlankPage = "/test/blank.html"
)

// Page is a separate tab: it shares no cookies, cache or storage. It closes with the test;
// unexpected errors then fail the test.
type Page struct {
	t       testing.TB
	tab     tab
	console *console
}

// Page opens an address, after scripts have run in the empty page.
func (s *Suite) Page(t testing.TB, address string, scripts ...string) *Page {
	return open(t, s.browser.tab, address, scripts)
}

// Tab is another tab that shares cookies, cache and storage with the page.
func (p *Page) Tab(address string, scripts ...string) *Page {
	return open(p.t, p.tab.beside, address, scripts)
}

func open(t testing.TB, empty func(*console) (tab, error), address string, scripts []string) *Page {
	p := &Page{t: t, console: &console{}}
	var err error
	p.tab, err = empty(p.console)
	require.NoError(t, err, "opening a tab")
	t.Cleanup(func() { require.NoError(t, p.tab.close(), "closing a tab") })
	for _, script := range scripts {
		require.NoError(t, p.tab.before(script))
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

// For gives the page to a subtest, which then fails in place of the whole test.
func (p *Page) For(t testing.TB) *Page { return &Page{t: t, tab: p.tab, console: p.console} }

// Open navigates to an address and waits until it is loaded.
func (p *Page) Open(address string) {
	p.t.Helper()
	require.NoError(p.t, p.tab.open(address), "opening %s", address)
}

// Expect allows the page to report an error that contains text, in the console or as an uncaught
// error. The test fails if the error does not come.
func (p *Page) Expect(text string) { p.console.expect(text) }

// ExpectOfBrowser does the same as Expect for messages of the browser itself. Only Chromium reports
// them.
func (p *Page) ExpectOfBrowser(text string) {
	if Browser() == "chromium" {
		p.Expect(text)
	}
}

// Errors are what the page has reported so far.
func (p *Page) Errors() []string {
	p.settle()
	return p.console.errors()
}

// settle waits for the reports of the page. A closed page has reported everything.
func (p *Page) settle() { _ = p.tab.settle() }

// Do runs the body of an async function in the page and waits for its end.
// $1, $2 … are its arguments.
func (p *Page) Do(body string, args ...any) {
	p.t.Helper()
	Eval[any](p, body, args...)
}

// Eval does the same as Do, and returns the function's result by way of JSON.
func Eval[T any](p *Page, body string, args ...any) T {
	p.t.Helper()
	values := make([]string, len(args))
	for i, arg := range args {
		value, err := json.Marshal(arg)
		require.NoError(p.t, err)
		values[i] = string(value)
	}
	text, err := p.tab.evaluate(function(body, values...))
	require.NoError(p.t, err, "in the page: %s", body)
	var value T
	require.NoError(p.t, json.Unmarshal([]byte(text), &value), "the page returned %.300s", text)
	return value
}

// function is an expression that calls an async function and returns a promise of its result as JSON.
// The arguments are JSON.
func function(body string, args ...string) string {
	names := make([]string, len(args))
	for i := range args {
		names[i] = "$" + string(rune('1'+i))
	}
	return "(async (" + strings.Join(names, ",") + ") => {" + body + "\n})(" + strings.Join(args, ",") +
		").then((value) => JSON.stringify(value) ?? 'null')"
}
