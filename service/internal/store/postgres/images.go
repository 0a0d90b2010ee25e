package postgres

import (
	"context"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const dropFiles = `DELETE FROM file_parts WHERE file_id = ANY($1)`

// storeFile stores the bytes of a file.
func storeFile(ctx context.Context, tx store.Session, id string, content []byte) error {
	number := 0
	for part := range slices.Chunk(content, store.PartBytes) {
		if _, err := tx.Exec(ctx, store.InsertPart, id, number, part); err != nil {
			return err
		}
		number++
	}
	return nil
}

// storeImages stores the bytes of images.
func storeImages(ctx context.Context, tx store.Session, images []images.File) error {
	for _, one := range images {
		if err := storeFile(ctx, tx, one.ID, one.Content); err != nil {
			return err
		}
	}
	return nil
}
