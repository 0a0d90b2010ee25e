package sqlite

import (
	"context"
	"errors"

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

const seenAnswer = `SELECT chats.id FROM messages JOIN chats ON chats.id = chat_id WHERE messages.id = ? AND deleted_at IS NULL`

// AddImages implements chat.Calls.
func (s *Store) AddImages(ctx context.Context, answerID string, files []images.File) (kept []string, err error) {
	var fresh []images.File
	err = s.read(ctx, func(ctx context.Context, tx store.Session) (err error) {
		fresh, kept, err = store.NewImages(ctx, tx, answerID, files)
		return err
	})
	if err == nil {
		err = s.storeImages(ctx, fresh)
	}
	if err == nil {
		err = s.write(ctx, func(ctx context.Context, tx store.Session) error {
			if _, err := store.First(ctx, tx, store.ScanText, seenAnswer, answerID); err != nil {
				return err
			}
			if err := store.InsertImages(ctx, tx, answerID, fresh); err != nil {
				return err
			}
			return nameFiles(ctx, tx, fresh)
		})
	}
	if err != nil {
		err = errors.Join(err, s.removeFiles(ctx, images.IDs(fresh)...))
	}
	return kept, failed("add images to message", answerID, err)
}

// nameFiles says that rows refer to the files of images.
func nameFiles(ctx context.Context, tx store.Session, files []images.File) error {
	for _, one := range files {
		if err := store.Touched(tx.Exec(ctx, nameFile, one.ID)); err != nil {
			return err
		}
	}
	return nil
}
