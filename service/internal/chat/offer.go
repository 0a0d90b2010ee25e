package chat

import (
	"fmt"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// Offer says which tools a client offers, and what it can handle.
type Offer struct {
	// PageTools are the page's tools, a JSON object of wire.PageTool by name; nil means none.
	PageTools wire.JSON
	// Calls reports whether the client can handle calls. Without it no tools of the page are
	// offered to the model, and calls that need an approval are denied.
	Calls bool
	// Reasoning asks for what the model thinks. Only agents that show it give it.
	Reasoning bool
}

// offer sets the tools that the model may call in the answer. The shelf keeps the page's.
func (a *asking) offer(shelf *tool.Shelf, offer Offer) (err error) {
	if !offer.Calls {
		offer.PageTools = nil
	}
	a.offered = offer
	a.Reasoning = offer.Reasoning && a.Agent.Reasoning == answering.ReasoningShown
	if a.Manner() == wire.AgentDocument {
		return nil
	}
	a.Tools, err = a.Agent.Tools.Offer(shelf, offer.PageTools)
	return err
}

// MaxParked is how many answers of a user may wait for calls at the same time.
const MaxParked = 100

// TooManyParked refuses an answer because as many as allowed are waiting.
func TooManyParked() *fault.Error {
	return &fault.Error{
		Code:       wire.CodeQuotaExceeded,
		Message:    fmt.Sprintf("%d answers wait for tool calls, which is the most that may wait: decide their calls, or stop some of them", MaxParked),
		RetryAfter: totalDelay,
	}
}
