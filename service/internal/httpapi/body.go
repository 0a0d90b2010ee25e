package httpapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

const (
	// A body has bodyTime, and one second more for each bodyPace bytes that
	// came. A client that sends a byte now and then holds nothing for long.
	bodyTime = time.Minute
	bodyPace = 16 << 10
	// What a refused client still sends is read within these bounds, so that it
	// gets the answer: a client whose connection is reset while it sends may
	// never look at what came back. It is room for the images of section 1 of
	// the contract.
	drainTime  = 10 * time.Second
	drainBytes = 128 << 20
)

// body reads what a client sends, up to a limit and at a pace.
type body struct {
	from    io.Reader
	control *http.ResponseController
	begun   time.Time
	read    int64
	// limit is in bytes, 0 for none.
	limit int64
}

// hasBody tells whether the client sends a body.
func (c *call) hasBody() bool {
	return c.r.Body != nil && c.r.Body != http.NoBody
}

// awaitBody bounds the time of a body that the route doesn't ask for: the server
// reads what is left of it before it answers.
func (c *call) awaitBody() {
	if c.hasBody() {
		_ = c.w.control.SetReadDeadline(time.Now().Add(drainTime)) // without deadlines, in a test, there is none
	}
}

// openBody asks the client for its body. The caller calls closeBody when it has
// all of it.
func (c *call) openBody(limit int64) *body {
	c.reading = true
	return &body{from: c.r.Body, control: c.w.control, begun: time.Now(), limit: limit}
}

// closeBody ends the deadline, which would cut the answer too: the server goes
// on reading to notice when the client leaves.
func (c *call) closeBody() {
	_ = c.w.control.SetReadDeadline(time.Time{})
}

// Read reads on. Its errors are io.EOF and what bodyError makes of the others.
func (b *body) Read(part []byte) (int, error) {
	allowed := bodyTime + time.Duration(b.read/bodyPace)*time.Second
	_ = b.control.SetReadDeadline(b.begun.Add(allowed)) // without deadlines, in a test, there is none
	n, err := b.from.Read(part)
	b.read += int64(n)
	if b.limit > 0 && b.read > b.limit {
		return 0, tooLarge(b.limit)
	}
	return n, err
}

// allow makes room for some bytes more, or with a negative number for less.
func (b *body) allow(bytes int64) {
	if b.limit > 0 {
		b.limit += bytes
	}
}

func tooLarge(limit int64) *chat.Error {
	return &chat.Error{Code: wire.CodePayloadTooLarge, Message: fmt.Sprintf("The body is too large, want at most %d bytes", limit)}
}

// bodyError is what a client is told when its body could not be read.
func bodyError(err error) error {
	var known *chat.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, os.ErrDeadlineExceeded):
		return invalid("The body came too slowly")
	}
	return invalid("The body was cut short")
}

// drain reads what a refused client still sends. A client that waits to be
// asked is not asked. Where more is to come the deadline stands: it ends the
// server's own reading, and with it the connection, behind the answer.
func (c *call) drain() {
	if !c.hasBody() {
		return
	}
	_ = c.w.control.SetReadDeadline(time.Now().Add(drainTime))
	if !c.reading && strings.EqualFold(c.r.Header.Get("Expect"), "100-continue") {
		return
	}
	if _, err := io.CopyN(io.Discard, c.r.Body, drainBytes); err == io.EOF {
		c.closeBody()
	}
}

// wants refuses a body that is of another type than the route takes. It gives
// the parameters of the type.
func (c *call) wants(mediaType string) (map[string]string, error) {
	unsupported := &chat.Error{Code: wire.CodeUnsupportedMedia, Message: "Send the body as " + mediaType + " in UTF-8"}
	types := c.r.Header.Values("Content-Type")
	if len(types) != 1 {
		return nil, unsupported
	}
	given, parameters, err := mime.ParseMediaType(types[0])
	if err != nil || given != mediaType {
		return nil, unsupported
	}
	if charset := parameters["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil, unsupported
	}
	if encoding := c.r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, unsupported
	}
	return parameters, nil
}
