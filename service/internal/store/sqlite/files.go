package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	// stepParts is how many parts one transaction stores or removes.
	stepParts = 4
	// unnamedLife is how many seconds a file may wait for the row that refers to it, which is
	// stored right after it.
	unnamedLife = 600
)

const (
	insertFile = `INSERT INTO files (id, unnamed_since) VALUES (?, ?)`
	nameFile   = `UPDATE files SET unnamed_since = NULL WHERE id = ?`
	dropFile   = `UPDATE files SET unnamed_since = 0 WHERE id = ?`
)

// storeFile stores the bytes of a file in steps, before the transaction that refers to the file.
// If that transaction never happens, the file is removed.
func (s *Store) storeFile(ctx context.Context, id string, content []byte) error {
	at := float64(time.Now().UnixMicro()) / 1e6
	if err := s.exec(ctx, insertFile, id, at); err != nil {
		return err
	}
	for number := 0; len(content) > 0; {
		err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
			for range stepParts {
				part := content[:min(store.PartBytes, len(content))]
				if _, err := tx.Exec(ctx, store.InsertPart, id, number, part); err != nil {
					return err
				}
				content = content[len(part):]
				number++
				if len(content) == 0 {
					break
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// removeFiles removes files to which no row will refer. If it fails, the sweep removes them.
func (s *Store) removeFiles(ctx context.Context, ids ...string) error {
	ctx = context.WithoutCancel(ctx)
	var all []error
	for _, id := range ids {
		all = append(all, s.removeFile(ctx, id))
	}
	return errors.Join(all...)
}

// file returns the bytes of a file of a known size.
func (s *Store) file(ctx context.Context, id string, size int64) ([]byte, error) {
	content := make([]byte, 0, size)
	err := s.read(ctx, func(ctx context.Context, tx store.Session) error {
		return tx.Each(ctx, func(row store.Row) (bool, error) {
			var part sql.RawBytes
			err := row.Scan(&part)
			content = append(content, part...)
			return true, err
		}, store.PartsOf, id)
	})
	if err == nil && int64(len(content)) != size {
		return nil, sql.ErrNoRows // it was removed in the meantime
	}
	return content, err
}
