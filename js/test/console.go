package test

import (
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
)

// console collects the errors that a page reports: uncaught errors, console.error, and the
// browser's own messages.
type console struct {
	mu       sync.Mutex
	reports  []string
	expected []string
}

func (c *console) note(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		c.add("uncaught: " + exception(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			c.add("console: " + arguments(e.Args))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && !isAnswer(e.Entry) {
			c.add("browser: " + e.Entry.Text + " " + e.Entry.URL)
		}
	}
}

// isAnswer reports whether an entry is about a call of the service, whose outcome a test checks
// itself, or about the icon that browsers request.
func isAnswer(entry *log.Entry) bool {
	address, err := url.Parse(entry.URL)
	return err == nil && entry.Source == log.EntrySourceNetwork && (!isFile(address.Path) || address.Path == icon)
}

func exception(details *runtime.ExceptionDetails) string {
	if details.Exception == nil {
		return details.Text
	}
	return details.Text + " " + arguments([]*runtime.RemoteObject{details.Exception})
}

func arguments(values []*runtime.RemoteObject) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = value.Description
		if texts[i] == "" {
			texts[i] = string(value.Value)
		}
	}
	return strings.Join(texts, " ")
}

func (c *console) add(report string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reports = append(c.reports, report)
}

func (c *console) expect(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expected = append(c.expected, text)
}

func (c *console) errors() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.reports)
}

// check fails the test for an unexpected report, and for an expected report that did not come.
func (c *console) check(t testing.TB) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, report := range c.reports {
		if !slices.ContainsFunc(c.expected, func(text string) bool { return strings.Contains(report, text) }) {
			t.Errorf("the page reported an error: %s", report)
		}
	}
	for _, text := range c.expected {
		if !slices.ContainsFunc(c.reports, func(report string) bool { return strings.Contains(report, text) }) {
			t.Errorf("the page never reported an error with %q", text)
		}
	}
}
