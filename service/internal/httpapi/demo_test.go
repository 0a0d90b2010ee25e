package httpapi_test

import (
	"io/fs"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/apitest"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

var siteFiles = fstest.MapFS{
	"examples/01-script-tag/index.html":   {Data: []byte("<!doctype html>"), ModTime: noon},
	"examples/01-script-tag/chat.css":     {Data: []byte("a{}"), ModTime: noon},
	"examples/01-script-tag/a b.mjs":      {Data: []byte("export{}"), ModTime: noon},
	"examples/01-script-tag/.env":         {Data: []byte("SECRET=1"), ModTime: noon},
	"examples/.git/config":                {Data: []byte("[core]"), ModTime: noon},
	"examples/02-go-server/main.go":       {Data: []byte("package main"), ModTime: noon},
	"examples/03-folder/index.html/a.txt": {Data: []byte("a"), ModTime: noon},
	"dist/chatsdk.js":                     {Data: []byte("var ChatSDK"), ModTime: noon},
	"dist/chatsdk.d.ts":                   {Data: []byte("export {}"), ModTime: noon},
	"dist/chatsdk.wasm":                   {Data: []byte("\x00asm"), ModTime: noon},
	"data/secret":                         {Data: []byte("secret"), ModTime: noon},
	"go.mod":                              {Data: []byte("module"), ModTime: noon},
}

// demo starts a service with DEMO on files.
func demo(t *testing.T, files fs.FS) *service {
	s := newService(t, nil)
	s.Handler = apitest.Handler(t, httpapi.Demo(s.config, files))
	return s
}

// visit requests a path at a host.
func (s *service) visit(method, host, path string, h headers) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost"+path, nil)
	r.Host = host
	return s.serve(r, h)
}

func TestDemoServesFiles(t *testing.T) {
	t.Parallel()
	s := demo(t, siteFiles)
	for _, test := range []struct{ path, contentType, body string }{
		{"/examples/01-script-tag/", "text/html; charset=utf-8", "<!doctype html>"},
		{"/examples/01-script-tag/index.html", "text/html; charset=utf-8", "<!doctype html>"},
		{"/examples/01-script-tag/chat.css?v=1", "text/css; charset=utf-8", "a{}"},
		{"/examples/01-script-tag/a%20b.mjs", "text/javascript; charset=utf-8", "export{}"},
		{"/examples/02-go-server/main.go", "application/octet-stream", "package main"},
		{"/dist/chatsdk.js", "text/javascript; charset=utf-8", "var ChatSDK"},
		{"/dist/chatsdk.d.ts", "text/plain; charset=utf-8", "export {}"},
		{"/dist/chatsdk.wasm", "application/wasm", "\x00asm"},
	} {
		t.Run(test.path, func(t *testing.T) {
			t.Parallel()
			w := s.visit("GET", "localhost:8080", test.path, nil)
			require.Equal(t, 200, w.Code, w.Body)
			require.Equal(t, test.body, w.Body.String())
			require.Equal(t, test.contentType, w.Header().Get("Content-Type"))
			require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
			require.Equal(t, "no-cache", w.Header().Get("Cache-Control"))
			require.NotEmpty(t, w.Header().Get("X-Request-Id"))
			require.Equal(t, "frame-ancestors 'none'", w.Header().Get("Content-Security-Policy"))
			require.Equal(t, "DENY", w.Header().Get("X-Frame-Options"))

			again := s.visit("GET", "localhost:8080", test.path, headers{"if-none-match": w.Header().Get("ETag")})
			require.Equal(t, 304, again.Code)
			again = s.visit("GET", "localhost:8080", test.path, headers{"if-modified-since": w.Header().Get("Last-Modified")})
			require.Equal(t, 304, again.Code)
			require.Empty(t, again.Body.String())
			require.Empty(t, s.visit("HEAD", "localhost:8080", test.path, nil).Body.String())
		})
	}
	part := s.visit("GET", "localhost", "/dist/chatsdk.wasm", headers{"range": "bytes=1-3"})
	require.Equal(t, 206, part.Code)
	require.Equal(t, "asm", part.Body.String())
}

func TestDemoServesNothingElse(t *testing.T) {
	t.Parallel()
	s := demo(t, siteFiles)
	for _, path := range []string{
		"/dist", "/dist/", "/examples", "/examples/", "/examples/02-go-server/", "/examples/03-folder/", "/examples/03-folder/index.html/",
		"/examples/01-script-tag/.env", "/examples/01-script-tag/%2eenv", "/examples/.git/config", "/go.mod", "/data/secret",
		"/dist/../go.mod", "/dist/%2e%2e/go.mod", "/dist/..%2fgo.mod", "/dist/..%2Fgo.mod", "/dist/..%5cgo.mod", "/dist//chatsdk.js", "/dist/./chatsdk.js",
		"/dist/chatsdk.js/", "/dist/chatsdk.js%00", "/dist/%zz", "/dist/nothing.js", "/examples/../data/secret", "/Dist/chatsdk.js",
		"//dist/chatsdk.js", "/examples/01-script-tag//index.html", "/dist/%2Fetc%2Fpasswd",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest("GET", "http://localhost/", nil)
			at, err := url.ParseRequestURI(path)
			if err != nil {
				return // no server accepts such a request
			}
			r.URL.Path, r.URL.RawPath = at.Path, at.RawPath
			w := s.serve(r, nil)
			refusal(t, w, 404, wire.CodeNotFound)
			require.Empty(t, w.Header().Get("Location"))
		})
	}
}

func TestDemoServesTheDocumentation(t *testing.T) {
	t.Parallel()
	require.False(t, httpapi.HasDocs(siteFiles))
	refusal(t, demo(t, siteFiles).visit("GET", "localhost", "/docs/", nil), 404, wire.CodeNotFound)

	built := fstest.MapFS{"dist/docs/index.html": {Data: []byte("home"), ModTime: noon}, "dist/docs/react.html": {Data: []byte("react"), ModTime: noon}}
	require.True(t, httpapi.HasDocs(built))
	s := demo(t, built)
	for path, body := range map[string]string{"/docs/": "home", "/docs/react.html": "react"} {
		w := s.visit("GET", "localhost", path, nil)
		require.Equal(t, 200, w.Code, path)
		require.Equal(t, body, w.Body.String())
		require.Equal(t, "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; connect-src 'self'; "+
			"img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", w.Header().Get("Content-Security-Policy"))
	}
	require.Equal(t, "/docs/", s.visit("GET", "localhost", "/docs", nil).Header().Get("Location"))
	refusal(t, s.visit("GET", "localhost", "/docs/%2e%2e/chatsdk.js", nil), 404, wire.CodeNotFound)
}

// A symbolic link cannot lead outside.
func TestDemoStaysInItsFolders(t *testing.T) {
	t.Parallel()
	outside, inside := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(inside, "dist"), 0o700))
	require.NoError(t, os.Symlink(outside, filepath.Join(inside, "dist", "link")))
	require.NoError(t, os.WriteFile(filepath.Join(inside, "dist", "a.txt"), []byte("a"), 0o600))
	root, err := os.OpenRoot(inside)
	require.NoError(t, err)
	defer root.Close()
	s := demo(t, root.FS())
	refusal(t, s.visit("GET", "localhost", "/dist/link/secret", nil), 404, wire.CodeNotFound)
	w := s.visit("GET", "localhost", "/dist/a.txt", nil)
	require.Equal(t, "a", w.Body.String())

	// A file that is rebuilt within a second is a different file.
	require.NoError(t, os.WriteFile(filepath.Join(inside, "dist", "a.txt"), []byte("b"), 0o600))
	require.NoError(t, os.Chtimes(filepath.Join(inside, "dist", "a.txt"), time.Time{}, noon.Add(time.Millisecond)))
	again := s.visit("GET", "localhost", "/dist/a.txt", headers{"if-none-match": w.Header().Get("ETag")})
	require.Equal(t, "b", again.Body.String())
}

// A link to another file of the same folder would be followed. A pipe would block the request, and
// the service's shutdown, until somebody writes to it.
func TestDemoServesOnlyRegularFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	inside := filepath.Join(folder, "examples", "01")
	require.NoError(t, os.MkdirAll(inside, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "secret"), []byte("secret"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(inside, "a.txt"), []byte("a"), 0o600))
	require.NoError(t, os.Symlink("../../secret", filepath.Join(inside, "secret.txt")))
	require.NoError(t, os.Symlink("a.txt", filepath.Join(inside, "b.txt")))
	require.NoError(t, os.Symlink("01", filepath.Join(folder, "examples", "02")))
	require.NoError(t, os.Symlink("gone", filepath.Join(inside, "gone.txt")))
	makePipe(t, filepath.Join(inside, "pipe.txt"))
	makePipe(t, filepath.Join(inside, "index.html"))
	root, err := os.OpenRoot(folder)
	require.NoError(t, err)
	defer root.Close()
	s := demo(t, root.FS())
	require.Equal(t, "a", s.visit("GET", "localhost", "/examples/01/a.txt", nil).Body.String())
	for _, name := range []string{"01/secret.txt", "01/b.txt", "01/gone.txt", "02", "02/", "02/a.txt", "01/pipe.txt", "01/"} {
		w := s.visit("GET", "localhost", "/examples/"+name, nil)
		refusal(t, w, 404, wire.CodeNotFound)
	}
}

func TestDemoLeadsToItsPage(t *testing.T) {
	t.Parallel()
	s := demo(t, siteFiles)
	for path, want := range map[string]string{
		"/": "/examples/01-script-tag/", "/examples/01-script-tag": "/examples/01-script-tag/", "/examples/01-script-tag?a=b%20c": "/examples/01-script-tag/?a=b%20c",
	} {
		w := s.visit("GET", "localhost", path, nil)
		require.Equal(t, 302, w.Code, path)
		require.Equal(t, want, w.Header().Get("Location"))
	}
}

func TestDemoAnswersOnlyForThisMachine(t *testing.T) {
	t.Parallel()
	s := demo(t, siteFiles)
	for _, host := range []string{"localhost", "localhost:8080", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:8080", "127.8.9.1:80", "[::1]", "[::1]:8080"} {
		require.Equal(t, 200, s.visit("GET", host, "/healthz", nil).Code, host)
	}
	for _, host := range []string{
		"", "example.com", "localhost.example.com", "localhost.example.com:8080", "127.0.0.1.example.com", "10.0.0.1", "0.0.0.0:8080", "[::]:8080",
		"[fe80::1]:8080", "[::ffff:127.0.0.1]:8080", "2130706433", "127.1", "localhost@example.com", "example.com:localhost",
	} {
		for _, path := range []string{"/healthz", "/", "/dist/chatsdk.js", "/nothing", "/project/demo/chat", "/openapi.yaml"} {
			w := s.visit("GET", host, path, nil)
			refusal(t, w, 403, wire.CodePermissionDenied)
			require.NotEmpty(t, w.Header().Get("X-Request-Id"))
		}
		r := httptest.NewRequest("POST", "http://localhost/demo/token", nil)
		r.Host = host
		refusal(t, s.serve(r, headers{"content-type": "application/json"}), 403, wire.CodePermissionDenied)
	}
	open := start(t, nil)
	require.Equal(t, 200, open.visit("GET", "example.com", "/healthz", nil).Code, "without DEMO any host will do")
}

type demoToken struct {
	AccessToken string  `json:"access_token"`
	ExpiresAt   float64 `json:"expires_at"`
	UserID      string  `json:"user_id"`
	ProjectID   string  `json:"project_id"`
}

func TestDemoHandsOutTokens(t *testing.T) {
	t.Parallel()
	s := demo(t, siteFiles)
	local := headers{}.json().with("host", "")
	ask := func(h headers, body string) *httptest.ResponseRecorder {
		return s.do("POST", "http://localhost:8080/demo/token", h, body)
	}
	seen := map[string]bool{}
	for _, body := range []string{`{}`, `{"user_id":null,"role":null}`, `{"user_id":"ann","role":"admin"}`} {
		w := ask(local, body)
		require.Equal(t, 200, w.Code, w.Body)
		token := decode[demoToken](t, w)
		require.Equal(t, project, token.ProjectID)
		require.Equal(t, float64(noon.Unix()+3600), token.ExpiresAt)
		require.False(t, seen[token.UserID], "users are new")
		seen[token.UserID] = true
		w = s.do("POST", "http://localhost/chat/create", bearer(token.AccessToken).json(), `{"project_id":"demo"}`)
		require.Equal(t, token.UserID, decode[wire.Chat](t, w).UserID)
	}
	require.True(t, seen["ann"])
	require.Equal(t, 200, ask(local.with("origin", "http://localhost:8080"), `{}`).Code)
	require.Equal(t, 200, ask(local.with("origin", "http://LOCALHOST:8080"), `{}`).Code)
	for _, origin := range []string{"https://localhost:8080", "http://localhost", "http://127.0.0.1:8080", "http://evil.example", "null", ""} {
		refusal(t, ask(local.with("origin", origin), `{}`), 403, wire.CodePermissionDenied)
	}
	refusal(t, ask(headers{}, `{}`), 415, wire.CodeUnsupportedMedia)
	refusal(t, ask(headers{"content-type": "text/plain"}, `{}`), 415, wire.CodeUnsupportedMedia)
	refusal(t, ask(local, ``), 400, wire.CodeValidation)
	for _, body := range []string{`{"user_id":""}`, `{"user_id":"."}`, `{"user_id":".."}`, `{"user_id":5}`} {
		refusal(t, ask(local, body), 400, wire.CodeValidation, "user_id")
	}
	refusal(t, ask(local, `{"role":"owner"}`), 400, wire.CodeValidation, "role")
	refusal(t, s.visit("GET", "localhost", "/demo/token", nil), 405, wire.CodeMethodNotAllowed)
}
