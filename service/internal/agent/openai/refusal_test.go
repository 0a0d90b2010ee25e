package openai_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
)

// pauses records the pauses of a Provider.
type pauses struct {
	mu   sync.Mutex
	took []time.Duration
}

func (p *pauses) pause(_ context.Context, d time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took = append(p.took, d)
	return nil
}

func TestARefusalIsRetriedTwice(t *testing.T) {
	t.Parallel()
	yes := says(piece(`"Yes."`), ends("stop"))
	busy := refuses(http.StatusTooManyRequests, `{"error":{"type":"requests","code":"rate_limit_exceeded"}}`)
	away := refuses(http.StatusServiceUnavailable, "<html>")
	lost := func(w http.ResponseWriter, _ *http.Request) { finish(w, reset) }
	hungUp := func(w http.ResponseWriter, _ *http.Request) { finish(w, dropped) }
	tests := []struct {
		name  string
		steps []step
		calls int
		cause string // empty: answered
	}{
		{"429 once", []step{busy, yes}, 2, ""},
		{"429 and 503", []step{busy, away, yes}, 3, ""},
		{"408 and 500", []step{refuses(408, ""), refuses(500, `{"error":"a bare text"}`), yes}, 3, ""},
		{"409 of a lock and 502", []step{refuses(409, `{"error":{"message":"Lock timeout"}}`), refuses(502, "<html>"), yes}, 3, ""},
		{"504 and 529", []step{refuses(504, "[]"), refuses(529, `{"error":{"type":"overloaded_error"}}`), yes}, 3, ""},
		{"connection reset before the response", []step{lost, lost, yes}, 3, ""},
		{"connection closed before the response", []step{hungUp, yes}, 2, ""},
		{"429 for good", []step{busy}, 3, "status 429, type requests, code rate_limit_exceeded"},
		{"503 for good", []step{away}, 3, "status 503"},
		{"connection reset for good", []step{lost}, 3, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, test.steps...)
			got := m.ask(t)
			require.Len(t, m.asked(), test.calls)
			if len(test.steps) > 1 {
				require.NoError(t, got.err)
				require.Equal(t, "Yes.", got.text())
				require.Equal(t, m.asked()[0].body, m.asked()[test.calls-1].body)
				return
			}
			failure := requireCode(t, wire.CodeUnavailable, got.err)
			require.ErrorContains(t, failure.Cause, test.cause)
			require.Empty(t, got.pieces)
		})
	}
}

func TestAClosedPortIsUnavailableAfterThreeTries(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	var dials atomic.Int32
	p, err := openai.New(openai.Config{
		BaseURL: "http://" + listener.Addr().String(),
		Pause:   new(pauses).pause,
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			dials.Add(1)
			return new(net.Dialer).DialContext(ctx, network, address)
		}},
	})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	got := read(t, p.Answer(t.Context(), question("Hello?")))
	requireCode(t, wire.CodeUnavailable, got.err)
	require.ErrorIs(t, got.err, syscall.ECONNREFUSED)
	require.EqualValues(t, 3, dials.Load())
}

func TestOtherFailuresAreNotRetried(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		step  step
		cause string
	}{
		{"400", refuses(400, `{"error":{"type":"invalid_request_error","code":null}}`), "status 400, type invalid_request_error"},
		{"401", refuses(401, `{"error":{"code":"invalid_api_key"}}`), "status 401, code invalid_api_key"},
		{"404 with a number as code", refuses(404, `{"error":{"type":"NotFoundError","code":404}}`), "status 404, type NotFoundError, code 404"},
		{"409 that is no lock", refuses(409, `{"error":{"message":"the name is taken"}}`), "status 409"},
		{"501", refuses(501, `{"error":"a bare text"}`), "status 501"},
		{"500 for a question that is too long", refuses(500, `{"error":{"message":"maximum context length exceeded"}}`), "status 500"},
		{"429 for an empty account", refuses(429, `{"error":{"code":"insufficient_quota"}}`), "status 429"},
		{"a status without a body", refuses(204, ""), "status 204"},
		{"a redirect", refuses(307, "", "Location", "/elsewhere"), "status 307"},
		{"a redirect to nowhere", refuses(302, ""), "status 302"},
		{"a page", refuses(200, "<html><body>Sign in</body></html>", "Content-Type", "text/html"), "a response of text/html, want text/event-stream"},
		{"an unknown type", refuses(200, "x", "Content-Type", "application/x-ndjson"), "a response of another type"},
		{"plain JSON", refuses(200, `{"choices":[]}`, "Content-Type", "application/json"), "a response of application/json"},
		{"an empty stream", streams("", closed), "no part of an answer in a response"},
		{"not HTTP", raw("SSH-2.0-OpenSSH_9.9\r\n\r\n"), "the transport failed"},
		{"an event that is not JSON", says("data: {\"choices\":[{]}\n\n"), "event 1: it is not a chat completion chunk"},
		{"an event that is a list", says("data: [DONE?]\n\n"), "event 1: it is not a chat completion chunk"},
		{"text that is a number", says(piece("7")), "event 1: the text is not a JSON string"},
		{"an error in the stream", says("data: {\"error\":{\"message\":\"x\",\"type\":\"server_error\",\"code\":503}}\n\n"), "error in event 1, type server_error, code 503"},
		{"an error in the stream that is a text", says("data: {\"error\":\"overloaded\"}\n\n"), "error in event 1"},
		{"an event called error", says("event: error\ndata: {\"message\":\"x\"}\n\n", ends("stop")), "error in event 1"},
		{"an event called error with a text", says("event: error\ndata: overloaded\n\n", ends("stop")), "error in event 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, test.step)
			got := m.ask(t)
			failure := requireCode(t, wire.CodeProviderFailed, got.err)
			require.ErrorContains(t, failure.Cause, test.cause)
			require.Len(t, m.asked(), 1)
		})
	}
}

func TestAnErrorAfterTextFailsWithTheTextAndIsNotRetried(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"data: {\"error\":{\"code\":429}}\n\n", "data: {]\n\n", "event: error\ndata: {}\n\n"} {
		m := newModel(t, says(first(), piece(`"So far"`), event, ends("stop")))
		got := m.ask(t)
		requireCode(t, wire.CodeProviderFailed, got.err)
		require.Equal(t, "So far", got.text())
		require.Len(t, m.asked(), 1)
	}
}

func TestThePauseBeforeARetryIsShort(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		header []string
		random float64
		pauses []time.Duration
		after  time.Duration // what the caller is told
	}{
		{"the shortest", nil, 0, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}, 0},
		{"the middle", nil, 0.5, []time.Duration{375 * time.Millisecond, 750 * time.Millisecond}, 0},
		{"after the seconds asked for", []string{"Retry-After", "2"}, 0, []time.Duration{2250 * time.Millisecond, 2500 * time.Millisecond}, 2 * time.Second},
		{"after the milliseconds asked for", []string{"Retry-After", "9", "Retry-After-Ms", "100"}, 0, []time.Duration{350 * time.Millisecond, 600 * time.Millisecond}, 100 * time.Millisecond},
		{"after the date asked for", []string{"Date", "Tue, 01 Dec 2026 10:00:00 GMT", "Retry-After", "Tue, 01 Dec 2026 10:00:03 GMT"}, 0,
			[]time.Duration{3250 * time.Millisecond, 3500 * time.Millisecond}, 3 * time.Second},
		{"not after a date that is past", []string{"Date", "Tue, 01 Dec 2026 10:00:00 GMT", "Retry-After", "Tue, 01 Dec 2026 09:00:00 GMT"}, 0,
			[]time.Duration{250 * time.Millisecond, 500 * time.Millisecond}, 0},
		{"not after an unreadable time", []string{"Retry-After", "soon"}, 0, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}, 0},
		{"not after a negative time", []string{"Retry-After", "-7"}, 0, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}, 0},
		{"no retry if the wait is long", []string{"Retry-After", "6"}, 0, nil, 6 * time.Second},
		{"no retry if the wait is absurd", []string{"Retry-After", "1e300"}, 0, nil, 24 * time.Hour},
	}
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusInternalServerError} {
		for _, test := range tests {
			t.Run(http.StatusText(status)+", "+test.name, func(t *testing.T) {
				t.Parallel()
				m := newModel(t, refuses(status, "", test.header...))
				var waited pauses
				p := m.provider(t, func(c *openai.Config) {
					c.Pause, c.Random = waited.pause, func() float64 { return test.random }
				})
				got := read(t, p.Answer(t.Context(), question("Hello?")))
				if status == http.StatusInternalServerError {
					require.Zero(t, requireCode(t, wire.CodeProviderFailed, got.err).RetryAfter, "the caller is told as before")
				} else {
					require.Equal(t, test.after, requireCode(t, wire.CodeUnavailable, got.err).RetryAfter)
				}
				require.Equal(t, test.pauses, waited.took)
				require.Len(t, m.asked(), 1+len(test.pauses))
			})
		}
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	other := newModel(t, says(piece(`"x"`), ends("stop")))
	m := newModel(t, refuses(http.StatusTemporaryRedirect, "", "Location", other.URL+"/v1/chat/completions"))
	requireCode(t, wire.CodeProviderFailed, m.ask(t).err)
	require.Empty(t, other.asked())
}

func TestAWrongSchemeFailsAndSaysSo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		model *model
		from  string
		to    string
		cause string
	}{
		{"a certificate that nobody trusts", newTLSModel(t, says(ends("stop"))), "", "", "certificate"},
		{"https where http is spoken", newModel(t, says(ends("stop"))), "http:", "https:", "HTTP response to HTTPS client"},
		{"http where https is spoken", newTLSModel(t, says(ends("stop"))), "https:", "http:", "status 400"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := test.model.provider(t, func(c *openai.Config) { c.BaseURL = strings.Replace(c.BaseURL, test.from, test.to, 1) })
			got := read(t, p.Answer(t.Context(), question("Hello?")))
			requireCode(t, wire.CodeProviderFailed, got.err)
			require.ErrorContains(t, got.err, test.cause)
			require.Empty(t, test.model.asked())
		})
	}
}
