package upstream

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/fault"
)

const (
	repeats    = 2
	firstDelay = 500 * time.Millisecond
	// longestRetryAfter is the longest Retry-After of a provider that is waited for. With a
	// longer one, the request is not retried.
	longestRetryAfter = 5 * time.Second
)

// again is a failure before the first byte of an answer, after which the same request may succeed.
type again struct {
	fault *fault.Error
	after time.Duration // what the provider asks for, 0 if unknown
	// isSlow means that the failure took as long as may be waited, so that it is not waited for twice more.
	isSlow bool
}

func (a again) Error() string { return a.fault.Error() }
func (a again) Unwrap() error { return a.fault }

// passing are the statuses of failures that pass, beside those of package wire's code UNAVAILABLE.
var passing = []int{http.StatusRequestTimeout, http.StatusConflict, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable,
	http.StatusGatewayTimeout, overloaded}

// known returns the failure that a caller is told about.
func known(err error) error {
	var passes again
	if errors.As(err, &passes) {
		return passes.fault
	}
	var refused objected
	if errors.As(err, &refused) {
		return refused.Refusal
	}
	return err
}

// delay reports whether to retry after err, and when.
func (c *Client) delay(attempt int, err error) (time.Duration, bool) {
	var passes again
	if attempt == repeats || !errors.As(err, &passes) || passes.isSlow && attempt > 0 || passes.after > longestRetryAfter {
		return 0, false
	}
	half := firstDelay << attempt / 2
	return passes.after + half + time.Duration(c.random()*float64(half)), true
}

// retryAfter returns when to try again, 0 if unknown. A date is compared with the response's own
// Date, so that differing clocks don't matter.
func retryAfter(header http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil {
		return span(ms, time.Millisecond)
	}
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		return span(seconds, time.Second)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return span(float64(at.Sub(now)), time.Nanosecond)
}

// span is n units, not below 0 and at most a day.
func span(n float64, unit time.Duration) time.Duration {
	const day = 24 * time.Hour
	if math.IsNaN(n) || n <= 0 {
		return 0
	}
	return time.Duration(math.Min(n*float64(unit), float64(day)))
}
