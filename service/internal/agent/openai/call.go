package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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
	calls   *calls       // nil if none may be made
	earlier int          // calls in earlier rounds
	barred  bool         // there are tools, but none may be called
	privy   func() privy // what may not be repeated of what the provider says
}

// begin sends the request and waits for the head of a 200 response. Its errors are those of
// answering.Provider.
func (p *Provider) begin(ctx context.Context, body completion) (*call, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &call{caller: ctx, silence: listen(ctx, p.timeout), earlier: body.calls(), barred: body.ToolChoice == "none"}
	c.privy = func() privy { return p.privy(body) }
	if len(body.Tools) > 0 && !c.barred {
		c.calls = new(calls)
	}
	response, err := p.post(c.contact.trace(c.silence.ctx), body)
	if err != nil {
		err = c.failure(err)
		c.silence.end()
		return nil, err
	}
	if err := c.read(response); err != nil {
		err = c.failure(err)
		c.close()
		return nil, err
	}
	return c, nil
}

// read prepares the response's body so that it can be read as events. An object instead of events is
// a failure of a gateway that has already said 200.
func (c *call) read(response *http.Response) error {
	c.media = response.Header.Get("Content-Type")
	buffered := bufio.NewReaderSize(&bounded{Reader: heard{response.Body, c.silence}}, 0) // size 0, because the decoder has its own buffer
	// A byte order mark would make the decoder lose the first event without an error.
	mark, _ := buffered.Peek(3)
	if string(mark) == "\ufeff" {
		_, _ = buffered.Discard(3)
	}
	if beginsObject(mark) {
		body, _ := io.ReadAll(io.LimitReader(buffered, errorBytes))
		if err := c.reports(body); err != nil {
			_ = response.Body.Close()
			return err
		}
		buffered = bufio.NewReader(bytes.NewReader(body))
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{buffered, response.Body}
	c.decoder = ssestream.NewDecoder(response)
	return nil
}

// beginsObject reports whether bytes begin JSON. No line of a stream of events does.
func beginsObject(start []byte) bool {
	start = bytes.TrimSpace(start)
	return len(start) > 0 && (start[0] == '{' || start[0] == '[')
}

// reports returns the failure that a body with status 200 is, nil if it is none.
func (c *call) reports(body []byte) error {
	var value any
	if json.Unmarshal(body, &value) != nil || !isFailure(value) {
		return nil
	}
	t := tell(body)
	return kindOf(http.StatusOK, t).fault(causeOf("status 200 with an error", t, c.privy()))
}

// close ends the request, in whatever state it is.
func (c *call) close() {
	c.silence.end()
	if c.decoder != nil {
		_ = c.decoder.Close()
	}
}
