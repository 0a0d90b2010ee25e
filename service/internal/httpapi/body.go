package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

const (
	// What a refused client still sends is read within these bounds, so that it
	// gets the answer: a client whose connection is reset while it sends may
	// never look at what came back. It is room for all images of a message; see
	// docs/protocol.md, Limits.
	drainTime  = 10 * time.Second
	drainBytes = 128 << 20
	// What is kept of a body is read into blocks, the first of firstBlock bytes,
	// each as large as all before it up to largestBlock.
	firstBlock   = 4 << 10
	largestBlock = 256 << 10
	// readAhead is how many bytes of a body the reader of forms may have read
	// without giving them on.
	readAhead = 8 << 10
)

// body reads what a client sends, up to a limit, at a pace, and as far as there
// is room for what is kept of it.
type body struct {
	call *call
	pace pace
	read int64
	// head is the size of the head of the current part of a form.
	head   int64
	inHead bool
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
	return &body{call: c, pace: newPace(bodyPace, time.Now()), limit: limit}
}

// closeBody ends the deadline, which would cut the answer too: the server goes
// on reading to notice when the client leaves.
func (c *call) closeBody() {
	_ = c.w.control.SetReadDeadline(time.Time{})
}

// Read reads on. Its errors are io.EOF and what bodyError makes of the others.
func (b *body) Read(part []byte) (int, error) {
	_ = b.call.w.control.SetReadDeadline(b.pace.deadline()) // without deadlines, in a test, there is none
	n, err := b.call.r.Body.Read(part)
	b.pace.pass(n, time.Now())
	b.read += int64(n)
	if b.limit > 0 && b.read > b.limit {
		return 0, tooLarge(b.limit)
	}
	if b.inHead {
		if err := b.call.hold(int64(n)); err != nil {
			return 0, err
		}
		b.head += int64(n)
	}
	return n, err
}

// part gives the next part of a form. The bytes of its head, which may be as large as
// the form, are held until the next part.
func (b *body) part(parts *multipart.Reader) (*multipart.Part, error) {
	b.call.letGo(b.head)
	b.head, b.inHead = 0, true
	part, err := parts.NextPart()
	b.inHead = false
	return part, err
}

// allow makes room for some bytes more, or with a negative number for less.
func (b *body) allow(bytes int64) {
	if b.limit > 0 {
		b.limit += bytes
	}
}

// keep reads to the end. Blocks are joined at last, since a slice that grows
// is copied again and again, and is up to twice as large as what it holds.
func (b *body) keep(from io.Reader) ([]byte, error) {
	var blocks [][]byte
	held, size := 0, 0
	for next := firstBlock; ; next = min(held, largestBlock) {
		block, err := b.block(from, next)
		blocks, held, size = append(blocks, block), held+cap(block), size+len(block)
		switch {
		case err == io.EOF: // wrapped, it is a part without its end
			b.call.letGo(int64(held - size))
			return bytes.Join(blocks, nil), nil
		case err != nil:
			return nil, err
		}
	}
}

// block reads as many bytes, or as many as are left: then with io.EOF.
func (b *body) block(from io.Reader, size int) ([]byte, error) {
	if announced := b.call.r.ContentLength; announced >= 0 {
		size = int(min(int64(size), 1+announced, 1+announced-b.read+readAhead))
	}
	if largest := b.call.api.budget.largest(); largest > 0 && b.call.held+int64(size) > largest {
		return nil, tooLarge(largest)
	}
	if err := b.call.hold(int64(size)); err != nil {
		return nil, err
	}
	block, n := make([]byte, size), 0
	for n < size {
		more, err := from.Read(block[n:])
		n += more
		if err != nil {
			return block[:n], err
		}
	}
	return block, nil
}

func tooLarge(limit int64) *fault.Error {
	return &fault.Error{Code: wire.CodePayloadTooLarge, Message: fmt.Sprintf("The body is too large, want at most %d bytes", limit)}
}

// bodyError is what a client is told when its body could not be read.
func bodyError(err error) error {
	var known *fault.Error
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
	unsupported := &fault.Error{Code: wire.CodeUnsupportedMedia, Message: "Send the body as " + mediaType + " in UTF-8"}
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
