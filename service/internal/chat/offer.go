package chat

import (
	"fmt"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// Offer is what who asks for an answer offers and knows of tools.
type Offer struct {
	// PageTools are those of the page, a JSON object of wire.PageTool by name; nil means none.
	PageTools wire.JSON
	// Calls tells that who asks knows calls. Without it no tools of the page are offered, and
	// calls that need a yes are denied.
	Calls bool
}

// offer sets what the model may call in the answer.
func (a *asking) offer(offer Offer) (err error) {
	if !offer.Calls {
		offer.PageTools = nil
	}
	a.offered = offer
	if a.manner() == wire.AgentDocument {
		return nil
	}
	a.tools, err = a.agent.Tools.Offer(offer.PageTools)
	return err
}

// promptTools are the tools as the model is told of them.
func (a asking) promptTools() (tools []PromptTool) {
	for _, one := range a.tools {
		tools = append(tools, PromptTool{Name: one.Name, Description: one.Description, Parameters: one.Parameters})
	}
	return tools
}

// costOfTools is what the tools take of the window.
func (a asking) costOfTools() (cost int) {
	for _, one := range a.promptTools() {
		cost += tokens(string(encode(one)))
	}
	return cost
}

// tool finds one of those that were offered, nil for none.
func (a asking) tool(name string) *tool.Tool {
	for _, one := range a.tools {
		if one.Name == name {
			return one
		}
	}
	return nil
}

// toolOf gives the tool of a call as it is defined now: the operator's, or that of the
// page when it asked. Nil is one that is defined differently by now.
func (s *Service) toolOf(call Call, asked Asked) (*tool.Tool, error) {
	if !call.Operator {
		one, err := tool.Offered(wire.JSON(asked.PageTools), call.Name)
		if err != nil {
			err = fmt.Errorf("chat: the page's tool of call %s: %w", call.ID, err)
		}
		return one, err
	}
	for _, agent := range s.config.Agents {
		if agent.ID != call.AgentID {
			continue
		}
		now, err := agent.Tools.Current(call.Name)
		if err != nil || now != nil && now.Digest() == call.Tool {
			return now, err
		}
	}
	if s.config.Now().Sub(s.begun) < s.config.Drain {
		return nil, errReplaced
	}
	return nil, nil
}

// errReplaced leaves a call to the replicas that this one replaces, which define its tool as
// it was.
var errReplaced = &fault.Error{
	Code: wire.CodeUnavailable, Message: "The tool is being replaced; try again in a moment", RetryAfter: 5 * time.Second,
}

// MaxParked is how many answers of a user wait for calls at most.
const MaxParked = 100

// TooManyParked is the refusal of an answer while as many wait as may.
func TooManyParked() *fault.Error {
	return &fault.Error{
		Code:       wire.CodeQuotaExceeded,
		Message:    fmt.Sprintf("%d answers wait for their tools, which is as many as may: decide what waits, or stop some", MaxParked),
		RetryAfter: totalDelay,
	}
}
