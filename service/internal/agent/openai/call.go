package openai

import (
	"bufio"
	"context"
	"encoding/base64"
	"io"
	"net/http"

	api "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// call is one request and its response.
type call struct {
	caller  context.Context // ends when the caller has had enough
	silence *silence
	contact contact
	media   string // of the response
	decoder ssestream.Decoder
	events  int
	text    text
}

// request is the body of a call.
func request(prompt chat.Prompt) api.ChatCompletionNewParams {
	body := api.ChatCompletionNewParams{Model: prompt.Model}
	if prompt.System != "" {
		body.Messages = append(body.Messages, api.SystemMessage(prompt.System))
	}
	for _, message := range prompt.Messages {
		if message.Role == wire.RoleAssistant {
			body.Messages = append(body.Messages, api.AssistantMessage(message.Text))
		} else {
			body.Messages = append(body.Messages, userMessage(message))
		}
	}
	return body
}

// userMessage is a text alone, which every server takes, unless there are
// images.
func userMessage(message chat.PromptMessage) api.ChatCompletionMessageParamUnion {
	if len(message.Images) == 0 {
		return api.UserMessage(message.Text)
	}
	parts := []api.ChatCompletionContentPartUnionParam{api.TextContentPart(message.Text)}
	for _, image := range message.Images {
		address := "data:" + image.MediaType + ";base64," + base64.StdEncoding.EncodeToString(image.Content)
		parts = append(parts, api.ImageContentPart(api.ChatCompletionContentPartImageImageURLParam{URL: address}))
	}
	return api.UserMessage(parts)
}

// begin sends the request and waits for the head of a 200. Its errors are as
// chat.Provider has them.
func (p *Provider) begin(ctx context.Context, body api.ChatCompletionNewParams) (*call, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &call{caller: ctx, silence: listen(ctx, p.timeout)}
	var response *http.Response
	_, err := p.completions.New(c.contact.trace(c.silence.ctx), body,
		option.WithJSONSet("stream", true), option.WithResponseBodyInto(&response))
	if err != nil {
		err = c.failure(err)
		c.silence.end()
		return nil, err
	}
	c.read(response)
	return c, nil
}

// read makes the response's body ready to be read as events.
func (c *call) read(response *http.Response) {
	c.media = response.Header.Get("Content-Type")
	buffered := bufio.NewReader(heard{response.Body, c.silence})
	// A byte order mark would make the decoder lose the first event, silently.
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" {
		_, _ = buffered.Discard(3)
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{buffered, response.Body}
	c.decoder = ssestream.NewDecoder(response)
}

// close ends the request, wherever it stands.
func (c *call) close() {
	c.silence.end()
	_ = c.decoder.Close()
}
