package openai

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// completion is the body of a request, as far as it is used; see
// https://platform.openai.com/docs/api-reference/chat/create.
type completion struct {
	Model          string          `json:"model,omitempty"`
	Messages       []message       `json:"messages"`
	Stream         bool            `json:"stream,omitempty"`
	ResponseFormat *responseFormat `json:"response_format,omitempty"`
}

// message has a string as its content, which every server takes, or with images
// a []part.
type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

type part struct {
	Type     string    `json:"type"` // "text" or "image_url"
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
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

// chunk is an event of a stream; see
// https://platform.openai.com/docs/api-reference/chat-streaming/streaming.
type chunk struct {
	Choices []struct {
		Index        int    `json:"index"`
		Delta        delta  `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
}

// delta keeps its texts as they stood: a piece can end inside a code point.
type delta struct {
	Content json.RawMessage `json:"content"`
	Refusal json.RawMessage `json:"refusal"`
}

// response is one that is not streamed.
type response struct {
	Choices []struct {
		Message struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
}

// request is the body that asks for a streamed answer to prompt.
func request(prompt chat.Prompt) completion {
	body := completion{Model: prompt.Model, Stream: true}
	if prompt.System != "" {
		body.Messages = append(body.Messages, message{"system", prompt.System})
	}
	for _, m := range prompt.Messages {
		if m.Role == wire.RoleAssistant {
			body.Messages = append(body.Messages, message{"assistant", m.Text})
		} else {
			body.Messages = append(body.Messages, message{"user", userContent(m)})
		}
	}
	return body
}

func userContent(m chat.PromptMessage) any {
	if len(m.Images) == 0 {
		return m.Text
	}
	parts := []part{{Type: "text", Text: m.Text}}
	for _, image := range m.Images {
		address := "data:" + image.MediaType + ";base64," + base64.StdEncoding.EncodeToString(image.Content)
		parts = append(parts, part{Type: "image_url", ImageURL: &imageURL{address}})
	}
	return parts
}

// post sends body and waits for the head of a 200; any other is an error, as
// refusal has it. The caller closes the response's body.
func (p *Provider) post(ctx context.Context, body completion) (*http.Response, error) {
	response, err := p.send(ctx, body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		defer func() { _ = response.Body.Close() }()
		return nil, refusal(response)
	}
	return response, nil
}

// send sends body and waits for the head of a response, of any status.
func (p *Provider) send(ctx context.Context, body completion) (*http.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("openai: a question cannot be JSON: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.address, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if p.key != "" {
		request.Header.Set("Authorization", "Bearer "+p.key)
	}
	return p.client.Do(request)
}
