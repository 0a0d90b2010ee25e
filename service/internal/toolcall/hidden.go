package toolcall

import (
	"context"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// hide says of each call whether the chat shows its answer.
func (s *Service) hide(ctx context.Context, calls ...*wire.ToolCall) error {
	var ids []string
	for _, call := range calls {
		if !slices.Contains(ids, call.MessageID) {
			ids = append(ids, call.MessageID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	shown, err := s.config.Store.OnPath(ctx, ids)
	for _, call := range calls {
		call.Hidden = err == nil && !slices.Contains(shown, call.MessageID)
	}
	return err
}

// HideIn is hide for the calls of messages.
func (s *Service) HideIn(ctx context.Context, messages []wire.Message) error {
	var calls []*wire.ToolCall
	for i := range messages {
		for j := range messages[i].ToolCalls {
			calls = append(calls, &messages[i].ToolCalls[j])
		}
	}
	return s.hide(ctx, calls...)
}
