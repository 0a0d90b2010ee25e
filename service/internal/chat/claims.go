package chat

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// KeyIsKnown reports whether an earlier request of the caller, of any kind, had this idempotency
// key.
func (s *Service) KeyIsKnown(ctx context.Context, caller access.Caller, key string) (bool, error) {
	return s.isKnown(ctx, once.ID{ProjectID: caller.ProjectID, UserID: caller.UserID, Key: key})
}
