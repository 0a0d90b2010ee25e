package sdk

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"
)

// patience is how long the client tries to resume a lost stream: Config.ResumeTimeout of trying
// while awake and online. Asking for a stream changes nothing, so tries are not counted.
type patience struct {
	client *Client
	left   atomic.Int64       // nanoseconds
	used   int                // tries since the last event or wake
	wakes  int                // the client's wakes up to the last renewal
	stop   context.CancelFunc // stops the counting; nil while nobody counts
}

// resumeSteps is how many timer steps make up Config.ResumeTimeout. Steps are counted, not time,
// because clocks go on while a page is frozen or a device sleeps. A timer that fires late because of
// that counts as one step.
const resumeSteps = 60

// minResumeDelay replaces a smaller Config.RetryDelay after the first failed try, because tries may
// fail at once.
const minResumeDelay = 100 * time.Millisecond

// renew resets the time, after an event or a wake.
func (p *patience) renew() {
	p.rest()
	p.used = 0
	p.left.Store(int64(p.client.resumeTimeout()))
}

// again waits before the next try, and reports whether there is one. It returns the context's own
// error if that ends first. If a wake found the stream dead, it does not wait.
func (p *patience) again(ctx context.Context, failure *APIError) (bool, error) {
	if wakes := p.client.waker.count(); wakes != p.wakes {
		p.renew()
		p.wakes = wakes
	}
	if !failure.mayHelp() || p.left.Load() <= 0 {
		return false, nil
	}
	p.count(ctx)
	if failure.Cause == errWoken {
		return true, nil
	}
	delay := p.client.retryDelay()
	if p.used > 0 {
		delay = max(delay, minResumeDelay)
	}
	_, err := p.client.pause(ctx, failure, backoff(delay, p.used))
	p.used++
	return true, err
}

// count counts the time down until rest is called or the context ends.
func (p *patience) count(ctx context.Context) {
	if p.stop != nil {
		return
	}
	ctx, p.stop = context.WithCancel(ctx)
	step := p.client.resumeTimeout() / resumeSteps
	go func() {
		for {
			if _, err := p.client.wait(ctx, step, false); err != nil {
				return
			}
			if !p.client.offline.Load() {
				p.left.Add(-int64(step))
			}
		}
	}()
}

// rest stops the counting, because something was received.
func (p *patience) rest() {
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
}

func (c *Client) resumeTimeout() time.Duration {
	return max(cmp.Or(c.config.ResumeTimeout, DefaultResumeTimeout), 0)
}
