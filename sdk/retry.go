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

// Retryable reports whether the same call may succeed a moment later: the connection was lost, no
// response came in time, the token function failed, or the service or a proxy was busy.
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
		return e.Code == "" // an error with a code is the service's own, and is final
	}
	return false
}

// retries is the number of tries that a call has left.
type retries struct {
	client *Client
	used   int
}

// again waits before the next try, and reports whether there is one. It returns the context's own
// error if that ends first. A try after a wake is not counted.
func (r *retries) again(ctx context.Context, err error) (bool, error) {
	failure, ok := errors.AsType[*APIError](err)
	if !ok || !failure.mayHelp() || r.used >= r.client.maxRetries(ctx) {
		return false, nil
	}
	woken, err := r.client.pause(ctx, failure, backoff(r.client.retryDelay(), r.used))
	if !woken {
		r.used++
	}
	return true, err
}

// mayHelp reports whether it makes sense to try again.
func (e *APIError) mayHelp() bool { return e.Retryable() && e.RetryAfter <= maxRetryAfter }

// backoff returns a random wait between 0 and a limit that doubles with each try, so that clients
// that failed together do not come back together ("full jitter"). js/src/load.ts does the same for the core's files; both run
// sdk/testdata/backoff.json.
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

func (c *Client) retryDelay() time.Duration {
	return max(cmp.Or(c.config.RetryDelay, DefaultRetryDelay), 0)
}

// pause waits as long as the service asks, or otherwise for the delay, which a wake ends.
func (c *Client) pause(ctx context.Context, failure *APIError, delay time.Duration) (woken bool, err error) {
	if failure.RetryAfter > 0 {
		return c.wait(ctx, failure.RetryAfter, false)
	}
	return c.wait(ctx, delay, true)
}

// wait returns after the delay, or at once when Wake is called and wakes is true.
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

// Wake tells the client that the network may be back. Calls that wait for their next try make it at
// once, streams that were silent for too long are resumed, and Config.ResumeTimeout starts again.
// Package bridge calls it when a page comes online or into view.
func (c *Client) Wake() {
	c.offline.Store(false)
	c.waker.wake()
}

// Offline tells the client that there is no network. Until Wake is called, no time counts towards
// Config.ResumeTimeout. Tries continue, because the service may be on the same machine.
func (c *Client) Offline() { c.offline.Store(true) }

// waker lets any number of goroutines wait for the next wake.
type waker struct {
	mu      sync.Mutex
	waiting chan struct{}
	wakes   int
}

// count is the number of wakes.
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

// newKey makes an idempotency key of 128 random bits. It need not be secret, because a key is valid
// only for its user. crypto/rand would add 44 KB to the wasm.
func newKey() string {
	return "sdk_" + strconv.FormatUint(rand.Uint64(), 36) + strconv.FormatUint(rand.Uint64(), 36)
}

// checkKey refuses keys that the service would refuse.
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

// keyed makes the headers of a write that may be repeated.
func keyed(operation, key string) (map[string]string, error) {
	if key == "" {
		key = newKey()
	}
	if err := checkKey(operation, key); err != nil {
		return nil, err
	}
	return map[string]string{keyHeader: key}, nil
}

// mayRepeat reports whether the request can be sent again, is harmless when sent twice, and may have
// another outcome.
func (r *Request) mayRepeat() bool {
	safe := r.again || slices.Contains([]string{"GET", "PUT", "DELETE"}, r.Method)
	return !r.decided && (safe || r.Header[keyHeader] != "") && r.canReplay()
}

// canReplay reports whether all files can be read again.
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
