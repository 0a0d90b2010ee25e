package chat

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

	"golang.org/x/image/webp"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

const (
	// ImageTokens is how many tokens of a window an image takes, whatever its size.
	ImageTokens = 512
	// The largest width, height and number of pixels of an image: viewers hold each pixel in
	// memory, however small the file is.
	maxImageSide   = 16_384
	maxImagePixels = 50_000_000
	// promptImageBytes is the largest total size of the image files in one prompt. The files of
	// the question's own images are always included.
	promptImageBytes = 20 << 20
)

// Image is an image that came with a question.
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

// ImageFile is an image with its file as it was sent.
type ImageFile struct {
	Image
	Content []byte
}

// ImageFiles reads the files of images.
type ImageFiles interface {
	// WriteImage writes the file of an image that Image returned to w, in parts: while w is slow,
	// neither the whole file nor a connection is held.
	WriteImage(ctx context.Context, w io.Writer, image Image) error
}

// imageFormat is a file format that is accepted as an image.
type imageFormat struct {
	mediaType, name string
	// magic is how the file begins; ? stands for any byte.
	magic  string
	config func(io.Reader) (image.Config, error)
}

var imageFormats = []imageFormat{
	{"image/png", "PNG", "\x89PNG\r\n\x1a\n", png.DecodeConfig},
	{"image/jpeg", "JPEG", "\xff\xd8\xff", jpeg.DecodeConfig},
	{"image/webp", "WebP", "RIFF????WEBPVP8", webp.DecodeConfig},
	{"image/gif", "GIF", "GIF8?a", gif.DecodeConfig},
}

// Kind returns the usual name of the format, for example PNG.
func (i Image) Kind() string {
	at := slices.IndexFunc(imageFormats, func(f imageFormat) bool { return f.mediaType == i.MediaType })
	return imageFormats[at].name
}

// readImages checks files that came with a message. The format is derived from the content. The
// pixels are not decoded.
func readImages(files [][]byte) ([]ImageFile, error) {
	var all []ImageFile
	for n, content := range files {
		one, err := readImage(content, n+1)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// ImageHead is how many bytes of a file CheckImage looks at.
const ImageHead = 15

// CheckImage refuses a file whose first bytes are not those of an image, before the rest has
// arrived. The error has the number of the image.
func CheckImage(head []byte, number int) error {
	_, err := formatOf(head, number)
	return err
}

func formatOf(content []byte, number int) (imageFormat, error) {
	at := slices.IndexFunc(imageFormats, func(f imageFormat) bool { return matches(content, f.magic) })
	if at < 0 {
		return imageFormat{}, badImage(wire.CodeValidation, "image %d is not a PNG, JPEG, WebP or GIF, whatever its name says", number)
	}
	return imageFormats[at], nil
}

func readImage(content []byte, number int) (ImageFile, error) {
	format, err := formatOf(content, number)
	if err != nil {
		return ImageFile{}, err
	}
	config, err := format.config(bytes.NewReader(content))
	if err != nil || config.Width < 1 || config.Height < 1 {
		return ImageFile{}, badImage(wire.CodeValidation, "image %d begins like a %s but cannot be read as one", number, format.name)
	}
	if max(config.Width, config.Height) > maxImageSide || config.Width*config.Height > maxImagePixels {
		return ImageFile{}, badImage(wire.CodePayloadTooLarge, "image %d has %d × %d pixels, want at most %d a side and %d in all",
			number, config.Width, config.Height, maxImageSide, maxImagePixels)
	}
	one := Image{ID: newID("img"), MediaType: format.mediaType, Width: config.Width, Height: config.Height, Size: len(content)}
	return ImageFile{one, content}, nil
}

func badImage(code, message string, values ...any) *fault.Error {
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

func imageIDs(images []ImageFile) (ids []string) {
	for _, one := range images {
		ids = append(ids, one.ID)
	}
	return ids
}

// Image returns an image of the project to anybody who knows its id.
func (s *Service) Image(ctx context.Context, projectID, imageID string) (Image, error) {
	return s.config.Store.Image(ctx, projectID, imageID)
}

// WriteImage writes the file of an image that Image returned to w, in parts.
func (s *Service) WriteImage(ctx context.Context, w io.Writer, image Image) error {
	return s.config.Store.WriteImage(ctx, w, image)
}

// describeImages looks up the images of a prompt, whose last message is the question, beginning
// with the newest. If the files of an earlier message would exceed promptImageBytes, this message
// and all before it keep only the descriptions of their images.
func (s *Service) describeImages(ctx context.Context, projectID string, messages []PromptMessage) error {
	left, full := promptImageBytes, false
	for i, message := range slices.Backward(messages) {
		if full {
			messages[i].Images = nil
			continue
		}
		for n, named := range message.Images {
			one, err := s.config.Store.Image(ctx, projectID, named.ID)
			if err != nil {
				return err
			}
			message.Images[n] = one
			left -= one.Size
		}
		if full = left < 0; full && i < len(messages)-1 {
			messages[i].Images = nil
		}
	}
	return nil
}
