package upstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

// DefaultTimeout is how long a model may be silent if Config sets no timeout.
const DefaultTimeout = 60 * time.Second

// DefaultLinger is how long is waited for more after a finish reason if Config sets nothing.
const DefaultLinger = 2 * time.Second

// Config is an endpoint and how to reach it. Variables of the environment for clients of providers are not
// read. HTTP_PROXY and similar variables are, if Transport is nil.
type Config struct {
	// BaseURL is the address to which a kind of provider appends its paths, for example
	// https://api.openai.com/v1. It is required, and must be http or https. A name, a password, a
	// query or a fragment in it is an error.
	BaseURL string
	// APIKey is sent in the header that the kind of provider wants. Empty sends none, which suits local
	// servers.
	APIKey string
	// Headers and Query are sent with each request. Those that the service sends itself win.
	Headers, Query map[string]string
	// Timeout is how long the provider may be silent, before its response and within it; 0 means
	// DefaultTimeout.
	Timeout time.Duration
	// Transport sends the requests. The caller closes it. Nil means a new one.
	Transport http.RoundTripper
	// Pause waits before a retry, and returns the context's error if that ends first. Nil means
	// waiting by the clock.
	Pause func(context.Context, time.Duration) error
	// Random returns numbers in [0, 1) that spread the retries. It must be safe for concurrent
	// use. Nil means math/rand.
	Random func() float64
	// Linger is how long a provider may be silent after a finish reason until the answer has ended; 0
	// means DefaultLinger. Signs of life do not count.
	Linger time.Duration
	// Log is told what a provider sends that is not known, without anybody's words. Nil means nobody is.
	Log *slog.Logger
}

// address returns the base URL. A wrong address may hold a password, so errors repeat at most its
// scheme.
func (c Config) address() (*url.URL, error) {
	u, err := url.Parse(c.BaseURL)
	switch {
	case c.BaseURL == "":
		return nil, errors.New("the base URL is missing, want for example https://api.openai.com/v1")
	case err != nil:
		return nil, errors.New("the base URL is not an address, want for example https://api.openai.com/v1")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the base URL has the scheme %q, want http:// or https://", u.Scheme)
	case u.Hostname() == "":
		return nil, errors.New("the base URL has no host, want for example https://api.openai.com/v1")
	case u.User != nil:
		return nil, errors.New("the base URL holds credentials; set the API key instead")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("the base URL has a query or a fragment, want it to end with the path")
	}
	return u, nil
}

// check checks everything except the address.
func (c Config) check() error {
	switch {
	case c.Timeout < 0:
		return fmt.Errorf("the timeout is %s, want more than 0", c.Timeout)
	case c.Linger < 0:
		return fmt.Errorf("the wait after an end is %s, want more than 0", c.Linger)
	}
	for _, b := range []byte(c.APIKey) {
		if b <= ' ' || b > '~' {
			return errors.New("the API key holds a space, a line end or another character that no key has; check its beginning and end")
		}
	}
	return nil
}

func (c Config) timeout() time.Duration {
	if c.Timeout == 0 {
		return DefaultTimeout
	}
	return c.Timeout
}

func (c Config) linger() time.Duration {
	if c.Linger == 0 {
		return DefaultLinger
	}
	return c.Linger
}

func (c Config) pause() func(context.Context, time.Duration) error {
	if c.Pause != nil {
		return c.Pause
	}
	return func(ctx context.Context, d time.Duration) error {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return nil
		}
	}
}

func (c Config) random() func() float64 {
	if c.Random != nil {
		return c.Random
	}
	return rand.Float64
}

func (c Config) log() *slog.Logger {
	if c.Log != nil {
		return c.Log
	}
	return slog.New(slog.DiscardHandler)
}
