//go:build unix

package compat_test

import (
	"bytes"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// cutter is a proxy in front of a service. It cuts the next streams, each after cutAfter bytes.
type cutter struct {
	*httptest.Server
	left atomic.Int64 // streams to cut
	cuts atomic.Int64
}

// cutAfter is less than the length of the last events of an answer, so every stream is cut.
const cutAfter = 250

func newCutter(t *testing.T, address string) *cutter {
	t.Helper()
	target, err := url.Parse(address)
	require.NoError(t, err)
	c := &cutter{}
	transport := &http.Transport{}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			// If a response begins before the whole body was read, net/http closes the body.
			body, err := io.ReadAll(r.In.Body)
			if err != nil {
				t.Errorf("the cutter: %v", err)
			}
			r.Out.Body = io.NopCloser(bytes.NewReader(body))
		},
		Transport:     transport,
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
		ModifyResponse: func(r *http.Response) error {
			if strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") && c.left.Add(-1) >= 0 {
				r.Body = &cutBody{ReadCloser: r.Body, left: cutAfter, cuts: &c.cuts}
			}
			return nil
		},
	}
	c.Server = httptest.NewServer(proxy)
	c.Config.ErrorLog = proxy.ErrorLog
	t.Cleanup(func() {
		c.Close()
		transport.CloseIdleConnections()
	})
	return c
}

// cutBody fails after some bytes; the proxy then drops the connection.
type cutBody struct {
	io.ReadCloser
	left int
	cuts *atomic.Int64
}

var errCut = errors.New("cut")

func (b *cutBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		b.cuts.Add(1)
		return 0, errCut
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
