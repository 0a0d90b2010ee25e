package apitest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/apitest"
)

// recorder is a test that records its failures.
type recorder struct {
	testing.TB
	mu     sync.Mutex
	faults []string
}

func (r *recorder) Errorf(format string, values ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, fmt.Sprintf(format, values...))
}

func (r *recorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.faults, "\n")
}

// described serves the description of the real service, and one scripted answer.
func described(t *testing.T, answer http.HandlerFunc) http.Handler {
	text, err := os.ReadFile("../internal/httpapi/openapi.yaml")
	require.NoError(t, err)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/openapi.yaml" {
			_, _ = w.Write(text)
			return
		}
		answer(w, r)
	})
}

// reply is a scripted answer with the headers that the service always sends.
func reply(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header(), contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func setHeaders(header http.Header, contentType string) {
	header.Set("X-Request-Id", "req_1")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	if contentType != "" {
		header.Set("Content-Type", contentType)
	}
	if contentType == "text/event-stream" {
		header.Set("Cache-Control", "no-store, no-transform")
		header.Set("X-Accel-Buffering", "no")
	}
}

// faults sends the scripted handler one request and returns what is wrong with the answer.
func faults(t *testing.T, answer http.HandlerFunc, r *http.Request) string {
	test := &recorder{TB: t}
	apitest.Handler(test, described(t, answer)).ServeHTTP(httptest.NewRecorder(), r)
	return test.text()
}

const agents = `{"agents":[{"id":"a","name":"A","type":"chat_agent"}],"models":[]}`

func TestHandlerChecksAnswers(t *testing.T) {
	t.Parallel()
	notFound := `{"status_code":404,"error":{"code":"ENTITY_NOT_FOUND","message":"No"}}`
	tests := []struct {
		name         string
		method, path string
		answer       http.HandlerFunc
		want         string // "" for nothing wrong
	}{
		{"right", "GET", "/project/p/agents", reply(200, "application/json", agents), ""},
		{"right error", "GET", "/project/p/agents", reply(404, "application/json", notFound), ""},
		{"HEAD", "HEAD", "/project/p/agents", reply(200, "application/json", ""), ""},
		{"unknown path", "GET", "/nothing", reply(404, "application/json", notFound), ""},
		{"file of DEMO", "GET", "/dist/chatsdk.js", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(418) }, ""},
		{"missing field", "GET", "/project/p/agents", reply(200, "application/json", `{"agents":[]}`), "missing property 'models'"},
		{"stray field", "GET", "/project/p/agents", reply(200, "application/json", `{"agents":[],"models":[],"extra":1}`), "additional properties 'extra' not allowed"},
		{"wrong type", "GET", "/project/p/agents", reply(200, "application/json", `{"agents":{},"models":[]}`), "at /agents: got object, want array"},
		{"undocumented status", "GET", "/project/p/agents", reply(418, "application/json", agents), "the status is not in openapi.yaml"},
		{"redirect", "GET", "/project/p/agents", reply(301, "", ""), "the status is not in openapi.yaml"},
		{"undocumented content type", "GET", "/project/p/agents", reply(200, "text/html", agents), `the content type "text/html"`},
		{"text after JSON", "GET", "/project/p/agents", reply(200, "application/json", agents+"x"), "not one JSON value"},
		{"empty answer", "GET", "/project/p/agents", func(http.ResponseWriter, *http.Request) {}, "the content type"},
		{"status of another error", "GET", "/project/p/agents", reply(404, "application/json", strings.Replace(notFound, "404", "400", 1)), "value must be 404"},
		{"code of another error", "GET", "/nothing", reply(404, "application/json", strings.Replace(notFound, "ENTITY_NOT_FOUND", "INTERNAL", 1)), "value must be 'ENTITY_NOT_FOUND'"},
		{"200 on an unknown path", "GET", "/nothing", reply(200, "application/json", agents), "the status is not in openapi.yaml"},
		{"405 without allow", "PUT", "/healthz", reply(405, "application/json", `{"status_code":405,"error":{"code":"METHOD_NOT_ALLOWED","message":"No"}}`), `header "allow" missing`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := faults(t, test.answer, httptest.NewRequest(test.method, test.path, nil))
			if test.want == "" {
				require.Empty(t, got)
			} else {
				require.Contains(t, got, test.want)
			}
		})
	}
}

func TestHandlerChecksHeaders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"X-Request-Id", "Cache-Control", "X-Content-Type-Options"} {
		t.Run(name+" is missing", func(t *testing.T) {
			t.Parallel()
			got := faults(t, func(w http.ResponseWriter, r *http.Request) {
				setHeaders(w.Header(), "application/json")
				w.Header().Del(name)
				_, _ = io.WriteString(w, agents)
			}, httptest.NewRequest("GET", "/project/p/agents", nil))
			require.Contains(t, got, fmt.Sprintf("header %q missing", strings.ToLower(name)))
		})
	}
	t.Run("request id is not the client's", func(t *testing.T) {
		t.Parallel()
		r := httptest.NewRequest("GET", "/project/p/agents", nil)
		r.Header.Set("X-Request-Id", "mine")
		require.Contains(t, faults(t, reply(200, "application/json", agents), r), "not the client's own")
	})
}

func TestHandlerFailsWithoutADescription(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]http.HandlerFunc{
		"none":      http.NotFound,
		"not valid": func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "openapi: 3.1.0") },
		"not YAML":  func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "\t{") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test := &recorder{TB: t}
			apitest.Handler(test, next).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/healthz", nil))
			require.Contains(t, test.text(), "openapi.yaml")
		})
	}
}

// An answer passes through a proxy as it is written: the second event is
// written only when the first has been read.
func TestStreamsPassAsTheyFlow(t *testing.T) {
	t.Parallel()
	read := make(chan struct{})
	backend := httptest.NewServer(described(t, func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header(), "text/event-stream")
		first, rest, _ := strings.Cut(stream(), "\n\n")
		_, _ = io.WriteString(w, first+"\n\n")
		_ = http.NewResponseController(w).Flush()
		<-read
		_, _ = io.WriteString(w, rest)
	}))
	t.Cleanup(backend.Close)
	address, err := url.Parse(backend.URL)
	require.NoError(t, err)
	front := httptest.NewServer(apitest.Handler(t, httputil.NewSingleHostReverseProxy(address)))
	t.Cleanup(front.Close)

	response, err := http.Post(front.URL+"/v3/chat/message", "", nil)
	require.NoError(t, err)
	defer response.Body.Close()
	first := make([]byte, len("id: 1\n"))
	_, err = io.ReadFull(response.Body, first)
	require.NoError(t, err)
	close(read)
	rest, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, stream(), string(first)+string(rest))
}

// It is not a fault of the service if a client leaves early and misses a part.
func TestClientsMayLeaveEarly(t *testing.T) {
	t.Parallel()
	test := &recorder{TB: t}
	gone := make(chan struct{})
	left := apitest.Handler(test, described(t, func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header(), "text/event-stream")
		first, _, _ := strings.Cut(stream(), "\n\n")
		_, _ = io.WriteString(w, first+"\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(gone)
		left.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/v3/chat/message", nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	leave()
	<-gone
	response.Body.Close()
	require.Empty(t, test.text())
}
