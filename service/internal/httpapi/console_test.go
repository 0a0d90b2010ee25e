package httpapi_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

var consoleFiles = fstest.MapFS{
	"index.html":      {Data: []byte("<!doctype html>"), ModTime: noon},
	"console.js":      {Data: []byte("export{}"), ModTime: noon},
	"chatsdk.wasm":    {Data: []byte("\x00asm"), ModTime: noon},
	"settings.json":   {Data: []byte(`{"project_id":"another"}`), ModTime: noon},
	".env":            {Data: []byte("SECRET=1"), ModTime: noon},
	"more/index.html": {Data: []byte("more"), ModTime: noon},
}

// withConsole starts a service that serves the console.
func withConsole(t *testing.T) *service {
	return start(t, func(up *setup) { up.http.Console = consoleFiles })
}

func TestConsoleServesItsFiles(t *testing.T) {
	t.Parallel()
	s := withConsole(t)
	for _, test := range []struct{ path, contentType, caching, body string }{
		{"/console/", "text/html; charset=utf-8", "no-store", "<!doctype html>"},
		{"/console/index.html", "text/html; charset=utf-8", "no-store", "<!doctype html>"},
		{"/console/console.js?v=1", "text/javascript; charset=utf-8", "no-cache", "export{}"},
		{"/console/chatsdk.wasm", "application/wasm", "no-cache", "\x00asm"},
		{"/console/settings.json", "application/json", "no-store", `{"project_id":"demo","service":"../"}`},
	} {
		t.Run(test.path, func(t *testing.T) {
			t.Parallel()
			w := s.do("GET", test.path, nil, "")
			require.Equal(t, 200, w.Code, w.Body)
			require.Equal(t, test.body, w.Body.String())
			for name, want := range map[string]string{
				"Content-Type": test.contentType, "Cache-Control": test.caching, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
				"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "X-Frame-Options": "DENY",
				"Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; " +
					"img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			} {
				require.Equal(t, want, w.Header().Get(name), name)
			}
		})
	}
}

func TestConsoleServesNothingElse(t *testing.T) {
	t.Parallel()
	s := withConsole(t)
	for _, path := range []string{
		"/console/.env", "/console/%2eenv", "/console/nothing.js", "/console/console.js/", "/console//console.js", "/console/%2e%2e/go.mod",
		"/console/..%2fgo.mod", "/console/./console.js", "/console/more//index.html", "/console/console.js%00", "/Console/", "/dist/chatsdk.js",
	} {
		refusal(t, s.do("GET", path, nil, ""), 404, wire.CodeNotFound)
	}
	refusal(t, s.do("POST", "/console/", nil, ""), 405, wire.CodeMethodNotAllowed)
}

// If a proxy serves the console below a prefix, an address that begins with / would lead outside.
func TestConsoleLeadsToItsPage(t *testing.T) {
	t.Parallel()
	w := withConsole(t).do("GET", "/console", nil, "")
	require.Equal(t, 302, w.Code)
	require.Equal(t, "console/", w.Header().Get("Location"))
}

func TestWithoutAConsole(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, path := range []string{"/console", "/console/", "/console/settings.json", "/console/console.js"} {
		require.Equal(t, 404, s.do("GET", path, nil, "").Code)
	}
	without := httpapi.Routes(httpapi.New(s.config))
	s.config.Console = consoleFiles
	with := httpapi.Routes(httpapi.New(s.config))
	added := slices.DeleteFunc(with, func(route string) bool { return slices.Contains(without, route) })
	require.ElementsMatch(t, []string{"GET /console", "GET /console/settings.json", "GET /console/{path...}"}, added)
}
