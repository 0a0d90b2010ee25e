package read

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"io"
)

// maxUnpacked is how many bytes the streams of a PDF may unpack to in total, including the output
// of each filter: thousands of pages of text have less. A stream that is read again counts once;
// how often that happens is limited by time.
const maxUnpacked = 128 << 20

// maxFilters is how many filters of a stream are followed; programs write one or two.
const maxFilters = 8

// budget gives the library the bytes of a PDF. The library unpacks streams internally, where
// their size can't be counted. But it begins to read each stream at its first byte, and at that
// point budget unpacks the stream first.
type budget struct {
	data  []byte
	left  int64
	seen  map[int64]bool
	spent bool // the limit was exceeded
}

func newBudget(data []byte, unpacked int64) *budget {
	return &budget{data: data, left: unpacked, seen: map[int64]bool{}}
}

// ReadAt implements io.ReaderAt. It panics with TooMuchInside, because most functions of the
// library cannot return an error.
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

// beginsStream reports whether the bytes of a stream begin after these bytes.
func beginsStream(before []byte) bool {
	keyword := []byte("stream")
	return bytes.HasSuffix(bytes.TrimRight(before[max(len(before)-len(keyword)-2, 0):], "\r\n"), keyword)
}

// unpack counts the output of a stream's filters. It recognises filters by the bytes, because
// their names may be references, which only the library can follow: deflated data has a header,
// and anything else may be base 85 of deflated data.
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
	_, _ = io.Copy(io.Discard, text) // as far as possible
}

// inflates reports whether these bytes are a header of RFC 1950.
func inflates(head []byte) bool {
	return head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0
}

// counting subtracts what is read from a budget.
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

// base85 passes on only the digits of base 85, and ends at the end mark, like the library.
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
