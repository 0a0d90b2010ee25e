package openai

import (
	"bufio"
	"context"
	"io"
	"net/http"

	"github.com/openai/openai-go/v3/packages/ssestream"
)

// call is one request and its response.
type call struct {
	caller  context.Context // ends when the caller leaves
	silence *silence
	contact contact
	media   string // of the response
	decoder ssestream.Decoder
	events  int
	text    text
	calls   *calls // nil if none may be made
	earlier int    // calls in earlier rounds
	barred  bool   // there are tools, but none may be called
}

// begin sends the request and waits for the head of a 200 response. Its errors are those of
// chat.Provider.
func (p *Provider) begin(ctx context.Context, body completion) (*call, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &call{caller: ctx, silence: listen(ctx, p.timeout), earlier: body.calls(), barred: body.ToolChoice == "none"}
	if len(body.Tools) > 0 && !c.barred {
		c.calls = new(calls)
	}
	response, err := p.post(c.contact.trace(c.silence.ctx), body)
	if err != nil {
		err = c.failure(err)
		c.silence.end()
		return nil, err
	}
	c.read(response)
	return c, nil
}

// read prepares the response's body so that it can be read as events.
func (c *call) read(response *http.Response) {
	c.media = response.Header.Get("Content-Type")
	buffered := bufio.NewReaderSize(heard{response.Body, c.silence}, 0) // size 0, because the decoder has its own buffer
	// A byte order mark would make the decoder lose the first event without an error.
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" {
		_, _ = buffered.Discard(3)
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{buffered, response.Body}
	c.decoder = ssestream.NewDecoder(response)
}

// close ends the request, in whatever state it is.
func (c *call) close() {
	c.silence.end()
	_ = c.decoder.Close()
}
