package toolcall

import (
	"cmp"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Round is what a model said when it was asked once, and the calls that it made.
type Round struct {
	Text  string
	Calls []MadeCall
	Details
}

// Details are the rest of a round. Only Usage and LeftOut are shown, with those of the other rounds.
type Details struct {
	// Model wrote the round, and Returned is what its provider wants back with it. Nothing else reads that.
	Model    string    `json:"model,omitempty"`
	Returned wire.JSON `json:"returned,omitempty"`
	// Usage is what the round took; nil if its provider did not say.
	Usage *wire.Usage `json:"usage,omitempty"`
	// LeftOut is what the model did not get.
	LeftOut wire.LeftOut `json:"left_out,omitzero"`
}

// Usage returns what rounds took together, nil if no provider said.
func Usage(rounds []Round) (total *wire.Usage) {
	for _, round := range rounds {
		total = Sum(total, round.Usage)
	}
	return total
}

// LeftOut returns the most that a round left out, nil for nothing. most is what another round left out.
func LeftOut(rounds []Round, most wire.LeftOut) *wire.LeftOut {
	for _, round := range rounds {
		out := round.LeftOut
		most = wire.LeftOut{Messages: max(most.Messages, out.Messages), Images: max(most.Images, out.Images), Tools: max(most.Tools, out.Tools)}
	}
	if most == (wire.LeftOut{}) {
		return nil
	}
	return &most
}

// Sum returns the sum of two usages, of which each may be nil.
func Sum(a, b *wire.Usage) *wire.Usage {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return &wire.Usage{
		InputTokens: a.InputTokens + b.InputTokens, CachedTokens: a.CachedTokens + b.CachedTokens,
		OutputTokens: a.OutputTokens + b.OutputTokens, ReasoningTokens: a.ReasoningTokens + b.ReasoningTokens,
	}
}

// MadeCall is a call as the model made it, and its outcome.
type MadeCall struct {
	ModelCall
	// CallID is the id of the Call, empty if there is none.
	CallID string `json:"call_id,omitempty"`
	// Misfit says why no Call was made of it.
	Misfit string `json:"misfit,omitempty"`
}

// ModelCall is a call as the model made it.
type ModelCall struct {
	// ID is the provider's; later rounds name the call by it.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments are what the model wrote, JSON or not.
	Arguments string `json:"arguments"`
	// Extra belongs to the provider, which wants it back with the call; nil for none. Nothing
	// else reads it.
	Extra wire.JSON `json:"extra,omitempty"`
}
