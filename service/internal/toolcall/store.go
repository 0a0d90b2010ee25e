package toolcall

import (
	"context"
	"errors"

	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// Store keeps the tool calls, and the idempotency keys of decisions.
type Store interface {
	once.Store
	// Call returns a call of the project.
	Call(ctx context.Context, projectID, callID string) (Call, error)
	// ListCalls returns calls, newest first, with results cut as by Call.Shown, and the Before of
	// the next page, 0 for none.
	ListCalls(ctx context.Context, filter Filter) (calls []Call, next int64, err error)
	// DueCalls returns up to limit calls of all projects for which Call.Due is at or before a
	// time, those that have waited longest first. Calls that are due at once are ReadyCalls.
	DueCalls(ctx context.Context, now float64, limit int) ([]Call, error)
	// ReadyCalls returns up to limit calls of all projects that are due at once and that are not
	// held. The oldest of each user and tool come first, then the second ones, and so on.
	ReadyCalls(ctx context.Context, held Held, limit int) ([]Call, error)
	// OnPath returns those of some messages, of any chats, that are on the paths that their chats show.
	OnPath(ctx context.Context, messageIDs []string) ([]string, error)
	// SetCall stores a call if the Store still has its version; otherwise the error is ErrStale.
	// If the status changes and the answer has not ended, its stream gets the EventOf. The
	// used key may be nil; if it is taken, the error is once.ErrTaken.
	SetCall(ctx context.Context, call Call, used *once.UsedKey) error
	// AddImages keeps images of an answer that its model or a tool gave, as those of questions are kept, and returns the
	// ids of those that it keeps: an answer has images.MaxOfAnswer and images.MaxBytesOfAnswer at most. Doing it again
	// adds nothing. If the answer was deleted, the error is fault.ErrNotFound.
	AddImages(ctx context.Context, answerID string, files []images.File) (kept []string, err error)
}

// ErrStale says that somebody else has changed a call since it was read.
var ErrStale = errors.New("somebody else has changed the call since it was read")

// Filter selects the calls of a list.
type Filter struct {
	ProjectID string
	// UserID is the user who owns the chats, empty for all chats.
	UserID string
	// Administers adds calls of other chats whose approval is wire.ApprovalAdmin.
	Administers bool
	// Agents are the agents whose calls are listed: nil means all, empty means none.
	Agents []string
	// Status, ChatID and MessageID narrow the list; empty means no restriction.
	Status, ChatID, MessageID string
	// Now is the time for which the status is computed.
	Now float64
	// Before is the position before which the page begins, 0 for the newest.
	Before int64
	Limit  int
}
