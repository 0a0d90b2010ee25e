// Package apitest checks every answer of a service under test against the
// description that the service itself serves. Begin with [Handler].
package apitest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Handler returns next with every answer checked against the /openapi.yaml that
// next itself serves: the status, the headers, the body, and of an event stream
// each event's data, the ids, the order and the proof in complete. A fault
// fails t. Answers pass through as they are written, flushes too. An answer
// that the client leaves early, or that is interrupted, is checked as far as it
// came.
//
// next may be the service itself or a proxy in front of it. The files that DEMO
// and CONSOLE serve are not part of the description and pass unchecked.
func Handler(t testing.TB, next http.Handler) http.Handler {
	c := &checker{t: t, next: next}
	c.describe = sync.OnceValues(c.fetch)
	t.Cleanup(c.close)
	return c
}

type checker struct {
	t        testing.TB
	next     http.Handler
	describe func() (*description, error)

	mu     sync.Mutex
	closed bool
}

// close ends the reports: a test that is over must not be failed.
func (c *checker) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

func (c *checker) errorf(format string, values ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.t.Errorf("apitest: "+format, values...)
	}
}

// fetch reads the description from the service, under a host name that DEMO
// accepts.
func (c *checker) fetch() (*description, error) {
	request := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/openapi.yaml", nil)
	answer := httptest.NewRecorder()
	c.next.ServeHTTP(answer, request)
	return readDescription(answer.Code, answer.Body.Bytes())
}

// ServeHTTP serves a request and checks the answer.
func (c *checker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if isFile(r.URL.Path) {
		c.next.ServeHTTP(w, r)
		return
	}
	described, err := c.describe()
	if err != nil {
		c.errorf("%v", err)
		c.next.ServeHTTP(w, r)
		return
	}
	answer := newAnswer(c, described, w, r)
	whole := false
	defer func() { answer.finish(whole) }()
	c.next.ServeHTTP(answer, r)
	whole = true
}

// isFile reports whether a path is one of the files of DEMO or CONSOLE.
func isFile(path string) bool {
	for _, folder := range []string{"/examples/", "/dist/", "/console/", "/docs/"} {
		if strings.HasPrefix(path, folder) {
			return true
		}
	}
	return path == "/" || path == "/console" || path == "/docs"
}
