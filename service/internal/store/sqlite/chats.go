package sqlite

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// CreateChat implements chat.Chats.
func (s *Store) CreateChat(ctx context.Context, scope access.Scope, made wire.Chat, used *once.UsedKey) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := store.Take(ctx, tx, used); err != nil {
			return err
		}
		return s.insertChat(ctx, tx, scope, made, made.CreatedAt)
	})
	return failed("create chat", made.ChatID, err)
}

func (s *Store) insertChat(ctx context.Context, tx store.Session, scope access.Scope, made wire.Chat, at float64) error {
	if err := queries.RoomForChat(ctx, tx, s.Limits, scope); err != nil {
		return err
	}
	place, err := nextPlace(ctx, tx, scope.ProjectID)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO chats (id, project_id, user_id, place, name, named, document_keys, metadata, created_at, updated_at)
		VALUES (?, ?, nullif(?, ''), ?, ?, ?, ?, ?, ?, ?)`,
		made.ChatID, scope.ProjectID, scope.UserID, place, made.Name, made.Name != chat.Untitled,
		store.JSON(&made.DocumentKeys), store.Text(made.Metadata), made.CreatedAt, at)
	return err
}

// nextPlace takes the next position from the project's counter.
func nextPlace(ctx context.Context, tx store.Session, projectID string) (place int64, err error) {
	err = tx.Row(ctx, `
		INSERT INTO projects (id, last_place) VALUES (?, 1)
		ON CONFLICT (id) DO UPDATE SET last_place = last_place + 1
		RETURNING last_place`, projectID).Scan(&place)
	return place, err
}

const inScope = store.InScope + ` AND chats.deleted_at IS NULL`

// moveChat moves a chat to the top of the order.
func moveChat(ctx context.Context, tx store.Session, scope access.Scope, chatID string, at float64) error {
	place, err := nextPlace(ctx, tx, scope.ProjectID)
	if err != nil {
		return err
	}
	return store.Touched(tx.Exec(ctx, `UPDATE chats SET place = $4, updated_at = $5 WHERE `+inScope,
		chatID, scope.ProjectID, scope.UserID, place, at))
}

// RenameChat implements chat.Chats.
func (s *Store) RenameChat(ctx context.Context, scope access.Scope, chatID, name string, at float64) (told []string, err error) {
	err = s.write(ctx, func(ctx context.Context, tx store.Session) error {
		s.erases()
		place, err := nextPlace(ctx, tx, scope.ProjectID)
		if err != nil {
			return err
		}
		err = store.Touched(tx.Exec(ctx, `
			UPDATE chats SET name = $4, named = 1, place = $5, updated_at = $6 WHERE `+inScope,
			chatID, scope.ProjectID, scope.UserID, name, place, at))
		if err != nil {
			return err
		}
		told = s.open.ofChat(chatID)
		for _, streamID := range told {
			if err := s.append(ctx, tx, streamID, []chat.Event{chat.NameEvent(name)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		told = nil
	}
	return told, failed("rename chat", chatID, err)
}

const (
	hideChat = `UPDATE chats SET deleted_at = $4, name = '', document_keys = NULL, metadata = NULL WHERE ` + inScope

	// From now on, an answer that is being written finds no stream to append to.
	endStreamOfChat = `UPDATE streams SET ended_at = ?, last_id = ?, places = ? WHERE id = ?`
)

// DeleteChat implements chat.Chats. The chat is invisible when it returns; Sweep removes what is
// left of it.
func (s *Store) DeleteChat(ctx context.Context, scope access.Scope, chatID string, at float64) error {
	err := s.writeFreeing(ctx, func(ctx context.Context, tx store.Session) error {
		s.erases()
		if err := queries.KeepReceiptsOfChat(ctx, tx, scope, chatID, at); err != nil {
			return err
		}
		if err := store.Touched(tx.Exec(ctx, hideChat, chatID, scope.ProjectID, scope.UserID, at)); err != nil {
			return err
		}
		for _, id := range s.open.ofChat(chatID) {
			last, places := s.closeStream(id)
			if _, err := tx.Exec(ctx, endStreamOfChat, at, last, textOfPlaces(places), id); err != nil {
				return err
			}
		}
		return nil
	})
	return failed("delete chat", chatID, err)
}
