package httpapi_test

import (
	"bytes"
	"maps"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

// scrape reads metrics as Prometheus does.
func scrape(t *testing.T, w *httptest.ResponseRecorder) map[string]*dto.MetricFamily {
	t.Helper()
	require.Equal(t, 200, w.Code, w.Body)
	require.Equal(t, "text/plain; version=0.0.4; charset=utf-8", w.Header().Get("Content-Type"))
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(w.Body.Bytes()))
	require.NoError(t, err)
	return families
}

// busy returns a service with something to count.
func busy(t *testing.T) (*service, string) {
	s := start(t, nil)
	sent := s.newChat("ann")
	s.do("GET", "/project/demo/chat/"+sent.ChatID+"/all", as("ann"), "")
	s.do("GET", "/project/demo/chat/chat_x/all", as("ann"), "")
	s.do("GET", "/nothing", nil, "")
	return s, sent.ChatID
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	s, chatID := busy(t)
	w := s.do("GET", "/metrics", asServer(), "")
	for _, line := range []string{
		`chatsdk_requests_total{method="GET",route="/project/{project_id}/chat/{chat_id}/all",status="200"} 1`,
		`chatsdk_requests_total{method="GET",route="/project/{project_id}/chat/{chat_id}/all",status="404"} 1`,
		`chatsdk_requests_total{method="GET",route="",status="404"} 1`,
		`chatsdk_request_seconds_count{method="GET",route="/project/{project_id}/chat/{chat_id}/all"} 2`,
		`chatsdk_request_seconds_bucket{method="GET",route="/project/{project_id}/chat/{chat_id}/all",le="+Inf"} 2`,
		`chatsdk_request_seconds_bucket{method="GET",route="/project/{project_id}/chat/{chat_id}/all",le="120"} 2`,
		`chatsdk_answers_total{outcome="stop"} 1`,
		`chatsdk_answers_running 0`,
		`chatsdk_memory_backlog 0`,
	} {
		require.Contains(t, w.Body.String(), line+"\n")
	}
	require.Contains(t, w.Body.String(), "go_goroutines ")
	require.NotContains(t, w.Body.String(), chatID)
}

// Every metric has its type and a sentence, and passes Prometheus's own linter.
func TestMetricsHaveTypes(t *testing.T) {
	t.Parallel()
	s, _ := busy(t)
	w := s.do("GET", "/metrics", asServer(), "")
	families := scrape(t, w)
	for name, want := range map[string]dto.MetricType{
		"chatsdk_requests_total": dto.MetricType_COUNTER, "chatsdk_answers_total": dto.MetricType_COUNTER,
		"chatsdk_request_seconds": dto.MetricType_HISTOGRAM,
		"chatsdk_answers_running": dto.MetricType_GAUGE, "chatsdk_answers_parked": dto.MetricType_GAUGE, "chatsdk_memory_backlog": dto.MetricType_GAUGE, "chatsdk_document_backlog": dto.MetricType_GAUGE,
		"go_goroutines": dto.MetricType_GAUGE,
	} {
		require.Contains(t, slices.Collect(maps.Keys(families)), name)
		require.Equal(t, want, families[name].GetType(), name)
	}
	for name, family := range families {
		require.NotEqual(t, dto.MetricType_UNTYPED, family.GetType(), name)
		require.NotEmpty(t, family.GetHelp(), name)
	}
	problems, err := promlint.New(w.Body).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
}

// They count everybody's requests, so only the operator may read them.
func TestMetricsAreForAnAPIKey(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	require.Equal(t, 200, s.do("GET", "/metrics", asServer(), "").Code)
	require.Equal(t, 200, s.do("HEAD", "/metrics", asServer(), "").Code)
	for name, h := range map[string]headers{
		"nobody": {}, "a wrong secret": asServer().with("x-api-secret", "x"), "an API key for a user": as("ann"),
		"a user":           s.token(wire.AccessTokenRequest{UserID: "ann"}),
		"an administrator": s.token(wire.AccessTokenRequest{UserID: "root", Role: wire.RoleAdmin}),
	} {
		w := s.do("GET", "/metrics", h, "")
		require.Equal(t, 401, w.Code, name)
		require.NotEmpty(t, w.Header().Get("WWW-Authenticate"), name)
		require.NotContains(t, w.Body.String(), "chatsdk_", name)
	}
	refusal(t, s.do("GET", "/metrics", as("ann"), ""), 401, wire.CodeAuthentication)
}

// At their own address they need no credentials, and nothing else is there.
func TestMetricsAtTheirOwnAddress(t *testing.T) {
	t.Parallel()
	s, _ := busy(t)
	alone := httpapi.Metrics(s.config.Metrics)
	ask := func(method, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		alone.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		return w
	}
	require.Contains(t, scrape(t, ask("GET", "/metrics")), "chatsdk_requests_total")
	for _, path := range []string{"/", "/healthz", "/readyz", "/project/demo/chat", "/metrics/", "/debug/pprof/", "/openapi.yaml"} {
		require.Equal(t, 404, ask("GET", path).Code, path)
	}
	require.Equal(t, 405, ask("POST", "/metrics").Code)
}
