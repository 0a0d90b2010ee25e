package chat

import (
	"context"
	"errors"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// errStopped is why a model call ends that somebody has stopped.
var errStopped = errors.New("the answer was stopped")

// Stop ends an answer that is being written with what there is of it, and waits
// until that is stored. Of an answer that has ended already it tells how.
func (s *Service) Stop(ctx context.Context, caller Caller, streamID string) (wire.StopReceipt, error) {
	stream, err := s.open(ctx, caller.Scope, streamID)
	if err != nil {
		return wire.StopReceipt{}, err
	}
	if stream.live != nil {
		stream.live.cancel(errStopped)
		if err := stream.live.wait(ctx); err != nil {
			return wire.StopReceipt{}, err
		}
		if stream, err = s.open(ctx, caller.Scope, streamID); err != nil {
			return wire.StopReceipt{}, err
		}
	}
	return stream.receipt()
}

// StopClaimed stops the answer to the request that came with a key. A key that
// no answer was asked for with is ErrNotFound.
func (s *Service) StopClaimed(ctx context.Context, caller Caller, key string) (wire.StopReceipt, error) {
	id := once.ID{ProjectID: caller.ProjectID, UserID: caller.UserID, Key: key}
	claim, found, err := s.config.Store.Claimed(ctx, id, once.Since(s.now()))
	if err == nil && !found {
		err = ErrNotFound
	}
	if err != nil {
		return wire.StopReceipt{}, err
	}
	return s.Stop(ctx, caller, claim.Subject)
}

func (st *Stream) receipt() (wire.StopReceipt, error) {
	if st.live != nil {
		return wire.StopReceipt{}, &Error{Code: wire.CodeUnavailable, Message: "The end of the answer could not be stored; ask again in a moment", Cause: errEnds}
	}
	answer := st.kept.Answer
	return wire.StopReceipt{
		Stopped: answer.FinishReason == wire.FinishStopped, Message: answer, LastEventID: st.kept.LastID,
		Bytes: len(answer.Content), CRC32: checksum(answer.Content),
	}, nil
}
