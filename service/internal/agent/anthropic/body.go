package anthropic

import (
	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/schema"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// body is the body of a request with the members that are used, but for its messages; see
// https://platform.claude.com/docs/en/api/messages.
type body struct {
	Model        string        `json:"model"`
	MaxTokens    int           `json:"max_tokens"`
	System       []part        `json:"system,omitempty"`
	Tools        []tool        `json:"tools,omitempty"`
	ToolChoice   *toolChoice   `json:"tool_choice,omitempty"` // nil means the default, "auto"
	Thinking     *thinking     `json:"thinking,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
	Temperature  *float64      `json:"temperature,omitempty"`
	TopP         *float64      `json:"top_p,omitempty"`
	Stop         []string      `json:"stop_sequences,omitempty"`
	Stream       bool          `json:"stream"`

	messages []message
	leftOut  []string // parameters that the model does not take
}

type tool struct {
	Name         string    `json:"name"`
	Description  string    `json:"description,omitempty"`
	InputSchema  wire.JSON `json:"input_schema"`
	CacheControl *mark     `json:"cache_control,omitempty"`
}

type toolChoice struct {
	Type string `json:"type"` // "none"
}

type outputConfig struct {
	Effort string `json:"effort"`
}

// mark ends a part of a request that is kept for later requests which begin in the same way; four are taken. What is
// too short to be kept is not refused.
type mark struct {
	Type string `json:"type"`
}

var kept = &mark{"ephemeral"}

// bodyOf returns the body that asks for a streamed answer to a prompt.
func bodyOf(prompt answering.Prompt) body {
	b := body{Model: prompt.Model, Stream: true, Stop: prompt.Parameters.Stop, messages: messagesOf(prompt)}
	if !isBlank(prompt.System) {
		b.System = []part{{Type: "text", Text: prompt.System, CacheControl: kept}}
	}
	for _, one := range prompt.Tools {
		fit, _ := schema.For(schema.Anthropic, one.Parameters)
		b.Tools = append(b.Tools, tool{Name: one.Name, Description: one.Description, InputSchema: fit})
	}
	if last := len(b.Tools) - 1; last >= 0 {
		b.Tools[last].CacheControl = kept
		if prompt.NoCalls {
			b.ToolChoice = &toolChoice{"none"}
		}
	}
	b.think(prompt)
	b.sample(prompt.Parameters)
	return b
}

// unmark takes away all marks.
func (b *body) unmark() {
	for i := range b.System {
		b.System[i].CacheControl = nil
	}
	for i := range b.Tools {
		b.Tools[i].CacheControl = nil
	}
	for _, m := range b.messages {
		for i := range m.parts {
			m.parts[i].CacheControl = nil
		}
	}
}
