package test

import (
	"embed"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

//go:embed pages
var pages embed.FS

// Origin is a server that pages are loaded from and call: it serves the test pages under /test/,
// and everything else from a service.
type Origin struct {
	// URL is the address, without a slash at the end.
	URL string

	server *httptest.Server
	mux    *http.ServeMux

	mu       sync.Mutex
	calls    []string
	count    map[string]int
	answered map[string]int
	// changed is called with each answer.
	changed *sync.Cond
}

// origin serves the test pages, and everything else through api.
func (s *Suite) origin(t testing.TB, api http.Handler) *Origin {
	o := &Origin{mux: http.NewServeMux(), count: map[string]int{}, answered: map[string]int{}}
	o.changed = sync.NewCond(&o.mu)
	o.mux.Handle("/", api)
	o.mux.HandleFunc("/test/", servePage)
	if s.workers {
		o.mux.HandleFunc("/dist/chatsdk.js", s.serveWithWorkers)
		o.mux.HandleFunc("/dist/chatsdk.mjs", s.serveWithWorkers)
	}
	serve := http.Handler(http.HandlerFunc(o.serve))
	if w, is := s.browser.(*webkit); is {
		serve = w.inject(serve)
	}
	o.server = httptest.NewServer(serve)
	o.URL = o.server.URL
	t.Cleanup(o.Close)
	return o
}

// Break breaks all connections. New ones can be made.
func (o *Origin) Break() { o.server.CloseClientConnections() }

// Close ends the server and its running responses.
func (o *Origin) Close() {
	o.server.CloseClientConnections()
	o.server.Close()
}

// Handle serves another pattern, of http.ServeMux.
func (o *Origin) Handle(pattern string, handler http.HandlerFunc) { o.mux.HandleFunc(pattern, handler) }

func (o *Origin) serve(w http.ResponseWriter, r *http.Request) {
	o.note(r)
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.answered[r.URL.Path]++
		o.changed.Broadcast()
	}()
	o.mux.ServeHTTP(w, r)
}

func (o *Origin) note(r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.count[r.URL.Path]++
	if !isFile(r.URL.Path) {
		o.calls = append(o.calls, r.Method+" "+r.URL.RequestURI())
	}
}

const icon = "/favicon.ico"

func isFile(path string) bool {
	for _, folder := range []string{"/test/", "/dist/", "/examples/", "/console/", "/docs/", icon} {
		if strings.HasPrefix(path, folder) {
			return true
		}
	}
	return path == "/"
}

// Calls lists the requests to the service so far, such as "GET /project/demo/chat?limit=2".
func (o *Origin) Calls() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.calls)
}

// Count returns how often a path was requested.
func (o *Origin) Count(path string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.count[path]
}

// Answered waits until n requests for a path have their answers.
func (o *Origin) Answered(t testing.TB, path string, n int) {
	t.Helper()
	overdue := false
	timer := time.AfterFunc(patience, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		overdue = true
		o.changed.Broadcast()
	})
	defer timer.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.answered[path] < n && !overdue {
		o.changed.Wait()
	}
	require.GreaterOrEqual(t, o.answered[path], n, "answers for %s", path)
}

// servePage serves a test page, with the Content-Security-Policy in the query parameter csp.
func servePage(w http.ResponseWriter, r *http.Request) {
	if policy := r.URL.Query().Get("csp"); policy != "" {
		w.Header().Set("Content-Security-Policy", policy)
	}
	w.Header().Set("Cache-Control", "no-store")
	http.ServeFileFS(w, r, pages, "pages/"+strings.TrimPrefix(r.URL.Path, "/test/"))
}

// dist serves the built files if no service does.
func (s *Suite) dist() http.Handler {
	return http.StripPrefix("/dist/", http.FileServer(http.Dir(s.File("dist"))))
}
