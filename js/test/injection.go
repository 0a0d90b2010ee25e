package test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
)

// reporting keeps what a page reports, because WebDriver does not return it. An error whose default
// the page prevents does not count.
const reporting = `
	const reports = [];
	Object.defineProperty(globalThis, "reported", {
		value: () => reports.splice(0).filter(({ event }) => !event?.defaultPrevented).map(({ report }) => report),
	});
	const words = (value) => (value instanceof Error ? value.name + ": " + value.message : typeof value === "string" ? value : JSON.stringify(value) ?? String(value));
	addEventListener("error", (event) => reports.push({ event, report: "uncaught: Uncaught " + words(event.error ?? event.message) }));
	addEventListener("unhandledrejection", (event) => reports.push({ event, report: "uncaught: Uncaught (in promise) " + words(event.reason) }));
	for (const method of ["error", "assert"]) {
		const say = console[method].bind(console);
		console[method] = (...values) => {
			if (method === "error" || !values[0]) reports.push({ report: "console: " + values.map(words).join(" ") });
			say(...values);
		};
	}`

// scriptPath is where an Origin serves the scripts that run before a page's own.
const scriptPath = "/test/before.js"

// inject serves scripts before the scripts of a document: those of the page that requests it.
// Classic WebDriver has no command for this.
func (w *webkit) inject(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, id, _ := strings.Cut(r.UserAgent(), " Session/")
		w.mu.Lock()
		s := w.sessions[id]
		w.mu.Unlock()
		switch {
		case s != nil && s.isOffline.Load():
			panic(http.ErrAbortHandler)
		case s != nil && r.URL.Path == scriptPath:
			rw.Header().Set("Content-Type", "text/javascript")
			rw.Header().Set("Cache-Control", "no-store")
			_, _ = fmt.Fprintf(rw, "{%s}\n%s", reporting, s.script()) // a page that has left reads no more
		case s != nil && strings.HasPrefix(r.Header.Get("Accept"), "text/html"):
			injected := httptest.NewRecorder()
			next.ServeHTTP(injected, r)
			writeInjected(rw, injected)
		default:
			next.ServeHTTP(rw, r)
		}
	})
}

func (s *webkitSession) script() string {
	s.scripts.Lock()
	defer s.scripts.Unlock()
	var all strings.Builder
	for _, script := range s.before {
		fmt.Fprintf(&all, "{%s\n}\n", script)
	}
	return all.String()
}

// beginning is the part of a document before its scripts.
var beginning = regexp.MustCompile(`(?is)^\s*(<!doctype[^>]*>)?\s*(<html[^>]*>)?\s*(<head[^>]*>)?`)

// writeInjected writes a response, with a script before all others if it is a document.
func writeInjected(w http.ResponseWriter, response *httptest.ResponseRecorder) {
	body := response.Body.String()
	for name, values := range response.Header() {
		w.Header()[name] = values
	}
	if strings.HasPrefix(response.Header().Get("Content-Type"), "text/html") {
		body = beginning.ReplaceAllString(body, `$0<script src="`+scriptPath+`"></script>`)
		w.Header().Del("Content-Length")
		w.Header().Del("Etag")
	}
	w.WriteHeader(response.Code)
	_, _ = fmt.Fprint(w, body) // a page that has left reads no more
}
