package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// call is one request and its response.
type call struct {
	caller   context.Context // ends when the caller leaves
	silence  *silence
	contact  contact
	media    string // of the response
	body     io.Closer
	stream   *events
	events   int  // that were read
	chosen   bool // a part of an answer has come
	text     text
	thoughts thoughts
	reason   string         // the finish reason that counts, empty if none has come
	ended    bool           // a reason has come, and nothing of the answer since
	linger   time.Duration  // how long to wait after a reason for more
	missed   map[string]int // how often something was sent that is not read
	// mayBeSilent is set if an earlier round has text.
	mayBeSilent bool
	calls       *calls // nil if none may be made
	earlier     int    // calls in earlier rounds
	barred      bool   // there are tools, but none may be called
	spoke       bool   // text has been said
	log         *slog.Logger
	privy       func() privy // what may not be repeated of what the provider says
}

// begin sends the request and waits for the head of a 200 response. Its errors are those of
// answering.Provider.
func (p *Provider) begin(ctx context.Context, body completion) (*call, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &call{caller: ctx, silence: listen(ctx, p.timeout), earlier: body.calls(), barred: body.ToolChoice == "none", log: p.log, linger: p.linger}
	c.mayBeSilent = body.hasSpoken()
	c.privy = func() privy { return p.privy(body) }
	if len(body.Tools) > 0 && !c.barred {
		c.calls = new(calls)
		for _, one := range body.Tools {
			c.calls.offered = append(c.calls.offered, one.Function.Name)
		}
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

// read prepares the response's body so that it can be read as events. JSON instead of events is an
// answer of a server that does not stream, or a failure of a gateway that has already said 200.
func (c *call) read(response *http.Response) error {
	c.media = response.Header.Get("Content-Type")
	c.body = response.Body
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return failed("The model sent something that is not an answer", errors.New("a response in an encoding that was not asked for; only gzip is"))
	}
	body := bufio.NewReaderSize(heard{response.Body, c.silence}, 16)
	start, _ := body.Peek(3)
	if !beginsObject(start) {
		c.stream = newEvents(body)
		return nil
	}
	whole, err := io.ReadAll(io.LimitReader(body, eventBytes))
	if err != nil && c.silence.ctx.Err() != nil {
		return err
	}
	c.stream = objects(whole)
	return c.reports(whole)
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
	failure := kindOf(http.StatusOK, t).fault(causeOf("status 200 with an error", t, c.privy()))
	if failure.Code == wire.CodeUnavailable {
		return again{fault: failure}
	}
	return failure
}

// close ends the request, in whatever state it is.
func (c *call) close() {
	c.silence.end()
	if c.body != nil {
		_ = c.body.Close()
	}
}
