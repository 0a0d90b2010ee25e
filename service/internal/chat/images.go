package chat

import (
	"context"
	"io"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/images"
)

func imageIDs(images []images.File) (ids []string) {
	for _, one := range images {
		ids = append(ids, one.ID)
	}
	return ids
}

// Image returns an image of the project to anybody who knows its id.
func (s *Service) Image(ctx context.Context, projectID, imageID string) (images.Image, error) {
	return s.config.Store.Image(ctx, projectID, imageID)
}

// WriteImage writes the file of an image that Image returned to w, in parts.
func (s *Service) WriteImage(ctx context.Context, w io.Writer, image images.Image) error {
	return s.config.Store.WriteImage(ctx, w, image)
}

// promptImageBytes is the largest total size of the image files in one prompt. The files of the question's own images are always
// included.
const promptImageBytes = 20 << 20

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
