package answering

import (
	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// DefaultWindow is the window of an agent that sets none, in tokens.
const DefaultWindow = 8192

// Agent answers messages in its own way.
type Agent struct {
	ID   string
	Name string
	// Instructions are its system prompt.
	Instructions string
	// Type is the kind of its answers; empty means wire.AgentChat.
	Type string
	// Model is asked if the message names none; empty means the service's model.
	Model string
	// Models are those that a message may name, Model the first of them; nil means the service's and those of all agents.
	Models []string
	// FallbackModels are asked in this order if the model that was chosen cannot be.
	FallbackModels []string
	// Parameters say how its models are asked.
	Parameters Parameters
	// Window is how many tokens a prompt may have; 0 means DefaultWindow.
	Window int
	// Reasoning is ReasoningHidden, ReasoningShown or empty, which means hidden.
	Reasoning string
	// Tools are the tools that it may call; nil means only tools of the page.
	Tools *tool.Set
	// Documents are the keys of the documents that its answers use if neither the message nor the
	// chat names any. Nil means all that the caller may use; empty means none.
	Documents []string
}

// Whether senders who ask for it get what an agent's model thinks.
const (
	ReasoningHidden = "hidden"
	ReasoningShown  = "shown"
)

func (a Agent) Manner() string {
	if a.Type == "" {
		return wire.AgentChat
	}
	return a.Type
}

func (a Agent) Tokens() int {
	if a.Window == 0 {
		return DefaultWindow
	}
	return a.Window
}

// Room returns how many tokens the window of an agent has without its instructions.
func (a Agent) Room() int { return a.Tokens() - plain(a.Instructions) }

// MemoryRoom returns how many bytes memories may take in the prompt of an agent.
func (a Agent) MemoryRoom() int { return BytesOf(a.Tokens() / memoryShare) }

// memoryShare is the divisor of the window for the largest size of memories: a quarter.
const memoryShare = 4
