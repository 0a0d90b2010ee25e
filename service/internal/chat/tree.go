package chat

import (
	"context"
	"errors"
	"math"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// Tree is what a Store knows, in one transaction, about the positions of a chat's messages.
type Tree interface {
	// Place returns the position of a message. If the chat does not have the message, the error
	// is fault.ErrNotFound.
	Place(ctx context.Context, messageID string) (Place, error)
	// PathEnd returns the position of the last message of the chat's current path, 0 for none.
	PathEnd(ctx context.Context) (int64, error)
	// Newest returns the position of the newest descendant of a message, or its own if it has
	// none.
	Newest(ctx context.Context, messageID string) (int64, error)
}

// Place is where a message is in its chat.
type Place struct {
	Position int64
	// Parent is the position of the message that it follows, 0 for none.
	Parent int64
	Role   string
}

// Follows returns the position of the message that the turn's first new message follows, 0 for
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

// From returns the position of the newest message of the page, 0 for none. With All it returns
// the position of the message that follows the page.
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
