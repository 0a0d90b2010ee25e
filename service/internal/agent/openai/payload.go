package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// payload is the JSON of a request in parts. The files of its images are read while it is sent,
// because a model may take minutes, and the images may have 100 MiB.
type payload []part

// part is text, or an image that is encoded as base64.
type part struct {
	text  []byte
	image *images.Image
}

// pipeBytes is how many bytes of a payload with images are passed on at once.
const pipeBytes = 64 << 10

// payload puts the messages first. The content of a message is a string, which every
// server accepts, or an array if there are images.
func (c completion) payload() (payload, error) {
	var all payload
	text := bytes.NewBufferString(`{"messages":[`)
	for i, m := range c.Messages {
		if i > 0 {
			text.WriteByte(',')
		}
		if len(m.Images) == 0 {
			written, err := m.plain()
			if err != nil {
				return nil, err
			}
			text.Write(written)
			continue
		}
		written, err := json.Marshal(m.Text)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(text, `{"role":%q,"content":[{"type":"text","text":%s}`, m.Role, written)
		for _, image := range m.Images {
			fmt.Fprintf(text, `,{"type":"image_url","image_url":{"url":"data:%s;base64,`, image.MediaType)
			all = append(all, part{text: bytes.Clone(text.Bytes())}, part{image: &image})
			text.Reset()
			text.WriteString(`"}}`)
		}
		text.WriteString("]}")
	}
	head, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	text.WriteByte(']')
	if len(head) > len("{}") {
		text.WriteByte(',')
	}
	text.Write(head[1:])
	return append(all, part{text: text.Bytes()}), nil
}

// plain returns the JSON of a message without images.
func (m message) plain() ([]byte, error) {
	switch {
	case len(m.Calls) > 0:
		return m.withCalls()
	case m.Role == "tool":
		return m.outcome()
	}
	return json.Marshal(struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}{m.Role, m.Text})
}

func (p payload) size() (size int64) {
	for _, one := range p {
		size += int64(len(one.text))
		if one.image != nil {
			size += int64(base64.StdEncoding.EncodedLen(one.image.Size))
		}
	}
	return size
}

// open reads the payload. Closing it early ends the reading of images.
func (p payload) open(ctx context.Context, images images.Files) io.ReadCloser {
	if len(p) == 1 {
		return io.NopCloser(bytes.NewReader(p[0].text))
	}
	reader, writer := io.Pipe()
	go func() {
		buffered := bufio.NewWriterSize(writer, pipeBytes)
		err := p.write(ctx, buffered, images)
		if err == nil {
			err = buffered.Flush()
		}
		_ = writer.CloseWithError(err)
	}()
	return reader
}

func (p payload) write(ctx context.Context, w io.Writer, images images.Files) error {
	for _, one := range p {
		if _, err := w.Write(one.text); err != nil {
			return err
		}
		if one.image == nil {
			continue
		}
		encoded := base64.NewEncoder(base64.StdEncoding, w)
		if err := images.WriteImage(ctx, encoded, *one.image); err != nil {
			return &fault.Error{Code: wire.CodeProviderFailed, Message: "An image of the chat cannot be read", Cause: err}
		}
		if err := encoded.Close(); err != nil {
			return err
		}
	}
	return nil
}
