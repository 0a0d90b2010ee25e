package httpapi_test

import (
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, path := range []string{
		"/", "/nothing", "/chat", "/chat/create/", "//chat/create", "/chat//create", "/./healthz", "/chat/../healthz", "/healthz/",
		"/HEALTHZ", "/project//chat", "/project/demo/chat/", "/project/demo/chat//all", "/project/demo/chat/a/b/all",
		"/project/demo/chat/a/all/", "/v3/chat/message/again", "/v3/chat/stream/", "/v3/chat/stream/a/go", "/v3/chat/stop/", "/openapi.yml", "/demo/token",
		"/examples/01-script-tag/", "/dist/chatsdk.js", "/agents/a/memories/", "/agents//memories", "/memories", "/memory-approvals/a", "/v3/chat%2Fmessage", "/debug/pprof/",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			for _, method := range []string{"GET", "POST", "OPTIONS"} {
				w := s.serve(httptest.NewRequest(method, "http://service"+path, nil), asServer())
				if isDemoFile := strings.HasPrefix(path, "/dist/") || strings.HasPrefix(path, "/examples/"); path != "/" && !isDemoFile {
					require.Empty(t, w.Header().Get("Location"))
				}
				refusal(t, w, 404, wire.CodeNotFound)
			}
		})
	}
}

func TestOtherMethods(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, test := range []struct{ method, path, allow string }{
		{"GET", "/chat/create", "POST"}, {"PUT", "/chat/create", "POST"}, {"HEAD", "/chat/create", "POST"}, {"OPTIONS", "/chat/create", "POST"},
		{"POST", "/project/demo/chat", "GET, HEAD"}, {"DELETE", "/project/demo/chat/a/all", "GET, HEAD"}, {"POST", "/chat/delete", "DELETE"},
		{"GET", "/chat/update/name", "POST"}, {"GET", "/chat/message/user/feedback", "POST"}, {"GET", "/v3/chat/message", "POST"},
		{"POST", "/agents/a/memory-settings", "GET, HEAD, PUT"}, {"POST", "/agents/a/memories", "GET, HEAD"}, {"PUT", "/agents/a/memories/user/b", "DELETE, GET, HEAD, POST"},
		{"GET", "/memory-approvals/actions", "POST"}, {"POST", "/memories/a/answers", "GET, HEAD"}, {"DELETE", "/agents/a/erasures", "GET, HEAD"},
		{"GET", "/memories/a", "DELETE, PUT"}, {"GET", "/memory-approvals/a/action", "POST"}, {"DELETE", "/memory-approvals/pending", "GET, HEAD"}, {"PUT", "/agents/a/memory-stats", "GET, HEAD"},
		{"DELETE", "/tool-calls", "GET, HEAD"}, {"POST", "/tool-calls/a", "GET, HEAD"}, {"GET", "/tool-calls/a/decision", "POST"}, {"GET", "/tool-calls/a/claim", "POST"}, {"PUT", "/tool-calls/a/result", "POST"},
		{"GET", "/v3/chat/message/regenerate", "POST"}, {"POST", "/v3/chat/stream/a", "GET, HEAD"}, {"GET", "/v3/chat/stream/a/stop", "POST"}, {"DELETE", "/v3/chat/stop", "POST"},
		{"BREW", "/healthz", "GET, HEAD"}, {"GET", "/auth/token", "POST"}, {"POST", "/openapi.yaml", "GET, HEAD"},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			t.Parallel()
			w := s.do(test.method, test.path, asServer(), "")
			require.Equal(t, test.allow, w.Header().Get("Allow"))
			refusal(t, w, 405, wire.CodeMethodNotAllowed)
		})
	}
}

func TestPathsAreUnescaped(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { up.http.ProjectID = "a/ä b%2F" })
	for path, status := range map[string]int{
		"/project/a%2F%C3%A4%20b%252F/agents": 200, "/project/a%2f%c3%a4%20b%252f/agents": 404, "/project/a/ä b/agents": 404, "/%70roject/a%2F%C3%A4%20b%252F/agents": 200,
	} {
		r := httptest.NewRequest("GET", "http://service/", nil)
		at, err := r.URL.Parse(path)
		require.NoError(t, err)
		r.URL = at
		require.Equal(t, status, s.serve(r, asServer()).Code, path)
	}
}

func TestHEADIsGETWithoutTheBody(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	response, err := server.Client().Head(server.URL + "/healthz")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, 200, response.StatusCode)
	require.Equal(t, "application/json", response.Header.Get("Content-Type"))
}

// Whatever openapi.yaml describes is served. Every other test shows that
// nothing else is: an answer that is not described fails it.
func TestEverythingThatIsDescribedIsServed(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	text, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	require.Equal(t, 40, doc.Paths.Len())
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			w := s.do(method, strings.NewReplacer("{project_id}", "demo", "{", "", "}", "").Replace(path), nil, "")
			if path == "/demo/token" {
				require.Equal(t, 404, w.Code, "DEMO is off")
				continue
			}
			require.NotContains(t, w.Body.String(), "There is nothing at this path", path)
			require.NotEqual(t, 405, w.Code, path)
		}
	}
	require.Equal(t, string(text), s.do("GET", "/openapi.yaml", nil, "").Body.String())
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for name, id := range map[string]string{"short": "a", "long": strings.Repeat("a", 128), "of all characters": "aZ09._-"} {
		require.Equal(t, id, s.do("GET", "/healthz", headers{"x-request-id": id}, "").Header().Get("X-Request-Id"), name)
	}
	seen := map[string]bool{}
	for name, id := range map[string]string{
		"none": "", "too long": strings.Repeat("a", 129), "with a blank": "a b", "with a line end": "a\n", "with a quote": `a"`, "in Greek": "α",
	} {
		got := s.do("GET", "/healthz", headers{"x-request-id": id}, "").Header().Get("X-Request-Id")
		require.Regexp(t, `^req_[a-z2-7]{26}$`, got, name)
		require.False(t, seen[got], "ids are new")
		seen[got] = true
	}
}
