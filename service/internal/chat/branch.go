package chat

import (
	"context"
	"errors"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// SelectBranch makes a chat's current path lead through a message; see Chats.SelectBranch. A
// repeat of a request with the same key does not change the path again. It returns the newest
// descendant of the message that was selected.
func (s *Service) SelectBranch(
	ctx context.Context, caller access.Caller, chatID, messageID string, key once.Request,
) (last string, replayed bool, err error) {
	last, replayed, err = s.selectedBranch(ctx, caller, chatID, messageID, key)
	if err == nil && !replayed {
		used := key.Use(caller.ProjectID, caller.UserID, messageID, s.now())
		last, err = s.config.Store.SelectBranch(ctx, caller.Scope, chatID, messageID, used)
		if errors.Is(err, once.ErrTaken) {
			last, replayed, err = s.selectedBranch(ctx, caller, chatID, messageID, key)
		}
	}
	return last, replayed, s.whatIsMissing(ctx, caller.Scope, chatID, err)
}

// selectedBranch returns the end of the path that an earlier request with this key selected.
func (s *Service) selectedBranch(
	ctx context.Context, caller access.Caller, chatID, messageID string, key once.Request,
) (last string, found bool, err error) {
	_, found, err = key.Find(ctx, s.config.Store, caller.ProjectID, caller.UserID, s.now())
	if err != nil || !found {
		return "", false, err
	}
	history, err := s.config.Store.HistoryPage(ctx, caller.Scope, chatID, Page{Through: messageID, Limit: 1})
	if err != nil {
		return "", false, err
	}
	return history.Messages[0].ID, true, nil
}
