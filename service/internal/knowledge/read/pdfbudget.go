package read

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"io"
)

// maxUnpacked is what the streams of a PDF may unpack to in all, in bytes, with
// what stands between two filters: thousands of pages of text have less. A
// stream that is read again counts once; how often is bounded by time.
const maxUnpacked = 128 << 20

// maxFilters is how many filters of a stream are followed; programs write one
// or two.
const maxFilters = 8

// budget gives the library the bytes of a PDF. The library unpacks streams where
// nobody else can count; but it begins to read each at its first byte, and there
// budget unpacks the stream first.
type budget struct {
	data  []byte
	left  int64
	seen  map[int64]bool
	spent bool // more came than may
}

func newBudget(data []byte, unpacked int64) *budget {
	return &budget{data: data, left: unpacked, seen: map[int64]bool{}}
}

// ReadAt implements io.ReaderAt. It panics with TooMuchInside, since the library has
// no other way out of most places.
func (b *budget) ReadAt(p []byte, at int64) (int, error) {
	if at > 0 && at < int64(len(b.data)) && !b.seen[at] && beginsStream(b.data[:at]) {
		b.seen[at] = true
		b.unpack(bytes.NewReader(b.data[at:]), maxFilters)
	}
	if b.spent {
		panic(TooMuchInside)
	}
	return bytes.NewReader(b.data).ReadAt(p, at)
}

// beginsStream tells whether the bytes of a stream begin behind these.
func beginsStream(before []byte) bool {
	keyword := []byte("stream")
	return bytes.HasSuffix(bytes.TrimRight(before[max(len(before)-len(keyword)-2, 0):], "\r\n"), keyword)
}

// unpack counts what comes out of the filters of a stream. It tells them by the
// bytes, since their names may be references, which the library alone can follow:
// what is deflated has a header, and anything else may be base 85 of such.
func (b *budget) unpack(packed io.Reader, filters int) {
	if filters == 0 {
		return
	}
	from := bufio.NewReader(packed)
	head, err := from.Peek(2)
	if err != nil {
		return
	}
	if !inflates(head) {
		b.unpack(ascii85.NewDecoder(base85{from}), filters-1)
		return
	}
	inflated, err := zlib.NewReader(from)
	if err != nil {
		return
	}
	text := counting{inflated, b}
	b.unpack(text, filters-1)
	_, _ = io.Copy(io.Discard, text) // as far as it goes
}

// inflates tells whether these bytes are a header of RFC 1950.
func inflates(head []byte) bool {
	return head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0
}

// counting takes what is read off a budget.
type counting struct {
	from io.Reader
	*budget
}

// Read implements io.Reader.
func (c counting) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if c.left -= int64(n); c.left < 0 {
		c.spent = true
		return 0, TooMuchInside
	}
	return n, err
}

// base85 passes on the digits of base 85 alone, and ends at its mark, as the
// library does.
type base85 struct{ from io.ByteReader }

// Read implements io.Reader.
func (b base85) Read(p []byte) (n int, err error) {
	for n < len(p) {
		digit, err := b.from.ReadByte()
		if err == nil && digit == '~' {
			err = io.EOF
		}
		if err != nil {
			return n, err
		}
		if digit >= '!' && digit <= 'u' || digit == 'z' {
			p[n] = digit
			n++
		}
	}
	return n, nil
}
