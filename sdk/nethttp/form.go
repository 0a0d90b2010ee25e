package nethttp

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"
	"strings"

	"github.com/chatsdk/chatsdk/sdk"
)

// content gives the body of a request, with the content type of a form. A form
// with files is written while it is sent, so that no file is held in memory.
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

// replayable is a file's content from where it was when it was first sent.
type replayable struct {
	io.ReadSeeker
	start int64
}

// rewind makes the files of a form ready to be sent, for the first time or
// again. What cannot seek is sent once.
func rewind(form []sdk.FormField) error {
	for _, field := range form {
		if field.File == nil {
			continue
		}
		if sent, ok := field.File.Content.(*replayable); ok {
			if _, err := sent.Seek(sent.start, io.SeekStart); err != nil {
				return fmt.Errorf("%s: %w", field.Name, err)
			}
		} else if content, ok := field.File.Content.(io.ReadSeeker); ok {
			if start, err := content.Seek(0, io.SeekCurrent); err == nil { // a pipe is an *os.File that cannot
				field.File.Content = &replayable{content, start}
			}
		}
	}
	return nil
}

// pipeForm writes the form into what net/http reads. net/http closes the
// reader when it is done or gives up, which ends the writing goroutine.
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
	content := field.File.Content
	if field.File.Progress != nil {
		content = &counted{Reader: content, tell: field.File.Progress}
	}
	_, err = io.Copy(part, content)
	return err
}

// counted tells how much of a reader has been read.
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
