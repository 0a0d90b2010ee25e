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

// seenAnswer keeps the chat of a message from being deleted.
const seenAnswer = `SELECT chats.id FROM messages JOIN chats ON chats.id = chat_id WHERE messages.id = $1 FOR KEY SHARE OF chats`

// AddImages implements chat.Calls.
func (s *Store) AddImages(ctx context.Context, answerID string, files []images.File) (kept []string, err error) {
	err = s.write(ctx, func(ctx context.Context, tx store.Session) error {
		var fresh []images.File
		if fresh, kept, err = store.NewImages(ctx, tx, answerID, files); err != nil {
			return err
		}
		if err := storeImages(ctx, tx, fresh); err != nil { // this comes first: it takes long, and blocks nobody
			return err
		}
		if _, err := store.First(ctx, tx, store.ScanText, seenAnswer, answerID); err != nil {
			return err
		}
		return store.InsertImages(ctx, tx, answerID, fresh)
	})
	return kept, failed("add images to message", answerID, err)
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
