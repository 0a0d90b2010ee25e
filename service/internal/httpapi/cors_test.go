package httpapi_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// cors returns the headers of an answer that concern origins.
func cors(header http.Header) map[string]string {
	found := map[string]string{}
	for _, name := range []string{
		"Vary", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Access-Control-Allow-Methods",
		"Access-Control-Allow-Headers", "Access-Control-Max-Age", "Access-Control-Allow-Credentials",
	} {
		if values := header.Values(name); len(values) > 0 {
			found[name] = values[0]
		}
	}
	return found
}

func TestCORS(t *testing.T) {
	t.Parallel()
	listed := start(t, func(up *setup) { up.http.Origins = []string{"https://app.example", "http://localhost:5173"} })
	closed := start(t, nil)
	none := map[string]string{}
	vary := map[string]string{"Vary": "Origin"}
	simple := map[string]string{
		"Vary": "Origin", "Access-Control-Allow-Origin": "https://app.example",
		"Access-Control-Expose-Headers": "x-request-id, retry-after, idempotent-replayed, x-has-more",
	}
	preflight := maps.Clone(simple)
	preflight["Access-Control-Allow-Methods"] = "GET, POST, PUT, DELETE"
	preflight["Access-Control-Allow-Headers"] = "authorization, content-type, accept, idempotency-key, last-event-id, x-request-id"
	preflight["Access-Control-Max-Age"] = "7200"
	app := as("ann").with("origin", "https://app.example")
	asking := headers{"origin": "https://app.example", "access-control-request-method": "POST", "access-control-request-headers": "authorization"}

	tests := []struct {
		name         string
		s            *service
		method, path string
		as           headers
		status       int
		want         map[string]string
	}{
		{"answer", listed, "GET", "/project/demo/chat", app, 200, simple},
		{"answer to another listed origin", listed, "GET", "/healthz", headers{"origin": "http://localhost:5173"}, 200,
			map[string]string{"Vary": "Origin", "Access-Control-Allow-Origin": "http://localhost:5173", "Access-Control-Expose-Headers": simple["Access-Control-Expose-Headers"]}},
		{"no credentials", listed, "GET", "/project/demo/chat", headers{"origin": "https://app.example"}, 401, simple},
		{"wrong query", listed, "GET", "/project/demo/chat?limit=0", app, 400, simple},
		{"unknown chat", listed, "GET", "/project/demo/chat/x/all", app, 404, simple},
		{"unknown path", listed, "GET", "/nothing", app, 404, simple},
		{"wrong method", listed, "PUT", "/healthz", app, 405, simple},
		{"wrong type", listed, "POST", "/v3/chat/message", app, 415, simple},
		{"preflight", listed, "OPTIONS", "/v3/chat/message", asking, 204, preflight},
		{"preflight on an unknown path", listed, "OPTIONS", "/nothing", asking, 204, preflight},
		{"OPTIONS that is not a preflight", listed, "OPTIONS", "/v3/chat/message", headers{"origin": "https://app.example"}, 405, simple},
		{"no origin", listed, "GET", "/project/demo/chat", as("ann"), 200, vary},
		{"another origin", listed, "GET", "/project/demo/chat", as("ann").with("origin", "https://evil.example"), 200, vary},
		{"the origin with a path", listed, "GET", "/project/demo/chat", as("ann").with("origin", "https://app.example/"), 200, vary},
		{"the origin without TLS", listed, "GET", "/project/demo/chat", as("ann").with("origin", "http://app.example"), 200, vary},
		{"origin null", listed, "GET", "/project/demo/chat", as("ann").with("origin", "null"), 200, vary},
		{"preflight of another origin", listed, "OPTIONS", "/v3/chat/message", asking.with("origin", "https://evil.example"), 405, vary},
		{"none listed", closed, "GET", "/project/demo/chat", app, 200, none},
		{"preflight, none listed", closed, "OPTIONS", "/v3/chat/message", asking, 405, none},
		{"empty origin, none listed", closed, "GET", "/project/demo/chat", as("ann").with("origin", ""), 200, none},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := test.s.do(test.method, test.path, test.as, "")
			require.Equal(t, test.status, w.Code, w.Body)
			require.Equal(t, test.want, cors(w.Header()))
			require.NotEmpty(t, w.Header().Get("X-Request-Id"))
		})
	}
}

// An operator may allow further headers; the protocol's stay.
func TestCORSOfFurtherHeaders(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) {
		up.http.Origins, up.http.AllowedHeaders = []string{"https://app.example"}, []string{"x-tenant", "x-api-key"}
	})
	w := s.do("OPTIONS", "/v3/chat/message", headers{
		"origin": "https://app.example", "access-control-request-method": "POST", "access-control-request-headers": "x-tenant",
	}, "")
	require.Equal(t, "authorization, content-type, accept, idempotency-key, last-event-id, x-request-id, x-tenant, x-api-key", w.Header().Get("Access-Control-Allow-Headers"))
}

// A bundler's dev server takes the next free port.
func TestCORSOfAnyPort(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) {
		up.http.Origins = []string{"https://app.example", "http://localhost:*", "https://127.0.0.1:*", "http://[::1]:*"}
	})
	tests := []struct {
		origin  string
		allowed bool
	}{
		{"https://app.example", true},
		{"http://localhost:5173", true},
		{"http://localhost:65535", true},
		{"http://localhost", true},
		{"https://127.0.0.1:4200", true},
		{"http://[::1]:3000", true},
		{"https://app.example:5173", false},
		{"https://localhost:5173", false},
		{"http://127.0.0.1:5173", false},
		{"http://localhost.evil.com:80", false},
		{"http://localhost.evil.com", false},
		{"http://localhosts:5173", false},
		{"http://evil.com/http://localhost:5173", false},
		{"http://localhost:80:90", false},
		{"http://localhost:80@evil.com", false},
		{"http://localhost:5173/", false},
		{"http://localhost:", false},
		{"http://localhost:*", false},
		{"http://localhost:05173", false},
		{"http://localhost:x", false},
		{"http://localhost:5173.evil.com", false},
		{"http://evil.com:5173", false},
		{"null", false},
		{"", false},
	}
	for _, test := range tests {
		t.Run(test.origin, func(t *testing.T) {
			t.Parallel()
			answer := s.do("GET", "/project/demo/chat", as("ann").with("origin", test.origin), "")
			require.Equal(t, 200, answer.Code)
			require.Equal(t, "Origin", answer.Header().Get("Vary"))
			preflight := s.do("OPTIONS", "/v3/chat/message", headers{"origin": test.origin, "access-control-request-method": "POST"}, "")
			if !test.allowed {
				require.Equal(t, map[string]string{"Vary": "Origin"}, cors(answer.Header()))
				require.Equal(t, 405, preflight.Code)
				require.Equal(t, map[string]string{"Vary": "Origin"}, cors(preflight.Header()))
				return
			}
			require.Equal(t, test.origin, answer.Header().Get("Access-Control-Allow-Origin"))
			require.Equal(t, 204, preflight.Code)
			require.Equal(t, test.origin, preflight.Header().Get("Access-Control-Allow-Origin"))
		})
	}
}

func TestCORSOnStreams(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { up.http.Origins = []string{"https://app.example"} })
	w := s.send(as("ann").with("origin", "https://app.example").with("accept", "text/event-stream"))
	require.Equal(t, "text/event-stream", w.Header().Get("Content-Type"))
	require.Equal(t, []string{"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Vary"}, slices.Sorted(maps.Keys(cors(w.Header()))))
}
