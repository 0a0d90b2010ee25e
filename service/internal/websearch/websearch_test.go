package websearch_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/websearch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "AIza-secret"

// engine is a scripted search engine.
func engine(t *testing.T, serve http.HandlerFunc) *websearch.Google {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	google, err := websearch.New(websearch.Config{Key: key, EngineID: "cx:1", BaseURL: server.URL + "/"})
	require.NoError(t, err)
	t.Cleanup(google.Close)
	return google
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	}
}

func TestTheQueryArrives(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, query, want string }{
		{"as it is", "Who & what?", "Who & what?"},
		{"in one line", " Who\n\tis  it? ", "Who is it?"},
		{"32 words of it", strings.Repeat("a ", 50), strings.TrimSpace(strings.Repeat("a ", 32))},
		{"512 characters of it", strings.Repeat("日", 600), strings.Repeat("日", 512)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var asked *http.Request
			google := engine(t, func(w http.ResponseWriter, r *http.Request) {
				asked = r
				_, _ = fmt.Fprint(w, "{}")
			})
			found, err := google.Search(t.Context(), test.query)
			require.NoError(t, err)
			require.Empty(t, found)
			require.Equal(t, "/customsearch/v1", asked.URL.Path)
			require.Equal(t, http.MethodGet, asked.Method)
			query := asked.URL.Query()
			require.Equal(t, []string{key, "cx:1", test.want, "5"}, []string{query.Get("key"), query.Get("cx"), query.Get("q"), query.Get("num")})
		})
	}
	found, err := engine(t, func(http.ResponseWriter, *http.Request) { t.Error("a blank query was sent") }).Search(t.Context(), " \n")
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestResults(t *testing.T) {
	t.Parallel()
	item := func(title, link, snippet string) string {
		return fmt.Sprintf(`{"kind":"customsearch#result","title":%q,"link":%q,"snippet":%q,"htmlTitle":"<b>no</b>"}`, title, link, snippet)
	}
	b := answering.Result{Title: "B", URL: "http://b.example", Snippet: "b"}
	one := item("A", "https://a.example/?a=1&b=2", "Of\u00a0a.\n More …")
	tests := []struct {
		name, body string
		want       []answering.Result
	}{
		{"one", `{"items":[` + one + `]}`, []answering.Result{{Title: "A", URL: "https://a.example/?a=1&b=2", Snippet: "Of a. More …"}}},
		{"none", `{"searchInformation":{"totalResults":"0"}}`, nil},
		{"null", `{"items":null}`, nil},
		{"five at most", `{"items":[` + strings.TrimSuffix(strings.Repeat(item("B", "http://b.example", "b")+",", 9), ",") + `]}`,
			[]answering.Result{b, b, b, b, b}},
		{"only addresses of the web", `{"items":[` + strings.Join([]string{item("x", "javascript:alert(1)", ""), item("x", "data:text/html,x", ""), item("x", "ftp://a.example", ""),
			item("x", "//a.example", ""), item("x", "https://", ""), item("x", "", ""), item("x", "https://a.example/"+strings.Repeat("a", 2000), ""), one}, ",") + `]}`,
			[]answering.Result{{Title: "A", URL: "https://a.example/?a=1&b=2", Snippet: "Of a. More …"}}},
		{"long texts", `{"items":[` + item(strings.Repeat("ä", 300), "http://a.example", strings.Repeat("ä", 600)) + `]}`,
			[]answering.Result{{Title: strings.Repeat("ä", 200), URL: "http://a.example", Snippet: strings.Repeat("ä", 500)}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := engine(t, says(200, test.body)).Search(t.Context(), "a")
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

// Errors say what failed and hold neither the key nor the query.
func TestSearchesThatFail(t *testing.T) {
	t.Parallel()
	const query = "who-is-ann"
	report := func(code int, reason, status string) http.HandlerFunc {
		return says(code, fmt.Sprintf(`{"error":{"code":%d,"message":"%s %s","errors":[{"message":"%s","domain":"usageLimits","reason":%q}],"status":%q}}`, code, key, query, query, reason, status))
	}
	tests := []struct {
		name  string
		serve http.HandlerFunc
		want  string
	}{
		{"a wrong key", report(400, "badRequest", "INVALID_ARGUMENT"), "websearch: status 400, badRequest"},
		{"no permission", report(403, "", "PERMISSION_DENIED"), "websearch: status 403, PERMISSION_DENIED"},
		{"over the quota", report(429, "rateLimitExceeded", "RESOURCE_EXHAUSTED"), "websearch: status 429, rateLimitExceeded"},
		{"a reason that is not an identifier", report(400, key+" "+query, ""), "websearch: status 400"},
		{"down", says(503, "<html>"+query), "websearch: status 503"},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere?"+query, http.StatusFound)
		}, "websearch: status 302"},
		{"a page", says(200, "<html>"+query), "websearch: the response is not a JSON object with items"},
		{"a list", says(200, "[]"), "websearch: the response is not a JSON object with items"},
		{"too long", says(200, `{"items":[]`+strings.Repeat(" ", 1<<20)+"}"), "websearch: the response is longer than 1048576 bytes"},
		{"cut", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = fmt.Fprint(w, "{")
		}, "websearch: no response: unexpected EOF"},
		{"dropped", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "websearch: no response: EOF"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found, err := engine(t, test.serve).Search(t.Context(), query)
			require.EqualError(t, err, test.want)
			require.Nil(t, found)
		})
	}
	nobody, err := websearch.New(websearch.Config{Key: key, BaseURL: "http://127.0.0.1:1"})
	require.NoError(t, err)
	_, err = nobody.Search(t.Context(), query)
	require.ErrorContains(t, err, "websearch: no response: dial tcp")
	require.NotContains(t, err.Error(), key)
	require.NotContains(t, err.Error(), query)
}

func TestSearchesThatTakeTooLong(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(server.Close)
	google, err := websearch.New(websearch.Config{Key: key, BaseURL: server.URL, Timeout: time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(google.Close)
	_, err = google.Search(t.Context(), "a")
	require.EqualError(t, err, "websearch: no response in time")

	ctx, cancel := context.WithCancel(t.Context())
	google = engine(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err = google.Search(ctx, "a")
	require.ErrorIs(t, err, context.Canceled)
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"googleapis.com", "ftp://a.example", "https://", "https://u:p@a.example", "https://a.example?x=1", "https://a.example#x", "http://a\x7f"} {
		_, err := websearch.New(websearch.Config{BaseURL: address})
		require.EqualError(t, err, "the base URL is not an address such as https://www.googleapis.com", address)
	}
	google, err := websearch.New(websearch.Config{})
	require.NoError(t, err)
	google.Close()
}
