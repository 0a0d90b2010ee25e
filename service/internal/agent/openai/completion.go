package openai

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// completion is the body of a request with the fields that are used; see
// https://platform.openai.com/docs/api-reference/chat/create.
type completion struct {
	Model          string          `json:"model,omitempty"`
	Messages       []message       `json:"-"` // see payload
	Stream         bool            `json:"stream,omitempty"`
	StreamOptions  *streamOptions  `json:"stream_options,omitempty"`
	Tools          []tool          `json:"tools,omitempty"`
	ToolChoice     string          `json:"tool_choice,omitempty"` // "none"; empty means the provider's default, "auto"
	ResponseFormat *responseFormat `json:"response_format,omitempty"`
	parameters
	// Files has the images of the messages.
	Files images.Files `json:"-"`
	// Alternate says that the roles of the messages have to alternate, beginning with the user.
	Alternate bool `json:"-"`
	// Refused are the names of members that the model's server refuses: they are not sent. See learnt.
	Refused []string `json:"-"`
}

type message struct {
	Role   string
	Text   string
	Images []images.Image
	// Calls are the calls that an assistant made in the message.
	Calls []toolcall.ModelCall
	// Answers is the call that a message of the role tool answers.
	Answers toolcall.ModelCall
	// Returned is what a provider wants back with what the assistant said; see returned.
	Returned wire.JSON
}

// responseFormat asks for structured output.
type responseFormat struct {
	Type       string      `json:"type"` // "json_schema" or "json_object"
	JSONSchema *jsonSchema `json:"json_schema,omitempty"`
}

type jsonSchema struct {
	Name   string         `json:"name"`
	Strict bool           `json:"strict"`
	Schema map[string]any `json:"schema"`
}

// chunk is an event of a stream, or a whole answer; see
// https://platform.openai.com/docs/api-reference/chat-streaming/streaming.
type chunk struct {
	Choices []choice        `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
	Groq    json.RawMessage `json:"x_groq"`
}

type choice struct {
	Index position `json:"index"`
	Delta *delta   `json:"delta"`
	// Message is in an answer that is not streamed.
	Message *delta `json:"message"`
	// Text is in chunks of servers that continue a text.
	Text         json.RawMessage `json:"text"`
	Usage        json.RawMessage `json:"usage"`
	FinishReason loose           `json:"finish_reason"`
	Reason       loose           `json:"finishReason"`
}

// delta keeps strings undecoded, because a piece can end inside a code point.
type delta struct {
	Content json.RawMessage `json:"content"`
	Refusal json.RawMessage `json:"refusal"`
	Audio   any             `json:"audio"`
	Images  json.RawMessage `json:"images"`
	// ToolCalls are only read if there are tools.
	ToolCalls []callPiece `json:"tool_calls"`
	// FunctionCall is the one call of servers that know no list of them.
	FunctionCall *callee `json:"function_call"`
	// others are the other members, as long as they may belong to the answer: reasoning, and what nobody knows.
	others map[string]json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *delta) UnmarshalJSON(data []byte) (err error) {
	type plain delta
	err = json.Unmarshal(data, (*plain)(d))
	hasMore := len(d.Content) == 0 || len(data) > len(`{"content":}`)+len(d.Content) // most have not, and looking takes as long again
	if err == nil && hasMore {
		d.others, err = othersOf(data, "role", "content", "refusal", "audio", "images", "tool_calls", "function_call", "name", "tool_call_id",
			"annotations", "citations", "logprobs", "token_ids")
	}
	return err
}

// reasoning returns what the model thinks. The same is often sent under several names.
func (d delta) reasoning() []spoken {
	for _, name := range []string{"reasoning_content", "reasoning", "reasoning_details", "thinking", "thinking_blocks", "thought"} {
		all, _, _ := contentOf(d.others[name]) // what is no text is left out
		all = slices.DeleteFunc(all, func(one spoken) bool { return one.literal == `""` })
		for i := range all {
			all[i].isThought = true
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

// othersOf returns the members of a JSON object that have none of these names, nil for none.
func othersOf(data json.RawMessage, names ...string) (others map[string]json.RawMessage, err error) {
	err = json.Unmarshal(data, &others)
	for _, name := range names {
		delete(others, name)
	}
	return others, err
}

// request returns the body that asks for a streamed answer to prompt, without what the model's server refused.
func request(prompt answering.Prompt, refused []string) completion {
	body := completion{Model: prompt.Model, Stream: true, StreamOptions: &streamOptions{true}, Files: prompt.Files, Refused: refused, Alternate: prompt.Alternate}
	body.parameters = parametersOf(prompt.Parameters)
	if prompt.System != "" {
		body.Messages = append(body.Messages, message{Role: "system", Text: prompt.System})
	}
	for _, m := range prompt.Messages {
		role := "user"
		if m.Role == wire.RoleAssistant {
			role = "assistant"
		}
		body.Messages = append(body.Messages, message{Role: role, Text: m.Text, Images: m.Images})
	}
	body.offer(prompt)
	return body
}

// hasSpoken reports whether an earlier round of the answer has text.
func (c completion) hasSpoken() bool {
	return slices.ContainsFunc(c.Messages, func(m message) bool { return len(m.Calls) > 0 && m.Text != "" })
}

// privy returns what was sent with body.
func (p *Provider) privy(body completion) upstream.Privy {
	all := upstream.Privy{Key: p.client.Key, Names: []string{body.Model}, Tools: len(body.Tools)}
	for _, one := range body.Tools {
		all.Names = append(all.Names, one.Function.Name)
	}
	for _, m := range body.Messages {
		all.Said = append(all.Said, m.Text)
		for _, call := range m.Calls {
			all.Said = append(all.Said, call.Arguments)
		}
	}
	return all
}

// sent returns the request with body.
func (p *Provider) sent(body completion) (upstream.Request, error) {
	data, err := body.payload()
	if err != nil {
		return upstream.Request{}, fmt.Errorf("openai: a question cannot be encoded as JSON: %w", err)
	}
	r := upstream.Request{Path: []string{"chat", "completions"}, Body: data, Privy: func() upstream.Privy { return p.privy(body) }}
	r.Change = func(o upstream.Objection) (upstream.Request, bool) { return p.change(body, o) }
	const key = "Authorization"
	r.Header, r.Query = upstream.Over(body.Headers, map[string]string{key: "Bearer " + p.client.Key}), body.Query
	if p.client.Key == "" {
		delete(r.Header, key)
	}
	return r, nil
}
