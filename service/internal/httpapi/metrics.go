package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// NewMetrics returns the metrics of the process, for Config.Metrics. To add one,
// register it as CountRepairs and gaugeBacklog do.
func NewMetrics() *prometheus.Registry {
	set := prometheus.NewRegistry()
	set.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return set
}

// NameReplica adds the name of the replica to the metrics.
func NameReplica(set *prometheus.Registry, name string) {
	registered(set, prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "chatsdk_replica_info", Help: "The name of the replica that these metrics come from; always 1.",
	}, []string{"replica"})).WithLabelValues(name).Set(1)
}

// CountAnswers returns the function for chat.Config.Ended that counts how
// answers end.
func CountAnswers(set *prometheus.Registry) func(outcome string) {
	answers := counter(set, "chatsdk_answers_total", "Answers by how they ended: a finish reason or an error code.", "outcome")
	return func(outcome string) { answers.WithLabelValues(outcome).Inc() }
}

// CountModelRequests returns the function for router.Config.Asked that counts what becomes of the
// requests to models.
func CountModelRequests(set *prometheus.Registry) func(provider, model, outcome string) {
	requests := counter(set, "chatsdk_model_requests_total",
		"Requests to models by how they ended: done, left, or the reason or code of a failure.", "provider", "model", "outcome")
	return func(provider, model, outcome string) { requests.WithLabelValues(provider, model, outcome).Inc() }
}

// CountModelPrices returns the function for router.Config.Paid that adds up what requests to models cost.
func CountModelPrices(set *prometheus.Registry) func(provider, model string, price float64) {
	prices := counter(set, "chatsdk_model_cost_total", "What requests to models cost, by the prices of PROVIDERS.", "provider", "model")
	return func(provider, model string, price float64) { prices.WithLabelValues(provider, model).Add(price) }
}

// CountCalls returns the function for chat.Config.Called that counts what becomes of the
// tool calls.
func CountCalls(set *prometheus.Registry) func(status string) {
	calls := counter(set, "chatsdk_tool_calls_total", "Tool calls by the status in which they were settled.", "status")
	return func(status string) { calls.WithLabelValues(status).Inc() }
}

// CountTokens returns the function for router.Config.Used that counts the tokens that requests took.
func CountTokens(set *prometheus.Registry) func(provider, model string, usage wire.Usage) {
	tokens := counter(set, "chatsdk_tokens_total",
		"Tokens of requests to models: input, cached among them; output, reasoning among them.", "provider", "model", "kind")
	return func(provider, model string, usage wire.Usage) {
		for kind, count := range map[string]int64{
			"input": usage.InputTokens, "cached": usage.CachedTokens, "output": usage.OutputTokens, "reasoning": usage.ReasoningTokens,
		} {
			if count > 0 { // a counter panics if it goes down
				tokens.WithLabelValues(provider, model, kind).Add(float64(count))
			}
		}
	}
}

// CountRepairs returns the function for chat.Config.Repaired that counts how often a model is
// asked to repair its output.
func CountRepairs(set *prometheus.Registry) func() {
	return counter(set, "chatsdk_repairs_total", "Answers in JSON that a model was asked to repair.").WithLabelValues().Inc
}

// CountRefusals returns the function for chat.Config.Refused that counts the prompts that providers refused and were
// asked again with less.
func CountRefusals(set *prometheus.Registry) func(what, tool string) {
	refusals := counter(set, "chatsdk_prompts_refused_total",
		"Prompts that a model's provider refused and that were asked again with less: what it refused, and the tool if one of the operator's was named.",
		"what", "tool")
	return func(what, tool string) { refusals.WithLabelValues(what, tool).Inc() }
}

// counter makes a counter with labels.
func counter(set *prometheus.Registry, name, help string, labels ...string) *prometheus.CounterVec {
	return registered(set, prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels))
}

// gauge makes a gauge whose value is read at each scrape.
func gauge(set *prometheus.Registry, name, help string, read func() float64) {
	registered(set, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
}

// registered registers a metric, or returns the one that already has its name.
func registered[C prometheus.Collector](set *prometheus.Registry, metric C) C {
	var before prometheus.AlreadyRegisteredError
	switch err := set.Register(metric); {
	case errors.As(err, &before):
		return before.ExistingCollector.(C)
	case err != nil:
		panic(fmt.Sprintf("httpapi: %v", err)) // a bug in this program
	}
	return metric
}

// requests are the metrics of requests. The duration of a stream is counted until its end.
type requests struct {
	count   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

func newRequests(set *prometheus.Registry) requests {
	return requests{
		count: counter(set, "chatsdk_requests_total", "Requests by route, method and status.", "route", "method", "status"),
		seconds: registered(set, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "chatsdk_request_seconds", Help: "How long requests took, streams to their end.",
			Buckets: []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120},
		}, []string{"route", "method"})),
	}
}

func (r requests) add(route, method string, status int, took time.Duration) {
	r.count.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	r.seconds.WithLabelValues(route, method).Observe(took.Seconds())
}

// CountDropped returns the function for memory.Config.Dropped that counts findings that were
// given up.
func CountDropped(set *prometheus.Registry) func(findings int) {
	dropped := counter(set, "chatsdk_memory_findings_dropped_total",
		"Findings of a model that were dropped: unsupported by their message, or too many.").WithLabelValues()
	return func(findings int) { dropped.Add(float64(findings)) }
}

// CountDuplicates returns the function for memory.Config.Duplicates that counts findings that
// repeat a memory.
func CountDuplicates(set *prometheus.Registry) func(findings int) {
	duplicates := counter(set, "chatsdk_memory_duplicates_total",
		"Findings that were dropped, since a memory that is pending, approved or rejected says the same.").WithLabelValues()
	return func(findings int) { duplicates.Add(float64(findings)) }
}

// CountDetectionFailures returns the function for memory.Config.Failed that counts
// how often a message could not be examined.
func CountDetectionFailures(set *prometheus.Registry) func() {
	return counter(set, "chatsdk_memory_failures_total", "Times that a message could not be examined for memories.").WithLabelValues().Inc
}

// CountDetectionFallbacks returns a function that counts what was used after a detection failed:
// a looser format of the model's output, or the rules.
func CountDetectionFallbacks(set *prometheus.Registry) func(to string) {
	fallbacks := counter(set, "chatsdk_memory_fallbacks_total", "What was used where a detection failed: json_object, text or rules.", "to")
	return func(to string) { fallbacks.WithLabelValues(to).Inc() }
}

// gaugeRunning adds the number of answers that are being written.
func (a *api) gaugeRunning() {
	gauge(a.config.Metrics, "chatsdk_answers_running", "Answers that are being written.", func() float64 {
		return float64(a.config.Chat.Running())
	})
}

// gaugeBacklog adds how much work waits in the background. The value is NaN if it cannot be read.
func (a *api) gaugeBacklog(name, help string, backlog func(context.Context) (int, error)) {
	gauge(a.config.Metrics, name, help, func() float64 {
		waiting, err := backlog(context.Background())
		if err != nil {
			return math.NaN()
		}
		return float64(waiting)
	})
}

// metricsType is the text format of Prometheus.
const metricsType = "text/plain; version=0.0.4; charset=utf-8"

// metricsText writes all metrics of a set in that format.
func metricsText(set prometheus.Gatherer) ([]byte, error) {
	families, err := set.Gather()
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&text, family); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

var errNoScraper = &fault.Error{Code: wire.CodeAuthentication, Message: "Send an API key without x-user-id, or read the metrics at METRICS_ADDR"}

// metrics serves GET /metrics to an API key that acts for no user.
func (a *api) metrics(c *exchange) error {
	_, byToken := bearer(c.r.Header)
	switch caller, err := a.authenticate(c.r.Header); {
	case err != nil:
		return err
	case byToken || caller.UserID != "":
		return errNoScraper
	}
	text, err := metricsText(a.config.Metrics)
	if err != nil {
		return err
	}
	c.writeText200(metricsType, text)
	return nil
}

// Metrics returns a handler that serves only GET /metrics, without credentials. It is for
// METRICS_ADDR.
func Metrics(set *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		text, err := metricsText(set)
		if err != nil {
			http.Error(w, "The metrics cannot be read", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", metricsType)
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(text) // a client that has left needs no answer
	})
	return mux
}
