// Package openai asks a model through any endpoint that speaks OpenAI's
// POST /chat/completions with streaming: OpenAI itself, gateways, and local
// servers. Begin with New.
//
// The library github.com/openai/openai-go decodes the events. It is used
// without its client, which reads OPENAI_* variables from the environment and
// takes as long to compile as the rest of the service, and without its stream,
// for which a connection that closes in the middle of an answer is the answer's
// end. Its decoder passes over comments and takes lines that end with LF or
// CRLF, of 32 MiB at most; a stream whose lines end with a lone CR has no events
// for it, and fails.
package openai

import (
	"context"
	"iter"
	"net"
	"net/http"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// Provider is a chat.Provider for one endpoint. It is safe for concurrent use.
type Provider struct {
	address string // of the completions
	key     string
	client  *http.Client
	owned   *http.Transport // nil if the transport is the caller's
	timeout time.Duration
	pause   func(context.Context, time.Duration) error
	random  func() float64
}

var _ chat.Provider = (*Provider)(nil)

// New makes a Provider and asks nothing yet. An error names the field of
// config that is wrong, and holds no part of the key. Close it in the end.
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
	}
	if config.Transport == nil {
		p.owned = newTransport(p.timeout)
		p.client.Transport = p.owned
	}
	return p, nil
}

// Close lets go of idle connections and stray dials, unless the transport came
// from the caller. Answers that are being read go on.
func (p *Provider) Close() {
	if p.owned != nil {
		p.owned.CloseIdleConnections()
	}
}

// Answer asks once, and only when the sequence is read; reading it again asks
// again. What the provider refuses before it responds is repeated twice. The
// sequence ends with the model's finish reason, or with an error as
// chat.Provider has it. It waits for the provider as long as bytes come within
// the timeout, whatever they are: reasoning that is not shown and comment lines
// are signs of life. The time that the caller takes is not counted.
func (p *Provider) Answer(ctx context.Context, prompt chat.Prompt) iter.Seq2[chat.Piece, error] {
	return func(yield func(chat.Piece, error) bool) {
		c, err := p.open(ctx, request(prompt))
		if err != nil {
			yield(chat.Piece{}, err)
			return
		}
		defer c.close()
		c.answer(yield)
	}
}

// stay hands a redirect over as it is: the key and the chat go to the
// configured address alone.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// newTransport leaves the watching to Provider. Only a dial has a limit of its
// own, since net/http lets it outlive its call for the next one to use.
func newTransport(timeout time.Duration) *http.Transport {
	return &http.Transport{
		Proxy:             http.ProxyFromEnvironment,
		DialContext:       (&net.Dialer{Timeout: timeout + time.Second}).DialContext,
		ForceAttemptHTTP2: true,
		IdleConnTimeout:   90 * time.Second,
		// Without HTTP/2 each answer that runs takes a connection. net/http keeps two idle ones
		// by default, so that nearly every answer would dial.
		MaxIdleConnsPerHost: 256,
		// Each answer that runs has both buffers; a question and a word are small.
		ReadBufferSize: 2 << 10, WriteBufferSize: 1 << 10,
	}
}
