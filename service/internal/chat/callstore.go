package chat

import (
	"context"
	"errors"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// Calls is the part of a Store that keeps the calls of tools, and the answers that wait for
// them.
type Calls interface {
	// ParkTurn stores a round that made calls, with these and the events that tell of them,
	// for who writes the stream. From then on nobody does. The errors are those of EndTurn. In a
	// Store that can be out of reach, the same again is no fault.
	ParkTurn(ctx context.Context, lease stream.Lease, parking Parking) error
	// Parked gives an answer that is parked. One that is written, has ended or is gone is
	// fault.ErrNotFound.
	Parked(ctx context.Context, streamID string) (Parked, error)
	// TakeTurn makes an answer that is parked, and all of whose calls are settled, one that is
	// written, by who takes it: the epoch is the one behind that of Parked. Where that is not
	// so, or it is to be stopped, it is ErrNotReady. In a Store that can be out of reach, the
	// same again by the same process is no fault: a process takes one at a time.
	TakeTurn(ctx context.Context, lease stream.Lease) error
	// Rounds gives the rounds of an answer that made calls, oldest first, and these in order.
	Rounds(ctx context.Context, streamID string) ([]StoredRound, []Call, error)
	// ReadyTurns gives the streams of up to limit answers that are parked and can go on, or
	// are to be stopped.
	ReadyTurns(ctx context.Context, limit int) (streamIDs []string, err error)
	// CountParked is how many answers of a user are parked.
	CountParked(ctx context.Context, scope access.Scope) (int, error)
	// CountAllParked is how many answers are parked, whatever the project.
	CountAllParked(ctx context.Context) (int, error)
	// Call gives a call of the project.
	Call(ctx context.Context, projectID, callID string) (Call, error)
	// ListCalls gives calls, newest first, their results cut as Call.Shown has them, and the
	// Before of the next page, 0 for none.
	ListCalls(ctx context.Context, filter CallFilter) (calls []Call, next int64, err error)
	// DueCalls gives up to limit calls for which Call.Due is at or before a time, whatever
	// the project, those that have waited longest first, and behind them those that are due
	// at 0.
	DueCalls(ctx context.Context, now float64, limit int) ([]Call, error)
	// SetCall stores a call of which the Store has still the version; else it is ErrStale. An
	// answer that has not ended gets the CallEvent where the status changes. The
	// claim may be nil; one on a key that is taken is once.ErrTaken.
	SetCall(ctx context.Context, call Call, claim *once.Claim) error
}

var (
	// ErrStale is a change of a call that somebody else has changed meanwhile.
	ErrStale = errors.New("the call was changed meanwhile")
	// ErrNotReady is an answer that cannot go on: it is not parked, or waits for a call.
	ErrNotReady = errors.New("the answer is not ready to go on")
)

// Parking is a round that made calls, on its way into the Store.
type Parking struct {
	Round StoredRound
	Calls []Call
	// Events tell of sources and calls. ParkTurn gives them their ids, in place.
	Events []Event
}

// StoredRound is what a model said when it was asked once, and the calls that it made.
type StoredRound struct {
	Text  string     `json:"text"`
	Calls []MadeCall `json:"calls"`
}

// MadeCall is a call as a model made it, and what it is.
type MadeCall struct {
	ModelCall
	// CallID is the id of the Call, empty for none.
	CallID string `json:"call_id,omitempty"`
	// Misfit is why it is no call.
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
	// StopAsked tells that it is to be stopped.
	StopAsked bool
}

// Asked is what an answer with tools was asked for with, beside the options of its question.
type Asked struct {
	// PageTools are the tools that the page offered, byte by byte: a definition's digest is the digest of
	// its text.
	PageTools string `json:"offered,omitempty"`
	// Calls tells that who asked knows calls.
	Calls bool `json:"calls,omitempty"`
}

// CallFilter says which calls a list has.
type CallFilter struct {
	ProjectID string
	// UserID is the user of the chats, empty for every chat.
	UserID string
	// Administers lists calls with wire.ApprovalAdmin of other chats as well.
	Administers bool
	// Agents are those of which calls are listed: nil is all, empty means none.
	Agents []string
	// Status, ChatID and MessageID narrow the list; empty is every one.
	Status, ChatID, MessageID string
	// Now is the time as of which the status holds.
	Now float64
	// Before is the position before which the page begins, 0 for the newest.
	Before int64
	Limit  int
}
