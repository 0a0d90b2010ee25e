package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/chatsdk/chatsdk/service/internal/config"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

// serveMetrics serves the metrics at METRICS_ADDR, if it is set, until done is called.
func serveMetrics(s *config.Settings, set *prometheus.Registry, log *slog.Logger) (address string, done func(), err error) {
	if s.MetricsAddr == "" {
		return "", func() {}, nil
	}
	listener, err := listen("METRICS_ADDR", "-metrics-addr", s.MetricsAddr)
	if err != nil {
		return "", nil, err
	}
	server := httpapi.NewServer(httpapi.Metrics(set))
	server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	end := inBackground(func(context.Context) {
		if err := server.Serve(listener); err != http.ErrServerClosed {
			log.Error("metrics are no longer served", "error", err)
		}
	})
	return "http://" + listener.Addr().String() + "/metrics", func() { _ = server.Close(); end() }, nil
}

func greetMetrics(address string, stdout io.Writer) {
	if address != "" {
		fmt.Fprintln(stdout, "metrics on", address)
	}
}
