package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

const headerBytes = 64 << 10

// HTTP carries calls out with a POST to an address of the operator.
type HTTP struct {
	url, secret string
	transport   *http.Transport
	now         func() time.Time
	log         *slog.Logger
}

var _ Carrier = (*HTTP)(nil)

// NewHTTP makes an HTTP that signs with the secret, and logs why calls fail. Its error says what
// is wrong with the address or the secret.
func NewHTTP(address, secret string, now func() time.Time, log *slog.Logger) (*HTTP, error) {
	if err := checkAddress(address); err != nil {
		return nil, err
	}
	if secret == "" {
		return nil, errors.New("the secret is empty")
	}
	return &HTTP{url: address, secret: secret, transport: newTransport(), now: now, log: log}, nil
}

func checkAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Fragment != "":
		return errors.New("url is not valid, want an address such as https://tools.example.com/refund")
	case u.User != nil:
		return errors.New("url holds a name or a password; put secrets into environment variables")
	}
	return nil
}

// newTransport makes a transport that never sends a request twice. net/http would do so if a
// reused connection breaks and the request has an Idempotency-Key, so connections are not reused.
func newTransport() *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true) // HTTP/2 resends what a server says that it has not processed
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, Protocols: protocols,
		TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: headerBytes,
	}
}

// Carry implements Carrier. It follows no redirect.
func (h *HTTP) Carry(ctx context.Context, call Call) Outcome {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, strings.NewReader(call.Arguments))
	if err != nil {
		return h.failed(call, "no request can be made for its address", err)
	}
	request.GetBody = nil // so that nothing else sends it again either
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "ChatSDK")
	sign(request, call, call.Arguments, h.secret, h.now())
	var sent atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }}
	response, err := h.transport.RoundTrip(request.WithContext(httptrace.WithClientTrace(ctx, trace)))
	switch {
	case err != nil && !sent.Load():
		return h.failed(call, unreached(ctx), err)
	case err != nil:
		return h.unknown(call, broken(ctx), err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, ResultBytes+utf8.UTFMax))
	switch status := response.StatusCode; {
	case err != nil:
		return h.unknown(call, broken(ctx), err)
	case status >= 300 && status < 400:
		return h.failed(call, fmt.Sprintf("the tool answered with status %d, and redirects are not followed", status), nil)
	case status < 200 || status >= 300:
		return h.failed(call, strings.TrimSuffix(fmt.Sprintf("the tool answered with status %d: %s", status, body), ": "), nil)
	}
	return Outcome{Status: wire.CallDone, Result: string(body)}
}

// unreached says why nothing was sent, broken why there is no complete answer. They contain no
// address and no details of the network, because users read them.
func unreached(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "the tool could not be reached in time; nothing was sent"
	}
	return "the tool could not be reached; nothing was sent"
}

func broken(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "the tool gave no complete answer in time; it may have done what was asked"
	}
	return "the connection broke before the answer was complete; the tool may have done what was asked"
}

func (h *HTTP) failed(call Call, sentence string, err error) Outcome {
	if err != nil {
		h.log.Warn("an http tool could not be reached", "call", call.ID, "error", err)
	}
	return Outcome{Status: wire.CallFailed, Error: sentence}
}

func (h *HTTP) unknown(call Call, sentence string, err error) Outcome {
	h.log.Warn("an http tool gave no complete answer", "call", call.ID, "error", err)
	return Outcome{Status: wire.CallUnknown, Error: sentence}
}
