package sdk

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Defaults of Config, and the longest waits between tries.
const (
	DefaultMaxRetries    = 2
	DefaultRetryDelay    = 500 * time.Millisecond
	DefaultTimeout       = 120 * time.Second
	DefaultStallTimeout  = 25 * time.Second
	DefaultResumeTimeout = 60 * time.Second

	maxRetryDelay = 8 * time.Second
	maxRetryAfter = 60 * time.Second
)

// Retryable tells whether the same call may succeed a moment later: the
// connection was lost, nothing came in time, the token function failed, or the
// service, or what stands before it, was busy.
func (e *APIError) Retryable() bool {
	switch e.Status {
	case 0:
		switch e.Code {
		case wire.CodeNetwork, wire.CodeTimeout, wire.CodeStreamCut:
			return true
		case wire.CodeAuthentication:
			_, mistake := e.Cause.(*TokenError)
			return !mistake
		}
	case 408, 429, 503:
		return true
	case 500, 502, 504:
		return e.Code == "" // with a code it is this service's own, which has given up
	}
	return false
}

// retries is what is left of the tries of one call.
type retries struct {
	client *Client
	used   int
}

// again waits before the next try, and tells whether there is one. It returns
// the context's own error if that ends first. A try that a wake brings costs
// nothing.
func (r *retries) again(ctx context.Context, err error) (bool, error) {
	failure, ok := errors.AsType[*APIError](err)
	if !ok || !failure.mayHelp() || r.used >= r.client.maxRetries() {
		return false, nil
	}
	woken, err := r.client.pause(ctx, failure, backoff(r.client.retryDelay(), r.used))
	if !woken {
		r.used++
	}
	return true, err
}

// mayHelp tells whether a further try is worth its wait.
func (e *APIError) mayHelp() bool { return e.Retryable() && e.RetryAfter <= maxRetryAfter }

// backoff doubles with each try, and is spread over the whole range, so that
// clients that failed together do not come back together ("full jitter").
func backoff(base time.Duration, used int) time.Duration {
	longest := base << min(used, 16)
	if longest <= 0 || longest > maxRetryDelay {
		longest = min(maxRetryDelay, max(base, longest))
	}
	if longest <= 0 {
		return 0
	}
	return rand.N(longest)
}

func (c *Client) maxRetries() int {
	if c.config.MaxRetries == 0 {
		return DefaultMaxRetries
	}
	return max(c.config.MaxRetries, 0)
}

func (c *Client) retryDelay() time.Duration {
	return max(cmp.Or(c.config.RetryDelay, DefaultRetryDelay), 0)
}

// pause waits as long as the service wants, or else for the delay, which a wake
// ends.
func (c *Client) pause(ctx context.Context, failure *APIError, delay time.Duration) (woken bool, err error) {
	if failure.RetryAfter > 0 {
		return c.wait(ctx, failure.RetryAfter, false)
	}
	return c.wait(ctx, delay, true)
}

// wait returns after the delay, or at once when Wake is called, where it may
// be woken.
func (c *Client) wait(ctx context.Context, delay time.Duration, wakes bool) (woken bool, err error) {
	var wake <-chan struct{}
	if wakes {
		wake = c.waker.woken()
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-timer.C:
	case <-wake:
		woken = true
	}
	return woken, nil
}

// Wake tells that the network may be there again: what waits to try again does
// so at once, streams that were silent for too long are resumed, and
// Config.ResumeTimeout begins again. Package bridge calls it when a page comes
// online or into view.
func (c *Client) Wake() {
	c.offline.Store(false)
	c.waker.wake()
}

// Offline tells that there is no network: what is then spent on trying does not
// count until Wake is called. Tries go on, since a service may be on the same
// machine.
func (c *Client) Offline() { c.offline.Store(true) }

// waker lets any number of goroutines wait for the next wake.
type waker struct {
	mu      sync.Mutex
	waiting chan struct{}
	wakes   int
}

// count is how many wakes there were.
func (w *waker) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wakes
}

func (w *waker) woken() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting == nil {
		w.waiting = make(chan struct{})
	}
	return w.waiting
}

func (w *waker) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wakes++
	if w.waiting != nil {
		close(w.waiting)
		w.waiting = nil
	}
}

const keyHeader = "idempotency-key"

// newKey makes an idempotency key of 128 random bits. crypto/rand would cost a
// page 44 KB, and a key need not be secret: it counts for its user alone.
func newKey() string {
	return "sdk_" + strconv.FormatUint(rand.Uint64(), 36) + strconv.FormatUint(rand.Uint64(), 36)
}

// checkKey refuses a key that the service would.
func checkKey(operation, key string) error {
	for i := range len(key) {
		if key[i] < 0x21 || key[i] > 0x7e {
			return wrong(operation, "idempotencyKey", "has a character that is not visible ASCII")
		}
	}
	if len(key) > 255 {
		return wrong(operation, "idempotencyKey", "has "+strconv.Itoa(len(key))+" characters, want at most 255")
	}
	return nil
}

// keyed makes the header of a write that may be repeated.
func keyed(operation, key string) (map[string]string, error) {
	if key == "" {
		key = newKey()
	}
	if err := checkKey(operation, key); err != nil {
		return nil, err
	}
	return map[string]string{keyHeader: key}, nil
}

// mayRepeat tells whether a second sending can be made, does no more than the
// first, and may have another outcome.
func (r *Request) mayRepeat() bool {
	safe := r.again || slices.Contains([]string{"GET", "PUT", "DELETE"}, r.Method)
	return !r.decided && (safe || r.Header[keyHeader] != "") && r.canReplay()
}

// canReplay tells whether all files can be read again.
func (r *Request) canReplay() bool {
	for _, field := range r.Form {
		if field.File != nil {
			content, ok := field.File.Content.(io.Seeker)
			if !ok {
				return false
			}
			if _, err := content.Seek(0, io.SeekCurrent); err != nil { // a pipe is an *os.File that cannot
				return false
			}
		}
	}
	return true
}
