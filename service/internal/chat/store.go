package chat

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Untitled is the name of a chat that nobody has named yet.
const Untitled = "Untitled"

// Scope is whose chats a call may reach.
type Scope struct {
	ProjectID string
	// UserID owns what is made and limits what is found to what this user owns.
	// Empty is an API key that acts for nobody: what it makes belongs to no
	// user, and it finds everything in the project.
	UserID string
}

// Store keeps chats, messages and streams. Each method is one transaction: it
// happens whole or not at all. What does not exist and what lies outside the
// scope are the same ErrNotFound. Every method is safe for concurrent use.
// Package storetest says in tests what a Store must do.
type Store interface {
	Chats
	Turns
}

// Chats is the part of a Store that keeps chats.
type Chats interface {
	// CreateChat stores a chat that belongs to scope. The name Untitled leaves
	// it to be named by its first exchange.
	CreateChat(ctx context.Context, scope Scope, chat wire.Chat) error
	// ListChats gives up to limit chats, newest activity first, whose place in
	// the project's order lies below cursor; 0 begins at the newest.
	ListChats(ctx context.Context, scope Scope, cursor int64, limit int) (wire.ListChatsResponse, error)
	// ChatHistory gives the chat with its messages: questions in order of
	// arrival, each answer right after its question. An answer that is being
	// written has the text of its events so far and its StreamID.
	ChatHistory(ctx context.Context, scope Scope, chatID string) (wire.ChatHistoryResponse, error)
	// RenameChat sets the name that a user chose, and moves the chat to the
	// top of the order.
	RenameChat(ctx context.Context, scope Scope, chatID, name string, at float64) error
	// DeleteChat removes the chat with its messages and streams. Of the
	// memories that came from it, those that are pending at the time go, and
	// the others lose what they hold of its messages.
	DeleteChat(ctx context.Context, scope Scope, chatID string, at float64) error
	// ChatOwner gives the user whom the chat belongs to, empty for none.
	ChatOwner(ctx context.Context, scope Scope, chatID string) (string, error)
	// SetFeedback rates an answer, over an earlier rating. A question is
	// ErrNotAnswer.
	SetFeedback(ctx context.Context, scope Scope, chatID, messageID string, positive bool) error
}

// Turns is the part of a Store that keeps questions with their answers while
// these are written.
type Turns interface {
	// BeginTurn stores the question, the empty answer, the stream and its first
	// events, and moves the chat to the top of the order. With NewChat it
	// makes the chat as well.
	BeginTurn(ctx context.Context, scope Scope, turn Turn) error
	// AppendEvents adds events to a stream. A stream that is gone because its
	// chat was deleted is ErrNotFound.
	AppendEvents(ctx context.Context, streamID string, events []Event) error
	// NameChat names a chat that nobody has named, and tells whether it did.
	NameChat(ctx context.Context, chatID, name string, at float64) (bool, error)
	// EndTurn stores the answer as it is for good and drops its stream. A
	// stream that is gone is ErrNotFound.
	EndTurn(ctx context.Context, streamID string, answer wire.Message) error
	// EndBrokenTurns ends every answer that is still being written, with the
	// text of its events and wire.FinishError, and tells how many there were. A
	// service calls it when it starts: what is open then was broken off.
	EndBrokenTurns(ctx context.Context) (int, error)
}

// Turn is a question with the answer that is about to be written.
type Turn struct {
	// NewChat is the chat to make with the turn, nil where ChatID of the
	// question names one that exists.
	NewChat *wire.Chat
	// StreamID names the stream that carries the answer.
	StreamID string
	Question wire.Message
	Answer   wire.Message
	// Events begin the stream.
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
type Event struct {
	// ID counts 1, 2, 3 … within the stream.
	ID int64
	// Type is one of the Event constants of package wire.
	Type string
	// Data is a JSON text in one line.
	Data []byte
}
