// Package openai asks a model through any endpoint that speaks OpenAI's
// POST /chat/completions with streaming: OpenAI itself, gateways, and local
// servers. Begin with New.
//
// Package sse decodes the events, as it does in the SDK: any line end, with an event of at most 32 MiB. Data
// stays as it came, since some servers cut a character between two events. OpenAI's own library is not used: it
// takes a connection that closes in the middle of an answer for the answer's end, and reads OPENAI_* variables.
package openai

import (
	"context"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// Provider is a answering.Provider for one endpoint. It is safe for concurrent use.
type Provider struct {
	address string // the URL for completions
	key     string
	client  *http.Client
	owned   *http.Transport // nil if the caller owns the transport
	timeout time.Duration
	pause   func(context.Context, time.Duration) error
	random  func() float64
	log     *slog.Logger
	linger  time.Duration
}

var _ answering.Provider = (*Provider)(nil)

// New makes a Provider and sends nothing yet. An error names the wrong field of config, and
// contains no part of the key. The caller calls Close.
func New(config Config) (*Provider, error) {
	address, err := config.address()
	if err != nil {
		return nil, err
	}
	if err := config.check(); err != nil {
		return nil, err
	}
	p := &Provider{
		address: address.JoinPath("chat", "completions").String(),
		key:     config.APIKey,
		client:  &http.Client{Transport: config.Transport, CheckRedirect: stay},
		timeout: config.timeout(),
		pause:   config.pause(),
		random:  config.random(),
		log:     config.log(),
		linger:  config.linger(),
	}
	if config.Transport == nil {
		p.owned = newTransport(p.timeout)
		p.client.Transport = p.owned
	}
	return p, nil
}

// Close closes idle connections and unfinished dials, unless the caller owns the transport.
// Answers that are being read continue.
func (p *Provider) Close() {
	if p.owned != nil {
		p.owned.CloseIdleConnections()
	}
}

// Answer sends the request when the sequence is read; reading it again sends it again. If the
// provider refuses before it responds, the request is retried up to twice; an answer with neither text
// nor calls is asked for once more. The sequence ends with
// the model's finish reason, or with an error of answering.Provider. As long as bytes arrive within
// the timeout, it keeps waiting, whatever they are: hidden reasoning and comment lines also show
// that the provider is working. The caller's time between pieces is not counted.
func (p *Provider) Answer(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
	return func(yield func(answering.Piece, error) bool) {
		body := request(prompt)
		reason, isEmpty := p.once(ctx, body, yield)
		if !isEmpty {
			return
		}
		p.log.Warn("the provider ended an answer with neither text nor calls; it is asked once more", "finish_reason", p.privy(body).identifier(token(reason)))
		if reason, isEmpty = p.once(ctx, body, yield); isEmpty {
			yield(answering.Piece{}, unfinished(reason))
		}
	}
}

// once asks once. isEmpty is as in call.answer, with the finish reason.
func (p *Provider) once(ctx context.Context, body completion, yield func(answering.Piece, error) bool) (reason string, isEmpty bool) {
	c, err := p.open(ctx, body)
	if err != nil {
		yield(answering.Piece{}, err)
		return "", false
	}
	defer c.close()
	isEmpty = c.answer(yield)
	return c.reason, isEmpty
}

// stay doesn't follow redirects, so that the key and the chat go only to the configured address.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// newTransport makes a transport without timeouts, because Provider has its own. Only a dial has
// one, because net/http lets it outlive its call for the next one to use.
func newTransport(timeout time.Duration) *http.Transport {
	return &http.Transport{
		Proxy:             http.ProxyFromEnvironment,
		DialContext:       (&net.Dialer{Timeout: timeout + time.Second}).DialContext,
		ForceAttemptHTTP2: true,
		IdleConnTimeout:   90 * time.Second,
		// Without HTTP/2 each running answer takes a connection. By default, net/http keeps only
		// two idle connections, so that nearly every answer would dial.
		MaxIdleConnsPerHost: 256,
		// Each running answer has both buffers; a question and a word are small.
		ReadBufferSize: 2 << 10, WriteBufferSize: 1 << 10,
	}
}
