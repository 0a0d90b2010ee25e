package chat

import (
	"context"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// Untitled is the name of a chat that nobody has named yet.
const Untitled = "Untitled"

// Store keeps chats, messages, streams and idempotency keys. Each method but Sweep happens whole or
// not at all, as if it were one transaction. What does not exist and what lies outside the
// scope are the same fault.ErrNotFound. Every method is safe for concurrent use.
// Package storetest says in tests what a Store must do.
type Store interface {
	Chats
	Turns
	Calls
	Streams
	// The error of AppendEvents on a stream that has ended or is gone is fault.ErrNotFound.
	stream.Store
	once.Store
}

// Chats is the part of a Store that keeps chats.
type Chats interface {
	// CreateChat stores a chat that belongs to scope. The name Untitled leaves
	// it to be named by its first exchange. A claim may be nil; one on a key
	// that is taken is once.ErrTaken.
	CreateChat(ctx context.Context, scope access.Scope, chat wire.Chat, claim *once.Claim) error
	// Chat gives a chat as CreateChat took it, with its name as it is now.
	Chat(ctx context.Context, scope access.Scope, chatID string) (wire.Chat, error)
	// ListChats gives up to limit chats, newest activity first, whose place in
	// the project's order lies below cursor; 0 begins at the newest.
	ListChats(ctx context.Context, scope access.Scope, cursor int64, limit int) (wire.ListChatsResponse, error)
	// ChatHistory gives the chat with the messages of its path, from the first question to
	// the last answer. An answer that is being written has the text and the sources of its
	// events so far and its StreamID.
	ChatHistory(ctx context.Context, scope access.Scope, chatID string) (wire.ChatHistoryResponse, error)
	// HistoryPage is ChatHistory with other messages. It reads no more than it gives, and may
	// begin with an answer whose question is left out. A page before or through what is no
	// message of the chat is ErrNoSuchMessage.
	HistoryPage(ctx context.Context, scope access.Scope, chatID string, page Page) (wire.ChatHistoryResponse, error)
	// Recent gives the newest exchanges of a path that have ended, those before
	// the question with the id before, or, where that is empty, those of the chat's
	// path: each question with its answer, oldest first, the images named
	// by their ids alone. It reads no more than it gives: whole exchanges, as
	// many as cost at most tokens together, and MaxExchanges of them. An answer
	// without text leaves its question alone.
	Recent(ctx context.Context, scope access.Scope, chatID, before string, tokens int) ([]PromptMessage, error)
	// Message gives a message of a chat, as the history would.
	Message(ctx context.Context, scope access.Scope, chatID, messageID string) (wire.Message, error)
	// SelectBranch leads the chat's path through a message to the newest that descends from
	// it, and gives the id of that one. A claim may be nil; one on a key that is taken is
	// once.ErrTaken.
	SelectBranch(ctx context.Context, scope access.Scope, chatID, messageID string, claim *once.Claim) (last string, err error)
	// Image tells of an image of a chat of the project.
	Image(ctx context.Context, projectID, imageID string) (Image, error)
	ImageFiles
	// RenameChat sets the name that a user chose, and moves the chat to the
	// top of the order.
	RenameChat(ctx context.Context, scope access.Scope, chatID, name string, at float64) error
	// DeleteChat removes the chat with its messages, images and streams: they are
	// out of sight when it returns, and Sweep removes what is left of them. Of the
	// memories that came from it, those that are pending at the time go, and
	// the others lose what they hold of its messages.
	DeleteChat(ctx context.Context, scope access.Scope, chatID string, at float64) error
	// ChatOwner gives the user whom the chat belongs to, empty for none.
	ChatOwner(ctx context.Context, scope access.Scope, chatID string) (string, error)
	// SetFeedback rates an answer, over an earlier rating. A question is
	// ErrNotAnswer.
	SetFeedback(ctx context.Context, scope access.Scope, chatID, messageID string, positive bool) error
}

// Turns is the part of a Store that keeps questions with their answers while
// these are written.
type Turns interface {
	// BeginTurn stores the question, the empty answer, the stream and its first
	// events, leads the chat's path to the answer, and moves the chat to the top of the order.
	// With NewChat it makes the chat as well. With Edits, what waits to be examined of
	// the question that is edited goes, and so do memories of it that are pending. A
	// parent that is a question is ErrNotParent, an answer that is edited ErrNotQuestion. A claim
	// on a key that is taken is once.ErrTaken.
	BeginTurn(ctx context.Context, scope access.Scope, turn Turn) error
	// EndTurn stores the answer as it is for good, ends its stream, and makes end what
	// was stored: its events have their ids. With end.Name it names a chat that nobody
	// has named. After a further answer to a question that failed, or was stopped before its first
	// word, the path returns to where it was, unless it leads elsewhere by then. A stream that has
	// ended or is gone is fault.ErrNotFound, one that somebody else writes is stream.ErrTaken.
	// One that is parked is ended by its last epoch; where its calls have changed it is ErrStale.
	EndTurn(ctx context.Context, lease stream.Lease, answer wire.Message, end *End) error
	// EndBrokenTurns ends every answer that is open and that nobody writes any more, with the
	// text and the sources of its events and wire.FinishError, and gives their streams. An
	// answer that is parked is not broken. Its calls that somebody carried out who is gone
	// are due from then on.
	// In a Store of one process that is every open answer: the process before
	// broke them off. Where replicas share the Store, it is those of replicas whose leases ran
	// out, and orphans, which this one has begun without knowing it. The events of end
	// get the next ids of each stream.
	EndBrokenTurns(ctx context.Context, end End, orphans ...string) (streamIDs []string, err error)
	// SendOptions gives what Turn.Options was for a question, nil if that
	// isn't known.
	SendOptions(ctx context.Context, questionID string) (wire.JSON, error)
}

// Streams is the part of a Store that keeps streams after their end, as long as
// their answers.
type Streams interface {
	// Stream gives a stream of a chat in scope.
	Stream(ctx context.Context, scope access.Scope, streamID string) (StoredStream, error)
	// Retell adds a stream that has ended, of the answer that the stream old
	// is of. What was claimed for old is claimed for the new one; where nothing
	// was any more it is once.ErrTaken, and nothing is added.
	Retell(ctx context.Context, old, streamID string, end End) error
	// Sweep removes the events of streams that ended up to a time, claims that
	// were made up to another one, and what is left of what was deleted. It works
	// in steps, so that it holds no writer up for long, and goes on where an
	// earlier one was broken off.
	Sweep(ctx context.Context, ended, claimed float64) error
}

// Page says which messages of a chat a history has: at most Limit, the newest.
type Page struct {
	// Before is the id of a message before which they stand, empty for none.
	Before string
	// Through is the id of a message: the path leads through it to the newest that descends
	// from it. Empty is the chat's path.
	Through string
	// All gives the messages of every branch, in order of arrival.
	All   bool
	Limit int
}

// StoredStream is a stream as it is stored.
type StoredStream struct {
	Start wire.Start
	// Answer is as the history has it, without its StreamID.
	Answer wire.Message
	// EndedAt is 0 while the answer is being written.
	EndedAt float64
	// Parked tells that it waits for the calls of tools.
	Parked bool
	// LastID is the id of the last event so far.
	LastID int64
	// Error is the failure, nil of an answer that is complete.
	Error *Failure
}

// End is how a stream ends.
type End struct {
	At float64
	// Error is the failure, nil of an answer that is complete.
	Error *Failure
	// Name is for a chat that nobody has named; empty names none. A chat_name event in Events
	// tells it. A chat that has a name gets Unnamed instead.
	Name string
	// Calls are those that an answer leaves behind that was parked, which EndTurn stores as
	// SetCall does. What tells of them stands in Events.
	Calls []Call
	// Events are the last ones.
	Events []Event
}

// Unnamed gives the events without the one that tells of a new name.
func (e End) Unnamed() []Event {
	return slices.DeleteFunc(slices.Clone(e.Events), func(event Event) bool { return event.Type == wire.EventChatName })
}

// Turn is a question with the answer that is about to be written.
type Turn struct {
	// NewChat is the chat to make with the turn, nil where ChatID of the
	// question names one that exists.
	NewChat *wire.Chat
	// StreamID names the stream that carries the answer.
	StreamID string
	// Question has the ids of its images as ImageURLs.
	Question wire.Message
	// Images are those of a new question.
	Images []ImageFile
	// Options are what the question was sent with beside what it holds, as a
	// JSON object.
	Options wire.JSON
	Answer  wire.Message
	// Again tells that the question is there, and the answer stands beside its others.
	Again bool
	// Parent is the id of the answer that a new question follows, empty for the last one of
	// the chat's path.
	Parent string
	// Edits is the id of a question beside which a new one stands, empty for none.
	Edits string
	// Asked is what an answer with tools was asked for with; nil is one without.
	Asked *Asked
	// Claim takes a key for the stream; nil takes none.
	Claim *once.Claim
	// Events begin the stream. BeginTurn gives them their ids, in place.
	Events []Event
	// Examine puts the question into the queue of messages to examine, if the
	// chat belongs to a user and memory is on; nil does not.
	Examine *Examine
}

// Examine asks for a question to be examined for memories, in the background.
type Examine struct {
	// AgentID is the agent that would remember.
	AgentID string
	// Enabled tells whether its memory is on where nobody has set that.
	Enabled bool
}

// Event is one event of a stream.
type Event = stream.Event
