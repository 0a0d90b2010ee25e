// Package openai asks a model through any endpoint that speaks OpenAI's
// POST /chat/completions with streaming: OpenAI itself, gateways, and local
// servers. Begin with New.
//
// OpenAI's own library is not used: it takes a connection that closes in the middle of an answer for the answer's end,
// and reads OPENAI_* variables.
package openai

import (
	"context"
	"crypto/sha256"
	"iter"
	"log/slog"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// Config is an endpoint and how to reach it. The API key is sent as a Bearer token.
type Config = upstream.Config

// Provider is a answering.Provider for one endpoint. It is safe for concurrent use.
type Provider struct {
	client *upstream.Client
	learnt upstream.Learnt
}

var _ answering.Provider = (*Provider)(nil)

// New makes a Provider and sends nothing yet. An error names the wrong field of config, and
// contains no part of the key. The caller calls Close.
func New(config Config) (*Provider, error) {
	client, err := upstream.New("openai", config)
	if err != nil {
		return nil, err
	}
	return &Provider{client: client}, nil
}

// Close closes idle connections and unfinished dials, unless the caller owns the transport.
// Answers that are being read continue.
func (p *Provider) Close() { p.client.Close() }

// Answer sends the request when the sequence is read; reading it again sends it again. If the
// provider refuses before it responds, the request is retried up to twice; an answer with neither text
// nor calls is asked for once more. The sequence ends with
// the model's finish reason, or with an error of answering.Provider.
func (p *Provider) Answer(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
	return func(yield func(answering.Piece, error) bool) {
		body := request(prompt, p.learnt.Of(prompt.Model))
		sent, err := p.sent(body)
		if err != nil {
			yield(answering.Piece{}, err)
			return
		}
		var spent *wire.Usage
		p.client.Answer(ctx, sent, yield, func(upper *upstream.Call, yield upstream.Yield) (string, bool) {
			c := newCall(upper, body, p.client.Log, p.client.Linger)
			c.usage = spent
			isEmpty := c.answer(yield)
			spent = c.usage
			return c.reason, isEmpty
		})
	}
}

// call is the reading of one answer.
type call struct {
	*upstream.Call
	chosen   bool // a part of an answer has come
	text     upstream.Text
	thoughts thoughts
	thought  upstream.Text // of reasoning beside the text
	mused    bool          // there was reasoning beside the text
	returned *returned     // nil if no calls may be made
	reason   string        // the finish reason that counts, empty if none has come
	ended    bool          // a reason has come, and nothing of the answer since
	linger   time.Duration // how long to wait after a reason for more
	// mayBeSilent is set if an earlier round has text.
	mayBeSilent bool
	calls       *calls                     // nil if none may be made
	earlier     int                        // calls in earlier rounds
	barred      bool                       // there are tools, but none may be called
	spoke       bool                       // text has been said
	usage       *wire.Usage                // of this answer and an empty one before it, nil if the provider does not say
	counted     *wire.Usage                // what the provider said last of this one
	drew        map[[sha256.Size]byte]bool // images that have been given, by their digests
	log         *slog.Logger
}

func newCall(upper *upstream.Call, body completion, log *slog.Logger, linger time.Duration) *call {
	c := &call{Call: upper, drew: map[[sha256.Size]byte]bool{}, earlier: body.calls(), barred: body.ToolChoice == "none", log: log, linger: linger,
		mayBeSilent: body.hasSpoken()}
	if len(body.Tools) > 0 && !c.barred {
		c.calls, c.returned = new(calls), newReturned()
		for _, one := range body.Tools {
			c.calls.offered = append(c.calls.offered, one.Function.Name)
		}
	}
	return c
}
