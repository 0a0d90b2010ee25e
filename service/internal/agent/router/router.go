// Package router is an answering.Provider of several: it finds the provider of a model, asks it, and asks another model
// if that one is down. Begin with New.
package router

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// Config has the providers. Catalog and Providers are required.
type Config struct {
	Catalog Catalog
	// Providers are those of the catalog, by their names. The caller closes them.
	Providers map[string]answering.Provider
	// Asked is called once for each request with how it ended: OutcomeDone, OutcomeLeft, or the reason or code of its
	// failure. It may be nil.
	Asked func(provider, model, outcome string)
	// Paid is called with the price of a request, if it is known. It may be nil.
	Paid func(provider, model string, price float64)
	// Used is called with the tokens of a request, if its provider says how many it took. It may be nil.
	Used func(provider, model string, usage wire.Usage)
	// Log is told when another model takes over. Nil means nobody is.
	Log *slog.Logger
}

// Outcomes of requests that did not fail.
const (
	OutcomeDone = "done"
	OutcomeLeft = "left" // nobody waits for the rest
)

// Router asks the providers. It is safe for concurrent use.
type Router struct{ config Config }

var _ answering.Provider = (*Router)(nil)

// New returns a Router.
func New(config Config) *Router {
	if config.Asked == nil {
		config.Asked = func(string, string, string) {}
	}
	if config.Paid == nil {
		config.Paid = func(string, string, float64) {}
	}
	if config.Used == nil {
		config.Used = func(string, string, wire.Usage) {}
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	return &Router{config}
}

// Answer asks prompt.Model, and then prompt.FallbackModels, until one of them has sent anything or has failed in a way
// that says nothing of the others. What is yielded last names the model that answered, if it is another one.
func (r *Router) Answer(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
	return func(yield func(answering.Piece, error) bool) {
		var told, err error
		names := r.candidates(prompt)
		for i, name := range names {
			if i > 0 {
				r.config.Log.Warn("a model cannot be asked, and another one takes over", "model", names[i-1], "takes_over", name, "error", err)
			}
			if err = r.ask(ctx, name, prompt, yield); err == nil {
				return
			}
			if told == nil || fault.IsUnavailable(err) && !fault.IsUnavailable(told) {
				told = err // one that passes is told rather than one that does not
			}
		}
		yield(answering.Piece{}, told)
	}
}

// candidates are the model of a prompt and those that may take over, each once.
func (r *Router) candidates(prompt answering.Prompt) []string {
	names := []string{prompt.Model}
	for _, name := range prompt.FallbackModels {
		_, model, _ := r.config.Catalog.Find(name)
		isKnown := slices.ContainsFunc(names, func(one string) bool { return r.config.Catalog.IsSame(one, name) })
		if !isKnown && takes(model.Abilities, prompt) {
			names = append(names, name)
		}
	}
	return names
}

// takes reports whether a model can be asked with the tools and images of a prompt.
func takes(abilities answering.Abilities, prompt answering.Prompt) bool {
	hasImages := slices.ContainsFunc(prompt.Messages, func(m answering.PromptMessage) bool { return len(m.Images) > 0 })
	return !(abilities.NoTools && len(prompt.Tools) > 0) && !(abilities.Images == answering.NoImages && hasImages)
}

// ask asks one model. An error is one after which another model may be asked; everything else was yielded.
func (r *Router) ask(ctx context.Context, name string, prompt answering.Prompt, yield func(answering.Piece, error) bool) error {
	listed, model, _ := r.config.Catalog.Find(name)
	outcome, isShown := OutcomeLeft, false
	defer func() { r.config.Asked(listed.Name, model.Name, outcome) }()
	for piece, err := range r.config.Providers[listed.Name].Answer(ctx, r.promptFor(name, listed, model, prompt)) {
		if err != nil {
			if ctx.Err() == nil {
				outcome = outcomeOf(err)
			}
			if !isShown && isDown(err) && ctx.Err() == nil {
				return err
			}
			yield(piece, err)
			return nil
		}
		isShown = isShown || piece.Reasoning == "" || prompt.Reasoning
		if piece.FinishReason != "" {
			outcome = OutcomeDone
			if name != prompt.Model {
				piece.Model = name
			}
			if piece.Usage != nil {
				r.config.Used(listed.Name, model.Name, *piece.Usage)
			}
			r.pay(listed, model, piece.Usage)
		}
		if !yield(piece, nil) {
			return nil
		}
	}
	return nil
}

// promptFor returns the prompt as a model gets it: with its own name and all parameters, and without what only another
// one understands.
func (r *Router) promptFor(name string, listed Listed, model Model, prompt answering.Prompt) answering.Prompt {
	rounds := slices.Clone(prompt.Rounds)
	for i := range rounds {
		if writer := cmp.Or(rounds[i].Model, prompt.Model); !r.config.Catalog.IsSame(writer, name) {
			rounds[i] = foreign(rounds[i])
		}
	}
	prompt.Model, prompt.Rounds, prompt.FallbackModels = model.Name, rounds, nil
	prompt.Parameters = listed.Parameters.With(model.Parameters).With(prompt.Parameters)
	if most := model.Abilities.OutputTokens; most > 0 {
		prompt.Parameters.MaxOutputTokens = min(prompt.Parameters.MaxOutputTokens, most)
	}
	if model.Abilities.Alternates && !prompt.Alternate {
		prompt = prompt.Alternating()
	}
	if model.NoReasoning {
		prompt.Reasoning, prompt.Parameters.ReasoningEffort = false, ""
	}
	return prompt
}

// foreign returns a round without what only the provider that wrote it understands.
func foreign(round answering.Round) answering.Round {
	round.Returned = nil
	round.Calls = slices.Clone(round.Calls)
	for i := range round.Calls {
		round.Calls[i].Extra = nil
	}
	return round
}

func (r *Router) pay(listed Listed, model Model, usage *wire.Usage) {
	if usage == nil || model.Prices == (Prices{}) {
		return
	}
	const unit = 1e6
	price := float64(usage.InputTokens-usage.CachedTokens)*model.Prices.Input + float64(usage.CachedTokens)*model.Prices.Cached +
		float64(usage.OutputTokens)*model.Prices.Output
	r.config.Paid(listed.Name, model.Name, max(0, price/unit))
}

// isDown reports whether a model failed in a way that says nothing of another one.
func isDown(err error) bool {
	var refusal answering.Refusal
	var known *fault.Error
	if errors.As(err, &refusal) || !errors.As(err, &known) {
		return false
	}
	return slices.Contains([]string{wire.CodeUnavailable, wire.CodeProviderTimeout}, known.Code) ||
		slices.Contains([]string{wire.ProviderQuota, wire.ProviderBroken}, known.Reason)
}

// outcomeOf is how a request ended that failed.
func outcomeOf(err error) string {
	known := fault.Of(err)
	return cmp.Or(known.Reason, known.Code)
}
