package chat

import (
	"context"
	"errors"
	"math"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// Tree is what a Store knows, in one transaction, of where the messages of a chat stand.
type Tree interface {
	// Place tells where a message stands. One that the chat does not have is
	// fault.ErrNotFound.
	Place(ctx context.Context, messageID string) (Place, error)
	// PathEnd is the position of the last message of the chat's path, 0 for none.
	PathEnd(ctx context.Context) (int64, error)
	// Newest is the position of the newest message that descends from one, or of that one.
	Newest(ctx context.Context, messageID string) (int64, error)
}

// Place is where a message stands.
type Place struct {
	Position int64
	// Parent is the position of the message that it follows, 0 for none.
	Parent int64
	Role   string
}

// Follows is the position of the message that the first new one of the turn follows, 0 for
// none.
func (t Turn) Follows(ctx context.Context, tree Tree) (int64, error) {
	switch {
	case t.Again:
		at, err := tree.Place(ctx, t.Question.ID)
		return at.Position, err
	case t.Edits != "":
		at, err := tree.Place(ctx, t.Edits)
		if err == nil && at.Role != wire.RoleUser {
			err = ErrNotQuestion
		}
		return at.Parent, err
	case t.Parent != "":
		at, err := tree.Place(ctx, t.Parent)
		if err == nil && at.Role != wire.RoleAssistant {
			err = ErrNotParent
		}
		return at.Position, err
	}
	return tree.PathEnd(ctx)
}

// From is the position of the newest message of the page, 0 for none; with All it is the one
// before which the page is.
func (p Page) From(ctx context.Context, tree Tree) (int64, error) {
	switch {
	case p.Before != "":
		at, err := tree.Place(ctx, p.Before)
		if errors.Is(err, fault.ErrNotFound) {
			err = ErrNoSuchMessage
		}
		if p.All {
			return at.Position, err
		}
		return at.Parent, err
	case p.All:
		return math.MaxInt64, nil
	case p.Through != "":
		return tree.Newest(ctx, p.Through)
	}
	return tree.PathEnd(ctx)
}
