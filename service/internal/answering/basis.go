package answering

import (
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// Options say how a question is answered. They are stored with it as JSON, so that it can be
// answered again in the same way.
type Options struct {
	AgentID           string `json:"agent_id,omitempty"`
	AgentType         string `json:"agent_type,omitempty"`
	ModelName         string `json:"model_name,omitempty"`
	IgnoreChatHistory bool   `json:"ignore_chat_history,omitempty"`
	// GoogleSearch searches the web for the question.
	GoogleSearch bool `json:"google_search,omitempty"`
	// FormatInstructions say what the answer should look like.
	FormatInstructions string `json:"format_instructions,omitempty"`
	// ExampleJSON is a JSON object or array that shows the shape of the answer.
	ExampleJSON string `json:"example_json,omitempty"`
	// UseKnowledgebase turns the search of documents on or off; false wins over everything else.
	// Nil means unset.
	UseKnowledgebase *bool `json:"use_knowledgebase,omitempty"`
	// DocumentKeys are the documents to search. Nil means unset; empty means none.
	DocumentKeys []string `json:"document_keys,omitzero"`
}

// Basis is everything that an answer is based on, besides the chat up to now.
type Basis struct {
	Agent Agent
	// Model is the model to ask, empty if none is configured.
	Model string
	// Abilities are those of Model, and Learned is what the process knows of it.
	Abilities Abilities
	Learned   *Learned
	Options   Options
	// User is who asks, empty for nobody.
	User     string
	Question wire.Message
	// Tools are what the model may call.
	Tools []*tool.Tool
	// Library has the documents to search; nil means none.
	Library *Library
	// Memories are the part of the prompt with what the agent remembers of the user.
	Memories string
	// Reasoning says that whoever reads the answer gets what the model thinks.
	Reasoning bool
	// Now is when the question is answered; the zero time is not told.
	Now time.Time
	// NoHistory says that the chat before the question is not to be read, or that there is none.
	NoHistory bool
}

// Manner is the kind of this answer.
func (b Basis) Manner() string {
	if b.Options.AgentType != "" {
		return b.Options.AgentType
	}
	return b.Agent.Manner()
}

// promptTools returns the tools in the form in which the model gets them.
func (b Basis) promptTools() (tools []PromptTool) {
	for _, one := range b.Tools {
		tools = append(tools, PromptTool{Name: one.Name, Description: one.Description, Parameters: one.Schema()})
	}
	return tools
}

// Tool finds a tool that was offered by the name that a model gives it, nil for none.
func (b Basis) Tool(name string) *tool.Tool {
	for _, named := range []string{name, tool.PlainName(name)} {
		for _, one := range b.Tools {
			if one.Name == named {
				return one
			}
		}
	}
	return nil
}

// RoomForMemories is in bytes: the share of memories, but no more than what the other fixed parts
// of the prompt leave, so that memories never make a send fail.
func (b Basis) RoomForMemories() int {
	return min(b.Agent.MemoryRoom(), BytesOf(b.leftForMemories())-len(partGap))
}

func (b Basis) leftForMemories() int {
	m := b.meter()
	return b.Window() - m.told(b, "", nil) - m.cost(asked(b.Question))
}

// TooManyMemories reports whether the memories take more of the window than they may: texts that have many tokens for
// their size.
func (b Basis) TooManyMemories() bool {
	if b.Model == "" || b.Memories == "" {
		return false
	}
	return b.meter().Count(b.Memories+partGap) > min(b.Window()/memoryShare, b.leftForMemories())
}
