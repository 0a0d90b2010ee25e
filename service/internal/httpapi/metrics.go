package httpapi

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// buckets are the upper bounds of the duration histogram, in seconds. The
// library's own histograms have other buckets than Prometheus reads.
var buckets = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120}

// CountAnswers returns the function for chat.Config.Ended that counts how
// answers end, in the set that Config.Metrics serves.
func CountAnswers(set *metrics.Set) func(outcome string) {
	return func(outcome string) {
		set.GetOrCreateCounter(fmt.Sprintf(`chatsdk_answers_total{outcome=%q}`, outcome)).Inc()
	}
}

// CountRepairs returns the function for chat.Config.Repaired that counts how
// often a model is asked once more, in the set that Config.Metrics serves.
func CountRepairs(set *metrics.Set) func() {
	return set.GetOrCreateCounter("chatsdk_repairs_total").Inc
}

// CountDropped returns the function for memory.Config.Dropped that counts
// findings that their message does not bear out, in the set that Config.Metrics serves.
func CountDropped(set *metrics.Set) func(findings int) {
	return set.GetOrCreateCounter("chatsdk_memory_findings_dropped_total").Add
}

// CountDetectionFailures returns the function for memory.Config.Failed that counts
// how often a message could not be examined, in the set that Config.Metrics serves.
func CountDetectionFailures(set *metrics.Set) func() {
	return set.GetOrCreateCounter("chatsdk_memory_failures_total").Inc
}

// CountDetectionFallbacks returns a function that counts what is used in the place
// of a detection that fails, in the set that Config.Metrics serves: a looser
// format of the model's output, or the rules.
func CountDetectionFallbacks(set *metrics.Set) func(to string) {
	return func(to string) {
		set.GetOrCreateCounter(fmt.Sprintf(`chatsdk_memory_fallbacks_total{to=%q}`, to)).Inc()
	}
}

// gaugeRunning tells how many answers are being written.
func (a *api) gaugeRunning() {
	a.config.Metrics.GetOrCreateGauge("chatsdk_answers_running", func() float64 {
		return float64(a.config.Chat.Running())
	})
}

// gaugeBacklog tells how much waits for work in the background, and NaN where
// that cannot be told.
func (a *api) gaugeBacklog(name string, backlog func(context.Context) (int, error)) {
	a.config.Metrics.GetOrCreateGauge(name, func() float64 {
		waiting, err := backlog(context.Background())
		if err != nil {
			return math.NaN()
		}
		return float64(waiting)
	})
}

// count counts a request. A stream takes as long as it runs.
func (a *api) count(route, method string, status int, took time.Duration) {
	set := a.config.Metrics
	set.GetOrCreateCounter(fmt.Sprintf(`chatsdk_requests_total{route=%q,method=%q,status="%d"}`, route, method, status)).Inc()
	labels := fmt.Sprintf(`route=%q,method=%q`, route, method)
	for _, bound := range buckets {
		bucket := set.GetOrCreateCounter(fmt.Sprintf(`chatsdk_request_seconds_bucket{%s,le="%g"}`, labels, bound))
		if took.Seconds() <= bound {
			bucket.Inc()
		}
	}
	set.GetOrCreateCounter(fmt.Sprintf(`chatsdk_request_seconds_bucket{%s,le="+Inf"}`, labels)).Inc()
	set.GetOrCreateCounter(fmt.Sprintf(`chatsdk_request_seconds_count{%s}`, labels)).Inc()
	set.GetOrCreateFloatCounter(fmt.Sprintf(`chatsdk_request_seconds_sum{%s}`, labels)).Add(took.Seconds())
}

// writeMetrics writes the metrics of requests and answers, and of the process.
func (a *api) writeMetrics(w io.Writer) {
	a.config.Metrics.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}
