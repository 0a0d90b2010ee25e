package openai

import (
	"encoding/json"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/schema"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// tool is a tool that a model may call.
type tool struct {
	Type     string   `json:"type"` // "function"
	Function function `json:"function"`
}

type function struct {
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	Parameters  wire.JSON `json:"parameters"`
}

// offer adds the tools of a prompt, and the calls of earlier rounds.
func (c *completion) offer(prompt answering.Prompt) {
	for _, t := range prompt.Tools {
		parameters, _ := schema.For(schema.OpenAI, t.Parameters)
		c.Tools = append(c.Tools, tool{"function", function{t.Name, t.Description, parameters}})
	}
	if prompt.NoCalls && len(c.Tools) > 0 {
		c.ToolChoice = "none"
	}
	for _, round := range prompt.Rounds {
		c.repeat(round)
	}
}

// repeat adds a round: what the model said and called, and the outcome of each call.
func (c *completion) repeat(round answering.Round) {
	said := message{Role: "assistant", Text: round.Text}
	var outcomes []message
	for _, call := range round.Calls {
		said.Calls = append(said.Calls, call.ModelCall)
		outcomes = append(outcomes, message{Role: "tool", Text: call.Outcome, Answers: call.ModelCall})
	}
	if said.Text == "" && len(said.Calls) == 0 {
		return
	}
	c.Messages = append(append(c.Messages, said), outcomes...)
}

// calls returns how many calls the messages have.
func (c completion) calls() (count int) {
	for _, m := range c.Messages {
		count += len(m.Calls)
	}
	return count
}

// saidMessage is a message of the assistant with calls. Without text the content is null: Gemini
// and Ollama refuse an empty one, and others a missing one.
type saidMessage struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content"`
	Reasoning *string    `json:"reasoning_content,omitempty"`
	ToolCalls []toolCall `json:"tool_calls"`
}

// toolMessage is the outcome of a call. The name is for servers that don't look it up by the id.
type toolMessage struct {
	Role    string `json:"role"`
	ID      string `json:"tool_call_id"`
	Name    string `json:"name"`
	Content string `json:"content"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"` // "function"
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Extra json.RawMessage `json:"extra_content,omitempty"`
}

// extra is the part of chat.ModelCall.Extra that this provider sent. Gemini refuses a call that
// is sent back without its signature, and DeepSeek one whose message lacks its reasoning.
type extra struct {
	Content json.RawMessage `json:"extra_content,omitempty"`
	// Reasoning belongs to the message, and is kept in its first call.
	Reasoning *string `json:"reasoning_content,omitempty"`
}

// withCalls returns the JSON of a message with Calls.
func (m message) withCalls() ([]byte, error) {
	said := saidMessage{Role: m.Role}
	if m.Text != "" {
		said.Content = &m.Text
	}
	for _, made := range m.Calls {
		var own extra
		_ = json.Unmarshal(made.Extra, &own) // it may be from another provider, or empty
		if own.Reasoning != nil {
			said.Reasoning = own.Reasoning
		}
		call := toolCall{ID: made.ID, Type: "function", Extra: own.Content}
		call.Function.Name, call.Function.Arguments = upstream.FitName(made.Name), upstream.ObjectOrNone(made.Arguments)
		said.ToolCalls = append(said.ToolCalls, call)
	}
	return json.Marshal(said)
}

// outcome returns the JSON of a message of the role tool.
func (m message) outcome() ([]byte, error) {
	return json.Marshal(toolMessage{m.Role, m.Answers.ID, upstream.FitName(m.Answers.Name), m.Text})
}
