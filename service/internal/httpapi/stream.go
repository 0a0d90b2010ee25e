package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/chat"
)

const eventStream = "text/event-stream"

// heartbeat is a comment, which readers pass over.
const heartbeat = ":\n\n"

// writeStream sends the events of an answer as they come, and a comment after
// each silence. A client that leaves ends the reading and nothing else.
func (c *call) writeStream(stream *chat.Stream) error {
	header := c.w.Header()
	header.Set("Content-Type", eventStream)
	header.Set("Cache-Control", "no-store, no-transform")
	header.Set("X-Accel-Buffering", "no")
	c.w.WriteHeader(http.StatusOK)
	if c.r.Method == http.MethodHead {
		return nil
	}

	ctx, leave := context.WithCancel(c.r.Context())
	batches := follow(ctx, stream)
	defer func() {
		leave()
		for range batches {
			// Until the reader has let go.
		}
	}()
	silence := time.NewTimer(c.api.config.Heartbeat)
	defer silence.Stop()
	for {
		var err error
		select {
		case events, more := <-batches:
			if !more {
				return nil
			}
			err = c.writeEvents(events)
		case <-silence.C:
			err = c.writeText([]byte(heartbeat))
		}
		if err != nil {
			return nil // the client is gone; the answer goes on without it
		}
		silence.Reset(c.api.config.Heartbeat)
	}
}

// follow reads a stream until its end or that of ctx.
func follow(ctx context.Context, stream *chat.Stream) <-chan []chat.Event {
	batches := make(chan []chat.Event)
	go func() {
		defer close(batches)
		for events, err := range stream.Events(ctx) {
			if err != nil {
				return
			}
			select {
			case batches <- events:
			case <-ctx.Done():
				return
			}
		}
	}()
	return batches
}

// writeEvents sends all of a batch together. If there is no room for it, the
// connection is cut, and the client resumes later.
func (c *call) writeEvents(events []chat.Event) error {
	var text []byte
	for _, event := range events {
		text = appendEvent(text, event)
	}
	if err := c.holdAnswer(len(text)); err != nil {
		panic(http.ErrAbortHandler)
	}
	defer func() { c.letGo(c.held) }()
	return c.writeText(text)
}

// appendEvent writes an event as WHATWG HTML, section 9.2.6, reads it.
func appendEvent(text []byte, event chat.Event) []byte {
	text = append(text, "id: "...)
	text = strconv.AppendInt(text, event.ID, 10)
	text = append(text, "\nevent: "...)
	text = append(text, event.Type...)
	text = append(text, "\ndata: "...)
	text = append(text, event.Data...)
	return append(text, "\n\n"...)
}

func (c *call) writeText(text []byte) error {
	if _, err := c.w.Write(text); err != nil {
		return err
	}
	return c.w.flush()
}
