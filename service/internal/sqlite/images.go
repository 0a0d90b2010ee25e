package sqlite

import (
	"context"
	"database/sql"

	"github.com/chatsdk/chatsdk/service/internal/chat"
)

const (
	insertImage    = `INSERT INTO images (id, message_id, media_type, width, height, content) VALUES (?, ?, ?, ?, ?, ?)`
	imageOfProject = `
		SELECT images.id, media_type, width, height, images.content
		FROM images JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id
		WHERE images.id = ? AND project_id = ?`
)

func insertImages(ctx context.Context, tx *sql.Tx, questionID string, images []chat.Image) error {
	for _, one := range images {
		if _, err := tx.ExecContext(ctx, insertImage, one.ID, questionID, one.MediaType, one.Width, one.Height, one.Content); err != nil {
			return err
		}
	}
	return nil
}

// Image implements chat.Chats.
func (s *Store) Image(ctx context.Context, projectID, imageID string) (one chat.Image, err error) {
	row := s.readers.QueryRowContext(ctx, imageOfProject, imageID, projectID)
	err = row.Scan(&one.ID, &one.MediaType, &one.Width, &one.Height, &one.Content)
	return one, failed("read", "an image", found(err))
}
