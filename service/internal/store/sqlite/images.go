package sqlite

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/images"
)

// storeImages stores the bytes of images.
func (s *Store) storeImages(ctx context.Context, images []images.File) error {
	for _, one := range images {
		if err := s.storeFile(ctx, one.ID, one.Content); err != nil {
			return err
		}
	}
	return nil
}

func imageIDs(images []images.File) (ids []string) {
	for _, one := range images {
		ids = append(ids, one.ID)
	}
	return ids
}
