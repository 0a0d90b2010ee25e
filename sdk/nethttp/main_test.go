package nethttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hangLimit ends a test that hangs. No test that passes takes that long.
const hangLimit = time.Minute

// limited is a context that ends a test which hangs.
func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangLimit)
	t.Cleanup(cancel)
	return ctx
}

// leakFree checks that a test leaves no goroutine behind, including those of its server. Call it first,
// in a test that does not run in parallel.
func leakFree(t *testing.T) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
}

// serve starts a server on loopback until the end of the test, and returns its address.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// config is the configuration of a page's user.
func config(address string) sdk.Config {
	return sdk.Config{BaseURL: address, ProjectID: "p1", AccessToken: "token-1", MaxRetries: -1}
}

// talk returns a client of a server.
func talk(t *testing.T, handler http.HandlerFunc) *sdk.Client {
	t.Helper()
	client, err := nethttp.NewClient(config(serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/stop") { // the client stops an answer that nobody reads, in the background
			answer(w, `{"stopped":false}`)
			return
		}
		handler(w, r)
	})))
	require.NoError(t, err)
	return client
}

func answer(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(text))
}
