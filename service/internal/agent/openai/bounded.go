package openai

import (
	"fmt"
	"io"
)

// eventBytes is how large one event of a provider may be, in all its lines; the decoder limits one
// line to 32 MiB. It keeps an event until a blank line ends it.
const eventBytes = 40 << 20

// bounded is a body that fails when an event of it does not end.
type bounded struct {
	io.Reader
	size   int  // of the event so far
	blank  bool // the line so far is blank
	before byte
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	for _, c := range p[:n] {
		b.size++
		switch {
		case c == '\n' && b.before == '\r': // the line has ended
		case c != '\n' && c != '\r':
			b.blank = false
		case b.blank:
			b.size = 0
		default:
			b.blank = true
		}
		b.before = c
	}
	if b.size > eventBytes {
		return n, failed("The model sent more at once than an answer may have", fmt.Errorf("an event of more than %d bytes", eventBytes))
	}
	return n, err
}
