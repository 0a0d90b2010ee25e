package main_test

import (
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/prometheus/common/expfmt"
	prometheus "github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// freeAddress returns an address at which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}

func TestMetricsAtTheirOwnAddress(t *testing.T) {
	t.Parallel()
	at := freeAddress(t)
	p := start(t, env{"METRICS_ADDR": at})
	p.ask("Hello")
	response, err := http.Get("http://" + at + "/metrics")
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode, "without credentials")
	parser := expfmt.NewTextParser(prometheus.LegacyValidation)
	families, err := parser.TextToMetricFamilies(response.Body)
	require.NoError(t, err)
	for _, name := range []string{"chatsdk_requests_total", "chatsdk_request_seconds", "chatsdk_answers_total", "process_open_fds", "go_goroutines"} {
		require.NotEmpty(t, families[name].GetHelp(), name)
	}
	for _, path := range []string{"/", "/healthz", "/project/demo/chat"} {
		other, err := http.Get("http://" + at + path)
		require.NoError(t, err)
		body, err := io.ReadAll(other.Body)
		require.NoError(t, err)
		require.NoError(t, other.Body.Close())
		require.Equal(t, http.StatusNotFound, other.StatusCode, "%s: %s", path, body)
	}
	requireError(t, p.do(http.MethodGet, "/metrics", nil, ""), http.StatusUnauthorized, wire.CodeAuthentication)
	p.stop()
	_, err = net.Dial("tcp", at)
	require.Error(t, err, "they end with the service")
}

func TestMetricsAtAnAddressInUse(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	line := fails(t, t.TempDir(), keyed(), "-addr", "127.0.0.1:0", "-metrics-addr", listener.Addr().String())
	require.Contains(t, line, "METRICS_ADDR: "+listener.Addr().String()+" is in use")
	require.Contains(t, line, "-metrics-addr")
}
