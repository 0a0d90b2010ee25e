package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

const eventStream = "text/event-stream"

// heartbeat is a comment line, which readers ignore.
const heartbeat = ":\n\n"

// cachingOf says that a stream is stored nowhere. Nothing stores the answer to a POST that names no lifetime (RFC 9111,
// section 3), so there no-cache is enough: Chromium 156 shows a streamed response with no-store as "(canceled)",
// although it came whole (github.com/microsoft/playwright/issues/42742).
func cachingOf(r *http.Request) string {
	if r.Method == http.MethodPost {
		return "no-cache, no-transform"
	}
	return "no-store, no-transform"
}

// writeStream sends the events of an answer as they come, and a heartbeat after each silence. If
// the client leaves, only the reading ends: the answer goes on.
func (c *exchange) writeStream(stream *chat.Stream) error {
	header := c.w.Header()
	header.Set("Content-Type", eventStream)
	header.Set("Cache-Control", cachingOf(c.r))
	header.Set("X-Accel-Buffering", "no")
	c.w.WriteHeader(http.StatusOK)
	if c.r.Method == http.MethodHead {
		return nil
	}

	reader := stream.Read()
	defer reader.Close()
	silence := time.NewTimer(c.api.config.Heartbeat)
	defer silence.Stop()
	for {
		events, err := reader.Next(c.r.Context(), silence.C)
		switch {
		case err != nil:
			return nil // the stream ended, or the client will resume later
		case len(events) > 0:
			err = c.writeEvents(events)
		default:
			err = c.writeText([]byte(heartbeat))
		}
		if err != nil {
			return nil // the client left; the answer goes on without it
		}
		silence.Reset(c.api.config.Heartbeat)
	}
}

// writeEvents sends all events of a batch together. If the budget has no room for them, it cuts
// the connection, and the client resumes later.
func (c *exchange) writeEvents(events []chat.Event) error {
	var text []byte
	for _, event := range events {
		text = appendEvent(text, event, c.api.dataOf(event))
	}
	if err := c.holdAnswer(len(text)); err != nil {
		panic(http.ErrAbortHandler)
	}
	defer func() { c.letGo(c.held) }()
	return c.writeText(text)
}

// dataOf returns the data of an event on the wire. For a failure it is the error's body, and images have addresses.
func (a *api) dataOf(event chat.Event) []byte {
	var failure chat.Failure
	switch isObject := event.Type == wire.EventMessageObject || event.Type == wire.EventComplete; {
	case isObject && bytes.Contains(event.Data, []byte(`"image_urls"`)):
		return a.addressedIn(event.Data)
	case event.Type != wire.EventError || json.Unmarshal(event.Data, &failure) != nil:
		return event.Data
	}
	return encodeJSON(bodyOf(failure.AsError()))
}

// appendEvent writes an event in the format of WHATWG HTML, section 9.2.6.
func appendEvent(text []byte, event chat.Event, data []byte) []byte {
	text = append(text, "id: "...)
	text = strconv.AppendInt(text, event.ID, 10)
	text = append(text, "\nevent: "...)
	text = append(text, event.Type...)
	text = append(text, "\ndata: "...)
	text = append(text, data...)
	return append(text, "\n\n"...)
}

func (c *exchange) writeText(text []byte) error {
	if _, err := c.w.Write(text); err != nil {
		return err
	}
	return c.w.flush()
}
