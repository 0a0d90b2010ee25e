// Package images says which files count as images, and what is known of one without decoding its pixels.
package images

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"slices"
	"strings"

	"golang.org/x/image/webp"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/ids"
)

const (
	// The largest width, height and number of pixels of an image: viewers hold each pixel in
	// memory, however small the file is.
	maxSide   = 16_384
	maxPixels = 50_000_000

	// What an answer may have of images that its model or its tools give.
	MaxOfAnswer      = 16
	MaxBytesOfAnswer = 32 << 20

	idKind = "img"
)

// IsID reports whether a text may be the id of an image that is kept, rather than an address.
func IsID(text string) bool {
	return strings.HasPrefix(text, idKind+"_") && !strings.ContainsAny(text, "/:?")
}

// IDs returns the ids of images.
func IDs(files []File) (all []string) {
	for _, one := range files {
		all = append(all, one.ID)
	}
	return all
}

// Named returns images that only have their ids.
func Named(ids []string) (all []Image) {
	for _, id := range ids {
		all = append(all, Image{ID: id})
	}
	return all
}

// Image is an image that came with a question, or that an answer's model or tool gave.
type Image struct {
	// ID identifies it and cannot be guessed.
	ID string
	// MediaType is derived from the content alone: image/png, image/jpeg, image/webp or
	// image/gif.
	MediaType string
	// Width and Height are in pixels.
	Width, Height int
	// Size is the length of its file in bytes.
	Size int
}

// File is an image with its file as it was sent.
type File struct {
	Image
	Content []byte
}

// Files reads the files of images.
type Files interface {
	// WriteImage writes the file of an image that Image returned to w, in parts: while w is slow,
	// neither the whole file nor a connection is held.
	WriteImage(ctx context.Context, w io.Writer, image Image) error
}

// format is a file format that is accepted as an image.
type format struct {
	mediaType, name string
	// magic is how the file begins; ? stands for any byte.
	magic  string
	config func(io.Reader) (image.Config, error)
}

var formats = []format{
	{"image/png", "PNG", "\x89PNG\r\n\x1a\n", png.DecodeConfig},
	{"image/jpeg", "JPEG", "\xff\xd8\xff", jpeg.DecodeConfig},
	{"image/webp", "WebP", "RIFF????WEBPVP8", webp.DecodeConfig},
	{"image/gif", "GIF", "GIF8?a", gif.DecodeConfig},
}

// Kind returns the usual name of the format, for example PNG.
func (i Image) Kind() string {
	at := slices.IndexFunc(formats, func(f format) bool { return f.mediaType == i.MediaType })
	return formats[at].name
}

// String says what is known of the image, for a model that does not see it.
func (i Image) String() string {
	return fmt.Sprintf("%s, %d × %d pixels", i.Kind(), i.Width, i.Height)
}

// Read checks files that came with a message. The format is derived from the content. The
// pixels are not decoded.
func Read(files [][]byte) ([]File, error) {
	var all []File
	for n, content := range files {
		one, err := read(content, n+1)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// Head is how many bytes of a file CheckHead looks at.
const Head = 15

// CheckHead refuses a file whose first bytes are not those of an image, before the rest has
// arrived. The error has the number of the image.
func CheckHead(head []byte, number int) error {
	_, err := formatOf(head, number)
	return err
}

func formatOf(content []byte, number int) (format, error) {
	at := slices.IndexFunc(formats, func(f format) bool { return matches(content, f.magic) })
	if at < 0 {
		return format{}, refused(wire.CodeValidation, "image %d is not a PNG, JPEG, WebP or GIF, whatever its name says", number)
	}
	return formats[at], nil
}

func read(content []byte, number int) (File, error) {
	format, err := formatOf(content, number)
	if err != nil {
		return File{}, err
	}
	config, err := format.config(bytes.NewReader(content))
	if err != nil || config.Width < 1 || config.Height < 1 {
		return File{}, refused(wire.CodeValidation, "image %d begins like a %s but cannot be read as one", number, format.name)
	}
	if max(config.Width, config.Height) > maxSide || config.Width*config.Height > maxPixels {
		return File{}, refused(wire.CodePayloadTooLarge, "image %d has %d × %d pixels, want at most %d a side and %d in all",
			number, config.Width, config.Height, maxSide, maxPixels)
	}
	one := Image{ID: ids.New(idKind), MediaType: format.mediaType, Width: config.Width, Height: config.Height, Size: len(content)}
	return File{one, content}, nil
}

func refused(code, message string, values ...any) *fault.Error {
	return &fault.Error{Code: code, Message: "images: " + fmt.Sprintf(message, values...), Fields: []string{wire.FieldImages}}
}

func matches(content []byte, magic string) bool {
	if len(content) < len(magic) {
		return false
	}
	for i := range len(magic) {
		if magic[i] != '?' && magic[i] != content[i] {
			return false
		}
	}
	return true
}
