package chat

import (
	"context"
	"errors"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// Parkings is the part of a Store that keeps the answers that wait for tool calls.
type Parkings interface {
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
	Rounds(ctx context.Context, streamID string) ([]toolcall.Round, []toolcall.Call, error)
	// ReadyTurns returns the streams of up to limit parked answers that can continue or are to be
	// stopped.
	ReadyTurns(ctx context.Context, limit int) (streamIDs []string, err error)
	// CountParked returns how many answers of a user are parked.
	CountParked(ctx context.Context, scope access.Scope) (int, error)
	// CountAllParked returns how many answers of all projects are parked.
	CountAllParked(ctx context.Context) (int, error)
}

// ErrNotReady says that an answer cannot continue: it is not parked, or it waits for a call.
var ErrNotReady = errors.New("the answer cannot continue: it is not parked, or it waits for a call")

// Parking is a round that made calls, ready to be stored.
type Parking struct {
	Round toolcall.Round
	Calls []toolcall.Call
	// Events are about sources and calls. ParkTurn sets their ids in place.
	Events []Event
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
	// Reasoning reports whether the client asked for what the model thinks.
	Reasoning bool `json:"reasoning,omitempty"`
}
