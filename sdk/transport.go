package sdk

import (
	"context"
	"io"
)

// Transport sends requests to the service. Package sdk/nethttp has one for Go programs, and
// package bridge has one for browsers. It must be safe for concurrent use.
type Transport interface {
	// Do sends the request and returns when the headers of the response have arrived. A redirect is
	// an error. When ctx ends, Do and every read of the body return at once with an error. The
	// caller closes the body.
	Do(ctx context.Context, request *Request) (*Response, error)
}

// Request is one HTTP request.
type Request struct {
	Method string
	// URL is absolute.
	URL string
	// Header has lower-case names. The Transport sets the content type of a form itself.
	Header map[string]string
	// Body is the body, nil for none. It is not set together with Form.
	Body []byte
	// Form is sent as multipart/form-data (RFC 7578), in this order.
	Form []FormField

	// again means that it is harmless to send this POST twice.
	again bool
	// sent means that the request may have reached the service.
	sent bool
	// silence is told when the wait for the headers begins and ends. It may be nil.
	silence *silence
	// decided means that the outcome for the idempotency key is final.
	decided bool
}

// FormField is a field of a form: a file if File is set, otherwise a text.
type FormField struct {
	Name string
	Text string
	File *File
}

// File is a file to upload.
type File struct {
	// Name is the file name. Empty means "file".
	Name string
	// ContentType is a media type such as "image/png". Empty means application/octet-stream.
	ContentType string
	// Size is the length of Content in bytes, 0 if unknown. Large files get more time.
	Size int64
	// Content is read once for each try. If it cannot seek (io.Seeker), the call is not tried again.
	// A Transport may send some kinds of content without reading them, as the browser's does with a
	// File or Blob.
	Content io.Reader
	// Progress is called with the number of bytes of Content that were sent, perhaps from another
	// goroutine. The count starts again with each try. Progress may be nil.
	Progress func(sent int64)
}

// Response is the response to a Request.
type Response struct {
	Status int
	// Header returns the header with that name, in any case, or "".
	Header func(name string) string
	// Body is read differently for streams and for other responses. For a stream, each Read returns
	// what has arrived, without waiting for more; if it is an io.WriterTo, WriteTo is used instead.
	// Any other body is read with its method All() ([]byte, error), if it has one.
	Body io.ReadCloser
}

// IsStream reports whether the body is an event stream, which is read as it arrives.
func (r *Response) IsStream() bool { return mediaType(r) == eventStream }
