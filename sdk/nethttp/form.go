package nethttp

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/textproto"
	"strings"
	"sync"

	"github.com/chatsdk/chatsdk/sdk"
)

// content returns the body of a request, with the content type of a form. A form with files is
// written while it is sent, so that no file is held in memory.
func content(request *sdk.Request) (io.Reader, string) {
	if request.Form == nil {
		if request.Body == nil {
			return nil, ""
		}
		return bytes.NewReader(request.Body), ""
	}
	for _, field := range request.Form {
		if field.File != nil {
			return pipeForm(request.Form)
		}
	}
	var buffer bytes.Buffer
	writer := multipart.NewWriter(&buffer)
	if err := writeForm(writer, request.Form); err != nil {
		panic("nethttp: a form of texts in memory: " + err.Error()) // bytes.Buffer never fails
	}
	return &buffer, writer.FormDataContentType()
}

// replayable is a file's content, from the position it had when it was first sent. The writer of an
// earlier try may still be running when the next try begins.
type replayable struct {
	mu      sync.Mutex
	content io.ReadSeeker
	start   int64
}

// Read reads without regard to other tries. Sending uses copyTo.
func (r *replayable) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.content.Read(p)
}

// Seek implements io.Seeker, which tells the core that the content can be sent again.
func (r *replayable) Seek(offset int64, whence int) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.content.Seek(offset, whence)
}

// copyTo sends all of the content, after any other try has finished.
func (r *replayable) copyTo(w io.Writer, tell func(int64)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.content.Seek(r.start, io.SeekStart); err != nil {
		return err
	}
	return copyTold(w, r.content, tell)
}

// keep makes the files of a form ready to be sent again. Content that cannot seek is sent once.
func keep(form []sdk.FormField) {
	for _, field := range form {
		if field.File == nil {
			continue
		}
		if _, kept := field.File.Content.(*replayable); kept {
			continue
		}
		if content, ok := field.File.Content.(io.ReadSeeker); ok {
			if start, err := content.Seek(0, io.SeekCurrent); err == nil { // a pipe is an *os.File that cannot
				field.File.Content = &replayable{content: content, start: start}
			}
		}
	}
}

// pipeForm writes the form into the reader that net/http reads. net/http closes the reader when it
// is done or gives up, which ends the writing goroutine.
func pipeForm(form []sdk.FormField) (io.Reader, string) {
	reader, pipe := io.Pipe()
	writer := multipart.NewWriter(pipe)
	go func() { pipe.CloseWithError(writeForm(writer, form)) }()
	return reader, writer.FormDataContentType()
}

func writeForm(writer *multipart.Writer, form []sdk.FormField) error {
	for _, field := range form {
		if err := writeField(writer, field); err != nil {
			return err
		}
	}
	return writer.Close()
}

func writeField(writer *multipart.Writer, field sdk.FormField) error {
	if field.File == nil {
		return writer.WriteField(field.Name, field.Text)
	}
	name, kind := field.File.Name, field.File.ContentType
	if name == "" {
		name = "file"
	}
	if kind == "" {
		kind = "application/octet-stream"
	}
	part, err := writer.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition(field.Name, name)},
		"Content-Type":        {strings.NewReplacer("\r", "", "\n", "").Replace(kind)},
	})
	if err != nil {
		return err
	}
	if file, ok := field.File.Content.(*replayable); ok {
		return file.copyTo(part, field.File.Progress)
	}
	return copyTold(part, field.File.Content, field.File.Progress)
}

// copyTold copies and reports its progress, if tell is set.
func copyTold(w io.Writer, content io.Reader, tell func(int64)) error {
	if tell != nil {
		content = &counted{Reader: content, tell: tell}
	}
	_, err := io.Copy(w, content)
	return err
}

// counted counts how much of a reader has been read.
type counted struct {
	io.Reader
	sent int64
	tell func(int64)
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if n > 0 {
		c.sent += int64(n)
		c.tell(c.sent)
	}
	return n, err
}
