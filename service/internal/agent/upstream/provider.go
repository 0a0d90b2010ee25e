package upstream

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// Kind is what differs between kinds of providers whose answers a Reading reads.
type Kind struct {
	// Name begins errors.
	Name string
	// Ask returns the request for a prompt, without what the server of its model refused before.
	Ask func(c *Client, prompt answering.Prompt, refused []string) (Asked, error)
	// Read returns what takes the events of an answer, JSON objects, yields with Say and Think, and tells the end with Ends; isOver is
	// true for the event after which nothing comes. made is called at the end of an answer; isCut says that the model reached
	// a limit, so that a call may lack its end.
	Read func(r *Reading) (take func(Event) (isOver bool, err error), made func(isCut bool) Made)
	// Returned are words with which a provider objects to what it once returned with a round, and gets back.
	Returned []string
}

// Asked is a request, but for its Privy and its Change.
type Asked struct {
	Request
	// Spare are names of members that the request can do without, also of objects in it ("reasoning.summary").
	Spare []string
	// LeftOut are parameters that the model is known not to take.
	LeftOut []string
}

// Provider is an answering.Provider of a Kind, for one endpoint. It is safe for concurrent use.
type Provider struct {
	client *Client
	kind   Kind
	learnt Learnt
	told   sync.Map // what the log was told of each model
}

var _ answering.Provider = (*Provider)(nil)

// New makes a Provider and sends nothing yet. An error names the wrong field of config, and contains no part of the key.
// The caller calls Close.
func (k Kind) New(config Config) (*Provider, error) {
	client, err := New(k.Name, config)
	if err != nil {
		return nil, err
	}
	return &Provider{client: client, kind: k}, nil
}

// Close closes idle connections and unfinished dials, unless the caller owns the transport.
// Answers that are being read continue.
func (p *Provider) Close() { p.client.Close() }

// Answer sends the request when the sequence is read; reading it again sends it again. If the provider refuses before it
// responds, the request is retried up to twice; an answer with neither text nor calls is asked for once more. The sequence
// ends with a piece that has a finish reason, or with an error of answering.Provider.
func (p *Provider) Answer(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
	return func(yield func(answering.Piece, error) bool) {
		r, err := p.request(prompt, p.learnt.Of(prompt.Model))
		if err != nil {
			yield(answering.Piece{}, err)
			return
		}
		p.client.Answer(ctx, r, yield, func(call *Call, yield Yield) (string, bool) {
			reading := p.client.newReading(call, prompt, yield)
			return reading.read(p.kind.Read(reading))
		})
	}
}

func (p *Provider) request(prompt answering.Prompt, refused []string) (Request, error) {
	asked, err := p.kind.Ask(p.client, prompt, refused)
	if err != nil {
		return Request{}, fmt.Errorf("%s: a question cannot be encoded as JSON: %w", p.kind.Name, err)
	}
	for _, what := range asked.LeftOut {
		if _, isKnown := p.told.LoadOrStore(prompt.Model+" "+what, true); !isKnown {
			p.client.Log.Warn("the model does not take a parameter, which is left out", "model", prompt.Model, "parameter", what)
		}
	}
	asked.Privy = func() Privy { return PrivyOf(p.client.Key, prompt) }
	asked.Change = func(o Objection) (Request, bool) { return p.change(prompt, asked.Spare, refused, o) }
	return asked.Request, nil
}

// change returns the request that leaves out what a provider objects to, as do all later ones to this model; ok is false
// if it could not do without. An objection to what it returned itself counts for this answer alone.
func (p *Provider) change(prompt answering.Prompt, spare, refused []string, o Objection) (next Request, ok bool) {
	if o.What == answering.RefusedLength {
		return next, false
	}
	if own, isThere := withoutReturned(prompt); isThere && slices.ContainsFunc(p.kind.Returned, o.To) {
		p.client.Log.Warn("the model's provider refuses what it returned with a call, which is left out", "model", prompt.Model)
		next, err := p.request(own, refused)
		return next, err == nil
	}
	var names []string
	for _, name := range spare {
		if o.To(name) && !slices.Contains(refused, name) {
			names = append(names, name)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { // a part of it is meant
		return slices.ContainsFunc(names, func(other string) bool { return strings.HasPrefix(other, name+".") })
	})
	if len(names) == 0 {
		return next, false
	}
	p.learnt.Add(prompt.Model, names)
	p.client.Log.Info("the model's provider refuses a part of a request, which is left out from now on", "model", prompt.Model, "refused", names)
	next, err := p.request(prompt, slices.Concat(refused, names))
	return next, err == nil
}

// withoutReturned returns a prompt without what a provider returned; isThere is false if it has nothing of it.
func withoutReturned(prompt answering.Prompt) (own answering.Prompt, isThere bool) {
	prompt.Rounds = slices.Clone(prompt.Rounds)
	for i := range prompt.Rounds {
		isThere = isThere || prompt.Rounds[i].Returned != nil
		prompt.Rounds[i].Returned = nil
	}
	return prompt, isThere
}
