// Package anthropic asks a model through Anthropic's Messages API, or through any endpoint that speaks it. Begin with New.
//
// Anthropic's own library is not used: it would add 5 MB to the service, warns on standard error, and takes a
// connection that closes in the middle of an answer for the answer's end. Tests read with it what this package reads.
package anthropic

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// Config is an endpoint and how to reach it. Its address is that to which /v1/messages is appended, or ends with /v1. The
// API key is sent as x-api-key.
type Config = upstream.Config

// version is that of the API. Later ones refuse temperature and top_p of every model.
const version = "2023-06-01"

// Provider is an answering.Provider for one endpoint. It is safe for concurrent use.
type Provider struct {
	client *upstream.Client
	told   sync.Map // what the log was told of each model
}

// New makes a Provider and sends nothing yet. An error names the wrong field of config, without the key. The caller calls
// Close.
func New(config Config) (*Provider, error) {
	client, err := upstream.New("anthropic", config)
	if err != nil {
		return nil, err
	}
	return &Provider{client: client}, nil
}

var _ answering.Provider = (*Provider)(nil)

// Answer sends the request when the sequence is read; reading it again sends it again. If the provider refuses before it
// responds, the request is retried up to twice; an answer with neither text nor calls is asked for once more. The sequence
// ends with the model's finish reason, or with an error of answering.Provider.
func (p *Provider) Answer(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
	return func(yield func(answering.Piece, error) bool) {
		sent, err := p.request(prompt)
		if err != nil {
			yield(answering.Piece{}, err)
			return
		}
		p.client.Answer(ctx, sent, yield, func(call *upstream.Call, yield upstream.Yield) (string, bool) {
			a := answer{Reading: p.client.NewReading(call, prompt, yield), blocks: map[int]*block{}}
			return a.Read(a.take, a.made)
		})
	}
}

// request returns the request that asks for an answer to a prompt.
func (p *Provider) request(prompt answering.Prompt) (upstream.Request, error) {
	asked := bodyOf(prompt)
	for _, what := range asked.leftOut {
		if _, isKnown := p.told.LoadOrStore(prompt.Model+" "+what, true); !isKnown {
			p.client.Log.Warn("the model does not take a parameter, which is left out", "model", prompt.Model, "parameter", what)
		}
	}
	data, err := asked.payload(prompt)
	if err != nil {
		return upstream.Request{}, fmt.Errorf("anthropic: a question cannot be encoded as JSON: %w", err)
	}
	path := []string{"v1", "messages"}
	if strings.HasSuffix(strings.TrimSuffix(p.client.Base.Path, "/"), "/v1") {
		path = path[1:]
	}
	ours := map[string]string{"anthropic-version": version}
	if p.client.Key != "" {
		ours["x-api-key"] = p.client.Key
	}
	return upstream.Request{
		Path: path, Header: upstream.Over(prompt.Parameters.Headers, ours), Query: prompt.Parameters.Query, Body: data,
		Privy: func() upstream.Privy { return upstream.PrivyOf(p.client.Key, prompt) },
	}, nil
}

// Close closes idle connections, unless the caller owns the transport.
func (p *Provider) Close() { p.client.Close() }
