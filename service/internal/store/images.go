package store

import (
	"context"
	"io"

	"github.com/chatsdk/chatsdk/service/internal/images"
)

// PartBytes is the size of each part of a file except the last. A migration splits the files of SQLite's
// older databases in the same way.
const PartBytes = 256 << 10

const (
	insertImage = `INSERT INTO images (id, message_id, media_type, width, height, size) VALUES ($1, $2, $3, $4, $5, $6)`
	InsertPart  = `INSERT INTO file_parts (file_id, number, content) VALUES ($1, $2, $3)`
	// imagesOfMessage are the images that are kept for a message.
	imagesOfMessage = `SELECT id, size FROM images WHERE message_id = $1`
	PartOf          = `SELECT content FROM file_parts WHERE file_id = $1 AND number = $2`
	PartsOf         = `SELECT content FROM file_parts WHERE file_id = $1 ORDER BY number`
)

type imageQueries struct{ ImageOfProject string }

func imageQueriesOf(d Dialect) imageQueries {
	return imageQueries{ImageOfProject: `
		SELECT images.id, media_type, width, height, size
		FROM images JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id
		WHERE images.id = $1 AND project_id = $2` + d.ChatIsSeen}
}

// NewImages returns those of some files that are not kept for an answer yet and that it has room for, and which of all are
// then kept.
func NewImages(ctx context.Context, in Session, answerID string, files []images.File) (fresh []images.File, kept []string, err error) {
	has, size := map[string]bool{}, 0
	err = in.Each(ctx, func(row Row) (bool, error) {
		var id string
		var bytes int
		err := row.Scan(&id, &bytes)
		has[id], size = true, size+bytes
		return true, err
	}, imagesOfMessage, answerID)
	count := len(has)
	for _, one := range files {
		switch {
		case has[one.ID]:
		case count == images.MaxOfAnswer || size+one.Size > images.MaxBytesOfAnswer:
			continue
		default:
			fresh, count, size = append(fresh, one), count+1, size+one.Size
		}
		kept = append(kept, one.ID)
	}
	return fresh, kept, err
}

// InsertImages stores the rows of an answer's images whose bytes are stored.
func InsertImages(ctx context.Context, tx Session, answerID string, files []images.File) error {
	for _, one := range files {
		if err := insertImageRow(ctx, tx, answerID, one); err != nil {
			return err
		}
	}
	return nil
}

// insertImageRow stores the row of an image whose bytes are stored.
func insertImageRow(ctx context.Context, tx Session, messageID string, one images.File) error {
	_, err := tx.Exec(ctx, insertImage, one.ID, messageID, one.MediaType, one.Width, one.Height, len(one.Content))
	return err
}

// Image implements chat.Chats.
func (t *Tables) Image(ctx context.Context, projectID, imageID string) (one images.Image, err error) {
	row := t.db.Now().Row(ctx, t.q.ImageOfProject, imageID, projectID)
	err = row.Scan(&one.ID, &one.MediaType, &one.Width, &one.Height, &one.Size)
	return one, t.db.Failed("read", "an image", OrNotFound(err))
}

// WriteImage implements chat.Chats.
func (t *Tables) WriteImage(ctx context.Context, w io.Writer, image images.Image) error {
	for number, left := 0, image.Size; left > 0; number++ {
		var part []byte
		if err := t.db.Now().Row(ctx, PartOf, image.ID, number).Scan(&part); err != nil {
			return t.db.Failed("read", "an image", OrNotFound(err)) // its chat was deleted in the meantime
		}
		if _, err := w.Write(part); err != nil {
			return err
		}
		left -= len(part)
	}
	return nil
}
