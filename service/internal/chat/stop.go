package chat

import (
	"context"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// Stop ends an answer with the text that it has so far, and waits until that is stored. If the
// answer has already ended, Stop returns how it ended. After Config.Silence it gives up with an
// error, and the answer still ends.
func (s *Service) Stop(ctx context.Context, caller access.Caller, streamID string) (receipt wire.StopReceipt, err error) {
	err = s.briefly(ctx, func(ctx context.Context) error {
		receipt, err = s.stop(ctx, caller, streamID)
		return err
	})
	return receipt, err
}

func (s *Service) stop(ctx context.Context, caller access.Caller, streamID string) (wire.StopReceipt, error) {
	head, err := s.config.Store.StreamHead(ctx, caller.Scope, streamID)
	if err == nil && head.EndedAt == 0 {
		if err = s.askToStop(ctx, caller.Scope, streamID); err == nil {
			err = s.untilEnd(ctx, head)
		}
	}
	if err != nil {
		return wire.StopReceipt{}, err
	}
	stored, err := s.config.Store.Stream(ctx, caller.Scope, streamID)
	if err != nil {
		return wire.StopReceipt{}, err
	}
	answer := stored.Answer
	return wire.StopReceipt{
		Stopped: answer.FinishReason == wire.FinishStopped, Message: answer, LastEventID: stored.LastID,
		Bytes: len(answer.Content), CRC32: checksum(answer.Content),
	}, nil
}

// stopPause is how long a stop waits if the answer is just beginning its next round.
const stopPause = 10 * time.Millisecond

// askToStop ends a parked answer, and asks the writer of any other to end it.
func (s *Service) askToStop(ctx context.Context, scope access.Scope, streamID string) error {
	for {
		asked, err := s.logs.Stop(ctx, streamID)
		if err != nil {
			return err
		}
		ended, err := s.stopParked(ctx, streamID)
		if asked || ended || err != nil {
			return err
		}
		stored, err := s.config.Store.StreamHead(ctx, scope, streamID)
		if err != nil || stored.EndedAt != 0 {
			return err
		}
		select { // its next round is beginning
		case <-time.After(stopPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// untilEnd waits until a stream has ended.
func (s *Service) untilEnd(ctx context.Context, stored StoredStream) error {
	for _, err := range (&Stream{service: s, start: stored.Start, after: stored.LastID, last: stored.LastID}).Events(ctx) {
		if err != nil {
			return err
		}
	}
	return nil
}

// StopClaimed stops the answer to the request with a key. If no answer was requested with the
// key, the error is fault.ErrNotFound.
func (s *Service) StopClaimed(ctx context.Context, caller access.Caller, key string) (wire.StopReceipt, error) {
	id := once.ID{ProjectID: caller.ProjectID, UserID: caller.UserID, Key: key}
	used, found, err := s.config.Store.UsedKey(ctx, id, once.Since(s.now()))
	if err == nil && !found {
		err = fault.ErrNotFound
	}
	if err != nil {
		return wire.StopReceipt{}, err
	}
	return s.Stop(ctx, caller, used.Subject)
}
