package sqlite

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/store"
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

// insertImages stores the rows of images whose bytes are stored.
func insertImages(ctx context.Context, tx store.Session, questionID string, images []images.File) error {
	for _, one := range images {
		if err := store.InsertImage(ctx, tx, questionID, one); err != nil {
			return err
		}
		if err := store.Touched(tx.Exec(ctx, nameFile, one.ID)); err != nil {
			return err
		}
	}
	return nil
}
