package openai

import (
	"encoding/json"
	"slices"
	"strings"

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
	said := message{Role: "assistant", Text: round.Text, Returned: round.Returned}
	var outcomes []message
	for _, call := range round.Calls {
		said.Calls = append(said.Calls, call.ModelCall)
		outcomes = append(outcomes, message{Role: "tool", Text: call.Outcome, Answers: call.ModelCall})
	}
	if said.Text == "" && len(said.Calls) == 0 {
		return
	}
	c.Messages = append(append(c.Messages, said), outcomes...)
	if note, given := upstream.Given(round); len(given) > 0 { // no outcome takes images
		c.Messages = append(c.Messages, message{Role: "user", Text: note, Images: given})
	}
}

// calls returns how many calls the messages have.
func (c completion) calls() (count int) {
	for _, m := range c.Messages {
		count += len(m.Calls)
	}
	return count
}

// toolMessage is the outcome of a call. The name is for servers that don't look it up by the id.
type toolMessage struct {
	Role    string `json:"role"`
	ID      string `json:"tool_call_id"`
	Name    string `json:"name"`
	Content string `json:"content"`
}

// withCalls returns the JSON of a message with Calls, and what its provider wants back with them: Gemini refuses a call
// without its signature, and DeepSeek one whose message lacks its reasoning. Without text the content is null, because
// Gemini and Ollama refuse an empty one, and others a missing one.
func (m message) withCalls(refused []string) ([]byte, error) {
	said := without(m.back(), refused)
	content, err := m.content(said["content"])
	if err != nil {
		return nil, err
	}
	said["role"], said["content"] = m.Role, content
	var calls []map[string]any
	for _, made := range m.Calls {
		call := without(extraOf(made.Extra), refused)
		delete(call, earlyReasoning)
		function := map[string]json.RawMessage{}
		if own, ok := call["function"].(json.RawMessage); ok {
			_ = json.Unmarshal(own, &function) // another form counts as none
		}
		callee := without(function, refused)
		callee["name"], callee["arguments"] = upstream.FitName(made.Name), upstream.ObjectOrNone(made.Arguments)
		call["id"], call["type"], call["function"] = made.ID, "function", callee
		calls = append(calls, call)
	}
	said["tool_calls"] = calls
	return json.Marshal(said)
}

// content returns the content of a message with Calls: its text, or what its provider wants in its place, which is the
// text with the reasoning in it, or parts of reasoning that precede the text.
func (m message) content(own any) (any, error) {
	isBlank := strings.TrimSpace(m.Text) == ""
	given, _ := own.(json.RawMessage)
	switch {
	case len(given) > 0 && given[0] == '"':
		return given, nil
	case len(given) > 0 && given[0] == '[':
		var parts []any
		if err := json.Unmarshal(given, &parts); err != nil {
			return nil, err
		}
		if !isBlank {
			parts = append(parts, map[string]string{"type": "text", "text": m.Text})
		}
		return parts, nil
	case isBlank:
		return nil, nil
	}
	return m.Text, nil
}

// without returns members that are not refused.
func without(members map[string]json.RawMessage, refused []string) map[string]any {
	all := map[string]any{}
	for name, value := range members {
		if !slices.Contains(refused, name) {
			all[name] = value
		}
	}
	return all
}

// outcome returns the JSON of a message of the role tool.
func (m message) outcome() ([]byte, error) {
	return json.Marshal(toolMessage{m.Role, m.Answers.ID, upstream.FitName(m.Answers.Name), m.Text})
}
