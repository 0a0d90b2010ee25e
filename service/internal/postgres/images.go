package postgres

import (
	"context"
	"io"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// partBytes is the size of each part of a file except the last.
const partBytes = 256 << 10

const (
	insertImage    = `INSERT INTO images (id, message_id, media_type, width, height, size) VALUES ($1, $2, $3, $4, $5, $6)`
	imageOfProject = `
		SELECT images.id, media_type, width, height, size
		FROM images JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id
		WHERE images.id = $1 AND project_id = $2`

	insertPart = `INSERT INTO file_parts (file_id, number, content) VALUES ($1, $2, $3)`
	partOf     = `SELECT content FROM file_parts WHERE file_id = $1 AND number = $2`
	partsOf    = `SELECT content FROM file_parts WHERE file_id = $1 ORDER BY number`
	dropFiles  = `DELETE FROM file_parts WHERE file_id = ANY($1)`
)

// storeFile stores the bytes of a file.
func storeFile(ctx context.Context, tx store.Session, id string, content []byte) error {
	number := 0
	for part := range slices.Chunk(content, partBytes) {
		if _, err := tx.Exec(ctx, insertPart, id, number, part); err != nil {
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

// insertImages stores the rows of images whose bytes are stored.
func insertImages(ctx context.Context, tx store.Session, questionID string, images []images.File) error {
	for _, one := range images {
		if _, err := tx.Exec(ctx, insertImage, one.ID, questionID, one.MediaType, one.Width, one.Height, len(one.Content)); err != nil {
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
