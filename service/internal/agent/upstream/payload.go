package upstream

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"io"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// Payload is the JSON of a request in parts. The files of its images are read while it is sent,
// because a model may take minutes, and the images may have 100 MiB. The zero value is ready.
type Payload struct {
	// Files has the images.
	Files images.Files
	parts []part
}

// part is text, or an image that is encoded as base64.
type part struct {
	text  []byte
	image *images.Image
}

// pipeBytes is how many bytes of a payload with images are passed on at once.
const pipeBytes = 64 << 10

// Write adds text. It never fails.
func (p *Payload) Write(text []byte) (int, error) {
	if last := len(p.parts) - 1; last >= 0 && p.parts[last].image == nil {
		p.parts[last].text = append(p.parts[last].text, text...)
	} else {
		p.parts = append(p.parts, part{text: bytes.Clone(text)})
	}
	return len(text), nil
}

// WriteImage adds the file of an image in base64.
func (p *Payload) WriteImage(image images.Image) { p.parts = append(p.parts, part{image: &image}) }

func (p Payload) size() (size int64) {
	for _, one := range p.parts {
		size += int64(len(one.text))
		if one.image != nil {
			size += int64(base64.StdEncoding.EncodedLen(one.image.Size))
		}
	}
	return size
}

// open reads the payload. Closing it early ends the reading of images.
func (p Payload) open(ctx context.Context) io.ReadCloser {
	if len(p.parts) == 1 {
		return io.NopCloser(bytes.NewReader(p.parts[0].text))
	}
	reader, writer := io.Pipe()
	go func() {
		buffered := bufio.NewWriterSize(writer, pipeBytes)
		err := p.write(ctx, buffered)
		if err == nil {
			err = buffered.Flush()
		}
		_ = writer.CloseWithError(err)
	}()
	return reader
}

func (p Payload) write(ctx context.Context, w io.Writer) error {
	for _, one := range p.parts {
		if _, err := w.Write(one.text); err != nil {
			return err
		}
		if one.image == nil {
			continue
		}
		encoded := base64.NewEncoder(base64.StdEncoding, w)
		if err := p.Files.WriteImage(ctx, encoded, *one.image); err != nil {
			return &fault.Error{Code: wire.CodeProviderFailed, Message: "An image of the chat cannot be read", Cause: err}
		}
		if err := encoded.Close(); err != nil {
			return err
		}
	}
	return nil
}
