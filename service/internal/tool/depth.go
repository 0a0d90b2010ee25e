package tool

import (
	"net/http"
	"strings"
)

// depth follows how deep the JSON of an answer is nested, as its bytes come.
type depth struct {
	// isEvents reports whether the JSON is the data of an event stream.
	isEvents bool

	now               int
	inText, isEscaped bool
	// line is how far a line of an event stream has been read: the length of a prefix of data:, or
	// notData. blank is at the beginning of a line.
	line int
}

const (
	fieldData = "data:"
	notData   = -1
)

func depthOf(response *http.Response) depth {
	return depth{isEvents: strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream")}
}

// read reports whether what was read so far is nested at most answerDepth deep.
func (d *depth) read(bytes []byte) bool {
	for _, c := range bytes {
		if d.isEvents && !d.isOfData(c) {
			continue
		}
		if d.next(c); d.now > answerDepth {
			return false
		}
	}
	return true
}

// isOfData follows the lines of an event stream, and reports whether a byte belongs to the data of an
// event. A blank line ends an event.
func (d *depth) isOfData(c byte) bool {
	switch {
	case c == '\n' || c == '\r':
		if d.line == 0 {
			d.now, d.inText, d.isEscaped = 0, false, false
		}
		d.line = 0
	case d.line == len(fieldData):
		return true
	case d.line == notData:
	case c == fieldData[d.line]:
		d.line++
	default:
		d.line = notData
	}
	return false
}

func (d *depth) next(c byte) {
	switch {
	case d.isEscaped:
		d.isEscaped = false
	case d.inText:
		d.isEscaped, d.inText = c == '\\', c != '"'
	case c == '"':
		d.inText = true
	case c == '[' || c == '{':
		d.now++
	case c == ']' || c == '}':
		d.now = max(0, d.now-1)
	}
}
