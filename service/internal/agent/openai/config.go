package openai

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

// DefaultTimeout is the longest silence of a model where Config has none.
const DefaultTimeout = 60 * time.Second

// Config is an endpoint and how to reach it. Nothing else counts: OPENAI_*
// variables of the environment are not read. HTTP_PROXY and its kin are, where
// Transport is nil.
type Config struct {
	// BaseURL is what /chat/completions is appended to, for example
	// https://api.openai.com/v1; required, http or https. A name, a password, a
	// query or a fragment in it is an error.
	BaseURL string
	// APIKey goes along as a Bearer token. Empty sends no Authorization header,
	// as local servers like it.
	APIKey string
	// Timeout is the longest silence of the provider, before its response and
	// within it; 0 means DefaultTimeout.
	Timeout time.Duration
	// Transport carries the requests and stays the caller's; nil means a new one.
	Transport http.RoundTripper
	// Pause waits before a repeat and gives the context's error when that ends
	// first; nil waits on the clock.
	Pause func(context.Context, time.Duration) error
	// Random gives numbers in [0, 1) that spread the repeats, to any number of
	// callers at once; nil means the one of math/rand.
	Random func() float64
}

// address gives the base URL. An address that is refused may hold a password,
// so errors repeat at most its scheme.
func (c Config) address() (*url.URL, error) {
	u, err := url.Parse(c.BaseURL)
	switch {
	case c.BaseURL == "":
		return nil, errors.New("openai: the base URL is missing, want for example https://api.openai.com/v1")
	case err != nil:
		return nil, errors.New("openai: the base URL is not an address, want for example https://api.openai.com/v1")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("openai: the base URL has the scheme %q, want http:// or https://", u.Scheme)
	case u.Hostname() == "":
		return nil, errors.New("openai: the base URL has no host, want for example https://api.openai.com/v1")
	case u.User != nil:
		return nil, errors.New("openai: the base URL holds credentials, want them as the API key")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("openai: the base URL has a query or a fragment, want it to end with the path")
	}
	return u, nil
}

// check looks at what is not the address.
func (c Config) check() error {
	if c.Timeout < 0 {
		return fmt.Errorf("openai: the timeout is %s, want more than 0", c.Timeout)
	}
	for _, b := range []byte(c.APIKey) {
		if b <= ' ' || b > '~' {
			return errors.New("openai: the API key holds a space, a line end or another character that no key has; look at its beginning and end")
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
