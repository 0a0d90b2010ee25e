package fault

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// segment is a part of a response that passes as a whole or is broken: the head,
// a chunk, or what one read of another body brings.
type segment struct {
	// before and after frame the data.
	before, data, after []byte
	isHead, isChunk     bool
}

func (s segment) bytes() []byte { return bytes.Join([][]byte{s.before, s.data, s.after}, nil) }

// part returns what the n-th byte belongs to.
func (s segment) part(n int) Part {
	switch {
	case s.isHead:
		return Head
	case n <= len(s.before) || n > len(s.before)+len(s.data):
		return Framing
	}
	return Data
}

// response returns the segments of a response as they come.
type response struct {
	from    *bufio.Reader
	request *http.Request
	// next reads the next segment of the body; io.EOF is the end.
	next    func() (segment, error)
	chunked bool
}

// readHead reads up to the blank line, which is included.
func readHead(from *bufio.Reader) ([]byte, error) {
	var head []byte
	for {
		line, err := from.ReadBytes('\n')
		head = append(head, line...)
		if err != nil || len(bytes.TrimRight(line, "\r\n")) == 0 {
			return head, err
		}
	}
}

// head reads the head, which says how the body is framed.
func (r *response) head() (segment, error) {
	head, err := readHead(r.from)
	if err != nil {
		return segment{}, err
	}
	parsed, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(head)), r.request)
	if err != nil {
		return segment{}, fmt.Errorf("the head of a response: %w", err)
	}
	r.chunked = len(parsed.TransferEncoding) > 0
	switch {
	case r.request.Method == http.MethodHead || parsed.ContentLength == 0:
		r.next = func() (segment, error) { return segment{}, io.EOF }
	case r.chunked:
		r.next = r.chunk
	case parsed.ContentLength > 0:
		r.next = raw(io.LimitReader(r.from, parsed.ContentLength))
	default:
		r.next = raw(r.from)
	}
	return segment{before: head, isHead: true}, nil
}

// chunk reads a whole chunk (RFC 9112, section 7.1). After the last one comes
// the end.
func (r *response) chunk() (segment, error) {
	line, err := r.from.ReadBytes('\n')
	if err != nil {
		return segment{}, err
	}
	digits, _, _ := strings.Cut(strings.TrimSpace(string(line)), ";")
	size, err := strconv.ParseUint(digits, 16, 31)
	if err != nil {
		return segment{}, fmt.Errorf("the size of a chunk: %w", err)
	}
	if size == 0 {
		r.next = func() (segment, error) { return segment{}, io.EOF }
		trailer, err := readHead(r.from)
		return segment{before: line, after: trailer, isChunk: true}, err
	}
	rest := make([]byte, size+2)
	_, err = io.ReadFull(r.from, rest)
	return segment{before: line, data: rest[:size], after: rest[size:], isChunk: true}, err
}

// raw returns what each read brings.
func raw(from io.Reader) func() (segment, error) {
	buffer := make([]byte, 32<<10)
	return func() (segment, error) {
		n, err := from.Read(buffer)
		if n > 0 {
			err = nil // the next read returns it again
		}
		return segment{data: buffer[:n]}, err
	}
}
