package responses

import (
	"encoding/json"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/schema"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// body is the body of a request with the members that are used, but for its input; see
// https://platform.openai.com/docs/api-reference/responses/create. The API knows neither stop nor seed.
type body struct {
	Model           string     `json:"model,omitempty"`
	Instructions    string     `json:"instructions,omitempty"`
	Tools           []tool     `json:"tools,omitempty"`
	ToolChoice      string     `json:"tool_choice,omitempty"` // "none"; empty means the default, "auto"
	Reasoning       *reasoning `json:"reasoning,omitempty"`
	Temperature     *float64   `json:"temperature,omitempty"`
	TopP            *float64   `json:"top_p,omitempty"`
	MaxOutputTokens int        `json:"max_output_tokens,omitempty"`
	Include         []string   `json:"include,omitempty"`
	Store           bool       `json:"store"`
	Stream          bool       `json:"stream"`

	input []input
}

type tool struct {
	Type        string    `json:"type"` // "function"
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	Parameters  wire.JSON `json:"parameters"`
	Strict      bool      `json:"strict"` // its default changes schemas
}

type reasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"` // "auto"; empty means none
}

// encrypted asks for reasoning that is sent back.
const encrypted = "reasoning.encrypted_content"

// bodyOf returns the body that asks for a streamed answer to a prompt.
func bodyOf(prompt answering.Prompt) body {
	p := prompt.Parameters
	b := body{
		Model: prompt.Model, Instructions: prompt.System, Temperature: p.Temperature, TopP: p.TopP, MaxOutputTokens: p.MaxOutputTokens,
		Stream: true, input: inputOf(prompt),
	}
	for _, one := range prompt.Tools {
		fit, _ := schema.For(schema.OpenAI, one.Parameters)
		b.Tools = append(b.Tools, tool{Type: "function", Name: one.Name, Description: one.Description, Parameters: fit})
	}
	if len(b.Tools) > 0 {
		b.Include = []string{encrypted}
		if prompt.NoCalls {
			b.ToolChoice = "none"
		}
	}
	if p.ReasoningEffort != "" || prompt.Reasoning {
		b.Reasoning = &reasoning{Effort: p.ReasoningEffort}
		if prompt.Reasoning {
			b.Reasoning.Summary = "auto"
		}
	}
	return b
}

// payload puts the input last, since the files of its images are read while it is sent.
func (b body) payload(prompt answering.Prompt, refused []string) (upstream.Payload, error) {
	all := upstream.Payload{Files: prompt.Files}
	head, err := upstream.Merge(b, prompt.Parameters.Body, refused...)
	if err != nil {
		return all, err
	}
	_, _ = all.Write(head[:len(head)-1])
	before := `,"input":[`
	for _, one := range b.input {
		_, _ = all.Write([]byte(before))
		if err := one.write(&all); err != nil {
			return all, err
		}
		before = ","
	}
	if len(b.input) == 0 {
		_, _ = all.Write([]byte(before))
	}
	_, _ = all.Write([]byte("]}"))
	return all, nil
}

func (i input) write(all *upstream.Payload) error {
	if len(i.images) == 0 {
		written := []byte(i.returned)
		if written == nil {
			var err error
			if written, err = json.Marshal(i); err != nil {
				return err
			}
		}
		_, _ = all.Write(written)
		return nil
	}
	written, err := json.Marshal(i.Content)
	if err != nil {
		return err
	}
	before := `{"role":"user","content":[`
	if i.Content != "" {
		_, _ = all.Write([]byte(before + `{"type":"input_text","text":` + string(written) + `}`))
		before = ","
	}
	for _, image := range i.images {
		_, _ = all.Write([]byte(before + `{"type":"input_image","detail":"auto","image_url":"data:` + image.MediaType + `;base64,`))
		all.WriteImage(image)
		_, _ = all.Write([]byte(`"}`))
		before = ","
	}
	_, _ = all.Write([]byte("]}"))
	return nil
}
