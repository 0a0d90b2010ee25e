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
	// The service keeps reading what a refused client still sends, within these bounds, so that
	// the client gets the answer: if the connection is reset while a client sends, it may never
	// read the answer. The bytes are enough for all images of a message; see
	// docs/protocol.md, Limits.
	drainTime  = 10 * time.Second
	drainBytes = 128 << 20
	// A body is kept in blocks. The first has firstBlock bytes, and each later one is as
	// large as all before it together, up to largestBlock.
	firstBlock   = 4 << 10
	largestBlock = 256 << 10
	// readAhead is how many bytes of a body the reader of forms may have buffered without passing
	// them on.
	readAhead = 8 << 10
)

// body reads what a client sends: up to a limit, at a minimum speed, and only while the budget
// has room for what is kept.
type body struct {
	call *exchange
	pace pace
	read int64
	// head is the size of the head of the current part of a form.
	head   int64
	inHead bool
	// limit is in bytes, 0 for none.
	limit int64
}

// hasBody reports whether the client sends a body.
func (c *exchange) hasBody() bool {
	return c.r.Body != nil && c.r.Body != http.NoBody
}

// awaitBody sets a deadline for a body that the route doesn't ask for, because the server reads
// the rest of it before it answers.
func (c *exchange) awaitBody() {
	if c.hasBody() {
		_ = c.w.control.SetReadDeadline(time.Now().Add(drainTime)) // fails only in tests, whose writer has no deadlines
	}
}

// openBody asks the client for its body. The caller calls closeBody when it has
// all of it.
func (c *exchange) openBody(limit int64) *body {
	c.reading = true
	return &body{call: c, pace: newPace(bodyPace, time.Now()), limit: limit}
}

// closeBody removes the deadline, which would cut the answer too: the server keeps reading so
// that it notices when the client leaves.
func (c *exchange) closeBody() {
	_ = c.w.control.SetReadDeadline(time.Time{})
}

// Read reads the next bytes. It returns io.EOF as it is, and every other error as bodyError maps
// it.
func (b *body) Read(part []byte) (int, error) {
	_ = b.call.w.control.SetReadDeadline(b.pace.deadline()) // fails only in tests, whose writer has no deadlines
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

// part returns the next part of a form. The bytes of its head, which may be as large as the form,
// stay counted until the next part.
func (b *body) part(parts *multipart.Reader) (*multipart.Part, error) {
	b.call.letGo(b.head)
	b.head, b.inHead = 0, true
	part, err := parts.NextPart()
	b.inHead = false
	return part, err
}

// allow raises the limit by some bytes, or lowers it if the number is negative.
func (b *body) allow(bytes int64) {
	if b.limit > 0 {
		b.limit += bytes
	}
}

// keep reads to the end. It joins the blocks only then, because a slice that grows is copied
// again and again, and takes up to twice the size of its content.
func (b *body) keep(from io.Reader) ([]byte, error) {
	var blocks [][]byte
	held, size := 0, 0
	for next := firstBlock; ; next = min(held, largestBlock) {
		block, err := b.block(from, next)
		blocks, held, size = append(blocks, block), held+cap(block), size+len(block)
		switch {
		case err == io.EOF: // a wrapped io.EOF means that the part was cut short
			return b.join(blocks, held, size)
		case err != nil:
			return nil, err
		}
	}
}

// join makes one slice of blocks that hold this many bytes, of which size were read. For a moment both
// are in memory, and both are counted.
func (b *body) join(blocks [][]byte, held, size int) ([]byte, error) {
	if len(blocks) == 1 {
		b.call.letGo(int64(held - size))
		return blocks[0], nil
	}
	if err := b.call.hold(int64(size)); err != nil {
		return nil, err
	}
	joined := bytes.Join(blocks, nil)
	b.call.letGo(int64(held))
	return joined, nil
}

// block reads size bytes, or as many as there are, in that case with io.EOF.
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

// bodyError returns what a client is told when its body could not be read.
func bodyError(err error) error {
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, os.ErrDeadlineExceeded):
		return invalid("The body arrived too slowly")
	}
	return invalid("The body was cut short")
}

// drain reads what a refused client still sends. A client that waits for "100 Continue" is not
// asked to send. If more is to come, the deadline stays: it ends the server's own reading, and
// then the connection, after the answer.
func (c *exchange) drain() {
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

// wants returns the parameters of the body's media type, or an error if the route takes another
// type.
func (c *exchange) wants(mediaType string) (map[string]string, error) {
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
