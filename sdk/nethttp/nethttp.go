// Package nethttp sends the requests of package sdk over net/http, in Go programs. Begin with
// NewClient.
package nethttp

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/chatsdk/chatsdk/sdk"
)

// NewClient returns a Client on net/http. It sets Transport and HMAC of config if they are nil. The
// error is an *sdk.ArgumentError that names the wrong setting.
func NewClient(config sdk.Config) (*sdk.Client, error) {
	if config.Transport == nil {
		config.Transport = &Transport{}
	}
	if config.HMAC == nil {
		config.HMAC = HMAC
	}
	return sdk.New(config)
}

// HMAC is HMAC-SHA-256 (RFC 2104).
func HMAC(_ context.Context, key, text []byte) ([]byte, error) {
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return mac.Sum(nil), nil
}

// Transport is an sdk.Transport on net/http. The zero value works.
type Transport struct {
	// Client sends the requests; nil means one with http.DefaultTransport. If its Timeout is set, it
	// cuts streams too. Its redirect policy is not used.
	Client *http.Client
}

// Do sends the request; see sdk.Transport.
func (t *Transport) Do(ctx context.Context, request *sdk.Request) (*sdk.Response, error) {
	keep(request.Form)
	body, contentType := content(request)
	r, err := http.NewRequestWithContext(ctx, request.Method, request.URL, body)
	if err != nil {
		if pipe, ok := body.(io.Closer); ok {
			pipe.Close()
		}
		return nil, err
	}
	for name, value := range request.Header {
		r.Header.Set(name, value)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	response, err := t.client().Do(r)
	if err != nil {
		return nil, err
	}
	if until, err := http.ParseTime(response.Header.Get(retryAfter)); err == nil {
		response.Header.Set(retryAfter, strconv.Itoa(max(0, int(math.Ceil(time.Until(until).Seconds()))))) // the Client reads no dates
	}
	return &sdk.Response{Status: response.StatusCode, Header: response.Header.Get, Body: response.Body}, nil
}

const retryAfter = "Retry-After"

var errRedirect = errors.New("the server answered with a redirect; give the final address as BaseURL")

// client does not follow redirects, which would carry credentials elsewhere.
func (t *Transport) client() *http.Client {
	var client http.Client
	if t.Client != nil {
		client = *t.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return errRedirect }
	return &client
}
