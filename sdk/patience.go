package sdk

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"
)

// patience is how long a stream that was lost is looked for:
// Config.ResumeTimeout of trying, awake and online. Asking for a stream changes
// nothing, so that there is no need to count the tries.
type patience struct {
	client *Client
	left   atomic.Int64       // nanoseconds
	used   int                // tries since the last event or wake
	wakes  int                // of the client that were taken into account
	stop   context.CancelFunc // of the counting, nil while nobody counts
}

// resumeSteps is how many steps of a timer Config.ResumeTimeout is. Steps are
// counted, not time: clocks go on while a page is frozen or a device sleeps, and
// a timer that is late for that counts as one step.
const resumeSteps = 60

// minResumeDelay is the longest wait before the second try in vain, where
// Config.RetryDelay is less: a try may fail at once.
const minResumeDelay = 100 * time.Millisecond

// renew gives all the time back, after an event or a wake.
func (p *patience) renew() {
	p.rest()
	p.used = 0
	p.left.Store(int64(p.client.resumeTimeout()))
}

// again waits before the next try, and tells whether there is one. It returns
// the context's own error if that ends first. A stream that a wake has found
// dead is asked for at once.
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

// count counts until rest is called or the context ends.
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

// rest stops the counting: something is heard.
func (p *patience) rest() {
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
}

func (c *Client) resumeTimeout() time.Duration {
	return max(cmp.Or(c.config.ResumeTimeout, DefaultResumeTimeout), 0)
}
