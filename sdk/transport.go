package sdk

import (
	"context"
	"io"
)

// Transport carries requests to the service. Package sdk/nethttp has one for
// native programs, package bridge one for the browser. It must be safe for
// concurrent use.
type Transport interface {
	// Do sends the request and returns when the headers of the response have
	// come. Redirects are errors. When ctx ends, Do and every read of the body
	// return at once with an error. The caller closes the body.
	Do(ctx context.Context, request *Request) (*Response, error)
}

// Request is one HTTP request.
type Request struct {
	Method string
	// URL is absolute.
	URL string
	// Header has names in lower case. The content type of a form is the
	// Transport's to set.
	Header map[string]string
	// Body is the body, nil for none. It is not set beside Form.
	Body []byte
	// Form is sent as multipart/form-data (RFC 7578), in this order.
	Form []FormField

	// again tells that a second POST does no more than the first.
	again bool
	// sent tells that it may have reached the service.
	sent bool
	// silence is told when the wait for the headers begins and ends; nil means nobody.
	silence *silence
	// decided tells that its idempotency key has its outcome for good.
	decided bool
}

// FormField is a field of a form: a text or, if File is set, a file.
type FormField struct {
	Name string
	Text string
	File *File
}

// File is a file to upload.
type File struct {
	// Name is what the service is told; empty means "file".
	Name string
	// ContentType is a media type such as "image/png"; empty is
	// application/octet-stream.
	ContentType string
	// Size is the length of Content in bytes, 0 for unknown. It gives a large
	// file more time.
	Size int64
	// Content is read for each try; a call with one that cannot seek (io.Seeker)
	// is not tried again. A Transport may know kinds of content that it
	// sends without reading them, as the browser's does with a File or Blob.
	Content io.Reader
	// Progress is told how many bytes of Content have been sent; of each try
	// again. Nil means nobody.
	Progress func(sent int64)
}

// Response is the answer to a Request.
type Response struct {
	Status int
	// Header gives the header of that name, in any case, or "".
	Header func(name string) string
	// Body of a stream gives what has come at each Read, without waiting for more. If it
	// is an io.WriterTo it is read by WriteTo instead. The body of anything else is read
	// by All() ([]byte, error), if it has that, which gives the whole.
	Body io.ReadCloser
}

// IsStream tells whether the body is an event stream, which is read as it comes.
func (r *Response) IsStream() bool { return mediaType(r) == eventStream }
