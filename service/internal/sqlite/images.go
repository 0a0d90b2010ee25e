package sqlite

import (
	"context"
	"io"

	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	insertImage    = `INSERT INTO images (id, message_id, media_type, width, height, size) VALUES (?, ?, ?, ?, ?, ?)`
	imageOfProject = `
		SELECT images.id, media_type, width, height, size
		FROM images JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id
		WHERE images.id = ? AND project_id = ? AND deleted_at IS NULL`
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
		if _, err := tx.Exec(ctx, insertImage, one.ID, questionID, one.MediaType, one.Width, one.Height, len(one.Content)); err != nil {
			return err
		}
		if err := store.Touched(tx.Exec(ctx, nameFile, one.ID)); err != nil {
			return err
		}
	}
	return nil
}

// Image implements chat.Chats.
func (s *Store) Image(ctx context.Context, projectID, imageID string) (one images.Image, err error) {
	row := s.now().Row(ctx, imageOfProject, imageID, projectID)
	err = row.Scan(&one.ID, &one.MediaType, &one.Width, &one.Height, &one.Size)
	return one, failed("read", "an image", store.OrNotFound(err))
}

// WriteImage implements chat.Chats.
func (s *Store) WriteImage(ctx context.Context, w io.Writer, image images.Image) error {
	for number, left := 0, image.Size; left > 0; number++ {
		var part []byte
		if err := s.now().Row(ctx, partOf, image.ID, number).Scan(&part); err != nil {
			return failed("read", "an image", store.OrNotFound(err)) // its chat was deleted in the meantime
		}
		if _, err := w.Write(part); err != nil {
			return err
		}
		left -= len(part)
	}
	return nil
}
