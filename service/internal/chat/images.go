package chat

import (
	"context"
	"io"

	"github.com/chatsdk/chatsdk/service/internal/images"
)

// Image returns an image of the project to anybody who knows its id.
func (s *Service) Image(ctx context.Context, projectID, imageID string) (images.Image, error) {
	return s.config.Store.Image(ctx, projectID, imageID)
}

// WriteImage writes the file of an image that Image returned to w, in parts.
func (s *Service) WriteImage(ctx context.Context, w io.Writer, image images.Image) error {
	return s.config.Store.WriteImage(ctx, w, image)
}
