package chat

import (
	"context"
	"errors"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// Calls is the part of a Store that keeps the tool calls, and the answers that wait for them.
type Calls interface {
	// ParkTurn stores a round that made calls, with the calls and their events. Only the writer
	// of the stream may call it, and afterwards nobody is the writer. The errors are those of
	// EndTurn. If the Store can be out of reach, doing the same again is not an error.
	ParkTurn(ctx context.Context, lease stream.Lease, parking Parking) error
	// Parked returns a parked answer. If the answer is being written, has ended or was deleted,
	// the error is fault.ErrNotFound.
	Parked(ctx context.Context, streamID string) (Parked, error)
	// Begun returns the answer of a parked stream as BeginTurn got it. It reads no events.
	Begun(ctx context.Context, parked Parked) (wire.Message, error)
	// TakeTurn makes the caller the writer of a parked answer all of whose calls are settled,
	// with the epoch after that of Parked. If the answer is not in this state, or is to be
	// stopped, the error is ErrNotReady. If the Store can be out of reach, doing the same again
	// from the same process is not an error: a process takes one answer at a time.
	TakeTurn(ctx context.Context, lease stream.Lease) error
	// Rounds returns the rounds of an answer that made calls, oldest first, and the calls in
	// order.
	Rounds(ctx context.Context, streamID string) ([]StoredRound, []Call, error)
	// ReadyTurns returns the streams of up to limit parked answers that can continue or are to be
	// stopped.
	ReadyTurns(ctx context.Context, limit int) (streamIDs []string, err error)
	// CountParked returns how many answers of a user are parked.
	CountParked(ctx context.Context, scope access.Scope) (int, error)
	// CountAllParked returns how many answers of all projects are parked.
	CountAllParked(ctx context.Context) (int, error)
	// Call returns a call of the project.
	Call(ctx context.Context, projectID, callID string) (Call, error)
	// ListCalls returns calls, newest first, with results cut as by Call.Shown, and the Before of
	// the next page, 0 for none.
	ListCalls(ctx context.Context, filter CallFilter) (calls []Call, next int64, err error)
	// DueCalls returns up to limit calls of all projects for which Call.Due is at or before a
	// time, those that have waited longest first. Calls that are due at once are ReadyCalls.
	DueCalls(ctx context.Context, now float64, limit int) ([]Call, error)
	// ReadyCalls returns up to limit calls of all projects that are due at once and that are not
	// held. The oldest of each user and tool come first, then the second ones, and so on.
	ReadyCalls(ctx context.Context, held Held, limit int) ([]Call, error)
	// OnPath returns those of some messages, of any chats, that are on the paths that their chats show.
	OnPath(ctx context.Context, messageIDs []string) ([]string, error)
	// SetCall stores a call if the Store still has its version; otherwise the error is ErrStale.
	// If the status changes and the answer has not ended, its stream gets the CallEvent. The
	// claim may be nil; if its key is taken, the error is once.ErrTaken.
	SetCall(ctx context.Context, call Call, claim *once.Claim) error
}

var (
	// ErrStale says that somebody else has changed a call since it was read.
	ErrStale = errors.New("somebody else has changed the call since it was read")
	// ErrNotReady says that an answer cannot continue: it is not parked, or it waits for a call.
	ErrNotReady = errors.New("the answer cannot continue: it is not parked, or it waits for a call")
)

// Parking is a round that made calls, ready to be stored.
type Parking struct {
	Round StoredRound
	Calls []Call
	// Events are about sources and calls. ParkTurn sets their ids in place.
	Events []Event
}

// StoredRound is what a model said when it was asked once, and the calls that it made.
type StoredRound struct {
	Text  string     `json:"text"`
	Calls []MadeCall `json:"calls"`
}

// MadeCall is a call as the model made it, and its outcome.
type MadeCall struct {
	ModelCall
	// CallID is the id of the Call, empty if there is none.
	CallID string `json:"call_id,omitempty"`
	// Misfit says why no Call was made of it.
	Misfit string `json:"misfit,omitempty"`
}

// Parked is an answer that is parked.
type Parked struct {
	// Lease is the lease of the last writer.
	Lease stream.Lease
	Start wire.Start
	// Scope is the scope of the caller who asked.
	Scope access.Scope
	Asked Asked
	// LastID is the id of the last event so far.
	LastID int64
	// StopAsked reports whether it is to be stopped.
	StopAsked bool
}

// Asked is what an answer with tools was requested with, besides the options of its question.
type Asked struct {
	// PageTools are the tools that the page offered, byte for byte: the digest of a definition is
	// computed from its text.
	PageTools string `json:"offered,omitempty"`
	// Calls reports whether the client can handle calls.
	Calls bool `json:"calls,omitempty"`
}

// CallFilter selects the calls of a list.
type CallFilter struct {
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
