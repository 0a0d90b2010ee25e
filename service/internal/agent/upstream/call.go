package upstream

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Call is one request and its response.
type Call struct {
	// Log is the client's, and Privy the request's.
	Log   *slog.Logger
	Privy func() Privy

	caller  context.Context // ends when the caller leaves
	silence *silence
	contact contact
	media   string // of the response
	body    io.Closer
	stream  *events
	events  int            // that were read
	missed  map[string]int // how often something was sent that is not read
}

// Open sends a request until the provider responds with status 200, at most 1 + repeats times, and once more for each
// change after a refusal. Its errors are those
// of answering.Provider. As long as bytes arrive within the timeout, the call keeps waiting, whatever they are: hidden
// reasoning and comment lines also show that the provider is working. The caller's time between events is not counted.
// The caller calls Close.
func (c *Client) Open(ctx context.Context, r Request) (*Call, error) {
	for attempt, changes := 0, 0; ; attempt++ {
		call, err := c.begin(ctx, r)
		if err == nil {
			return call, nil
		}
		if next, ok := r.changed(err); ok && changes < mostChanges {
			r, attempt, changes = next, attempt-1, changes+1
			continue
		}
		delay, isRepeated := c.delay(attempt, err)
		if !isRepeated {
			return nil, known(err)
		}
		if err := c.pause(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// begin sends the request and waits for the head of a 200 response.
func (c *Client) begin(ctx context.Context, r Request) (*Call, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r = c.guarded(r)
	call := &Call{caller: ctx, silence: listen(ctx, c.timeout), Log: c.Log, Privy: r.Privy}
	response, err := c.post(call.contact.trace(call.silence.ctx), r)
	if err != nil {
		err = call.failure(err)
		call.silence.end()
		return nil, err
	}
	if err := call.read(response); err != nil {
		err = call.failure(err)
		call.Close()
		return nil, err
	}
	return call, nil
}

// read prepares the response's body so that it can be read as events. JSON instead of events is an
// answer of a server that does not stream, or a failure of a gateway that has already said 200.
func (c *Call) read(response *http.Response) error {
	c.media = response.Header.Get("Content-Type")
	c.body = response.Body
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return NoAnswer(errors.New("a response in an encoding that was not asked for; only gzip is"))
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
func (c *Call) reports(body []byte) error {
	var value any
	if json.Unmarshal(body, &value) != nil || !isFailure(value) {
		return nil
	}
	t := tell(body)
	failure := kindOf(http.StatusOK, t).fault(causeOf("status 200 with an error", t, c.Privy()))
	if failure.Code == wire.CodeUnavailable {
		return again{fault: failure}
	}
	return failure
}

// Close ends the request, in whatever state it is.
func (c *Call) Close() {
	c.silence.end()
	if c.body != nil {
		_ = c.body.Close()
	}
}

// Next returns the next event. At the end of the body the error is io.EOF; give any error to Cut or Failure.
func (c *Call) Next() (Event, error) {
	event, err := c.stream.next()
	if err == nil {
		c.events++
		event.Data = dataOf(event.Data)
	}
	return event, err
}

// Left returns the error of the caller's context, nil as long as the caller waits.
func (c *Call) Left() error { return c.caller.Err() }

// IsSilent reports whether the provider has been silent for too long, or for the time of Within.
func (c *Call) IsSilent() bool { return c.silence.ctx.Err() != nil }

// Within makes all waits from now on share a time; 0 gives each its own again.
func (c *Call) Within(pause time.Duration) { c.silence.within(pause) }

// Failure turns an error of an answer that has begun into one of those of answering.Provider.
func (c *Call) Failure(err error) error { return known(c.failure(err)) }

// Reported returns the error that an event reports, nil if it reports none. The answer has begun, so
// the caller may not ask again: the code is wire.CodeProviderFailed, whatever the kind.
func (c *Call) Reported(event Event) error {
	t, ok := tellEvent(event)
	if !ok {
		return nil
	}
	kind := kindOf(http.StatusOK, t)
	failure := failed(kind.message, causeOf(fmt.Sprintf("error in event %d", c.events), t, c.Privy()))
	if kind.reason != "" {
		failure.Reason = kind.reason
	}
	return failure
}

// At says in which event something is wrong.
func (c *Call) At(wrong error) error { return fmt.Errorf("event %d: %w", c.events, wrong) }

// Cut returns the error of a stream that ended too early, with how its body ended. hasBegun says that a part of an
// answer has come.
func (c *Call) Cut(err error, hasBegun bool) error {
	if err != io.EOF {
		return failed("The model's answer broke off", fmt.Errorf("after %d events: %w", c.events, cause(err)))
	}
	if !hasBegun {
		return NoAnswer(fmt.Errorf("no part of an answer in a response of %s, want text/event-stream", mediaType(c.media)))
	}
	return failed("The model's answer broke off", ErrUnended)
}

// Broke logs that a connection broke after the end of its answer.
func (c *Call) Broke(err error) {
	c.Log.Info("the connection to the provider broke after the end of an answer", "error", cause(err))
}

// Miss counts what was sent and is not read.
func (c *Call) Miss(what string) {
	if c.missed == nil {
		c.missed = map[string]int{}
	}
	c.missed[what]++
}

// TellMissed logs what was sent and is not read.
func (c *Call) TellMissed() {
	for what, times := range c.missed {
		c.Log.Warn("the provider sent something that is not read", "what", what, "times", times)
	}
}
