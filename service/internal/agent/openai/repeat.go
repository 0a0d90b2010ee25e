package openai

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

const (
	repeats    = 2
	firstDelay = 500 * time.Millisecond
	// longestRetryAfter is the longest Retry-After of a provider that is waited for. With a
	// longer one, the request is not retried.
	longestRetryAfter = 5 * time.Second
)

// open sends the request until the provider responds, at most 1 + repeats times.
func (p *Provider) open(ctx context.Context, body completion) (*call, error) {
	for attempt := 0; ; attempt++ {
		c, err := p.begin(ctx, body)
		if err == nil {
			return c, nil
		}
		delay, again := p.delay(attempt, err)
		if !again {
			return nil, err
		}
		if err := p.pause(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// delay reports whether to retry after err, and when. Only a refusal before a response has the
// code wire.CodeUnavailable.
func (p *Provider) delay(attempt int, err error) (time.Duration, bool) {
	var refusal *fault.Error
	if attempt == repeats || !errors.As(err, &refusal) || refusal.Code != wire.CodeUnavailable {
		return 0, false
	}
	if refusal.RetryAfter > longestRetryAfter {
		return 0, false
	}
	half := firstDelay << attempt / 2
	return refusal.RetryAfter + half + time.Duration(p.random()*float64(half)), true
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
