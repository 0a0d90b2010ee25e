package chat

import (
	"fmt"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// Offer says which tools a client offers, and whether it can handle calls.
type Offer struct {
	// PageTools are the page's tools, a JSON object of wire.PageTool by name; nil means none.
	PageTools wire.JSON
	// Calls reports whether the client can handle calls. Without it no tools of the page are
	// offered to the model, and calls that need an approval are denied.
	Calls bool
}

// offer sets the tools that the model may call in the answer. The shelf keeps the page's.
func (a *asking) offer(shelf *tool.Shelf, offer Offer) (err error) {
	if !offer.Calls {
		offer.PageTools = nil
	}
	a.offered = offer
	if a.manner() == wire.AgentDocument {
		return nil
	}
	a.tools, err = a.agent.Tools.Offer(shelf, offer.PageTools)
	return err
}

// promptTools returns the tools in the form in which the model gets them.
func (a asking) promptTools() (tools []PromptTool) {
	for _, one := range a.tools {
		tools = append(tools, PromptTool{Name: one.Name, Description: one.Description, Parameters: one.Parameters})
	}
	return tools
}

// costOfTools returns how many tokens of the window the tools take.
func (a asking) costOfTools() (cost int) {
	for _, one := range a.promptTools() {
		cost += tokens(string(stream.Encode(one)))
	}
	return cost
}

// tool finds a tool that was offered, nil for none.
func (a asking) tool(name string) *tool.Tool {
	for _, one := range a.tools {
		if one.Name == name {
			return one
		}
	}
	return nil
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
