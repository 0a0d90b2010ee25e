package httpapi

import (
	"errors"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// serveContent is http.ServeContent, whose refusal of a range becomes an error of ours.
func (c *exchange) serveContent(name string, modified time.Time, content io.ReadSeeker) error {
	w := &contentWriter{response: c.w, pace: newPace(answerPace, time.Now())}
	http.ServeContent(w, c.r, name, modified, content)
	if !w.refused {
		return nil
	}
	header := c.w.Header()
	for _, name := range []string{"Content-Disposition", "Content-Security-Policy"} {
		header.Del(name)
	}
	header.Set("Cache-Control", keepNot)
	return errRange
}

var errRange = &fault.Error{
	Code: wire.CodeValidation, Message: "The range is not a part of the file; see content-range for its size", Fields: []string{"range"},
}

// contentWriter keeps back what http.ServeContent says about a range that it can't serve.
type contentWriter struct {
	*response
	pace    pace
	refused bool
}

func (w *contentWriter) WriteHeader(status int) {
	if w.refused = status == http.StatusRequestedRangeNotSatisfiable; !w.refused {
		w.response.WriteHeader(status)
	}
}

func (w *contentWriter) Write(part []byte) (int, error) {
	if w.refused {
		return len(part), nil
	}
	return w.writeAt(&w.pace, part)
}

// imageFile reads an image that a Store writes in parts, from any place. The caller closes it.
type imageFile struct {
	size, at int64
	write    func(io.Writer) error
	// err is why the Store could not write it.
	err error

	// next returns the next part from the beginning, of which skip bytes are left out; nil before the
	// first read. rest is what is left of the last one.
	next func() ([]byte, bool)
	stop func()
	skip int64
	rest []byte
}

func newImageFile(size int, write func(io.Writer) error) *imageFile {
	return &imageFile{size: int64(size), write: write}
}

func (f *imageFile) Read(to []byte) (int, error) {
	if f.next == nil && f.at < f.size {
		f.next, f.stop = iter.Pull(f.parts)
		f.skip = f.at
	}
	for len(f.rest) == 0 {
		if f.at >= f.size {
			return 0, io.EOF
		}
		part, more := f.next()
		if !more {
			return 0, io.ErrUnexpectedEOF
		}
		skipped := min(f.skip, int64(len(part)))
		f.skip -= skipped
		f.rest = part[skipped:]
	}
	n := copy(to, f.rest)
	f.rest = f.rest[n:]
	f.at += int64(n)
	return n, nil
}

// Seek goes to another place, as http.ServeContent does: it asks for the end and then for where to begin.
func (f *imageFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.size
	}
	f.Close()
	f.at = offset
	return offset, nil
}

// Close ends the reading, if it has begun.
func (f *imageFile) Close() error {
	if f.stop != nil {
		f.stop()
	}
	f.next, f.stop, f.rest = nil, nil, nil
	return nil
}

var errEnough = errors.New("nobody wants the rest")

func (f *imageFile) parts(yield func([]byte) bool) {
	err := f.write(partWriter(yield))
	if err != nil && !errors.Is(err, errEnough) {
		f.err = err
	}
}

type partWriter func([]byte) bool

func (w partWriter) Write(part []byte) (int, error) {
	if !w(part) {
		return 0, errEnough
	}
	return len(part), nil
}
