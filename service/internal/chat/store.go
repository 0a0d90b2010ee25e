package chat

import (
	"context"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// Untitled is the name of a chat that nobody has named yet.
const Untitled = "Untitled"

// Store keeps chats, messages, streams and idempotency keys. Each method except Sweep happens as
// a whole or not at all, like a transaction. If something does not exist or lies outside the
// scope, the error is fault.ErrNotFound in both cases. Every method is safe for concurrent use.
// The tests in package storetest define what a Store must do.
type Store interface {
	Chats
	Turns
	Parkings
	toolcall.Store
	Streams
	// AppendEvents returns fault.ErrNotFound if the stream has ended or was deleted.
	stream.Store
	once.Store
}

// Chats is the part of a Store that keeps chats.
type Chats interface {
	// CreateChat stores a chat that belongs to scope. A chat with the name Untitled is named
	// after its first exchange. The used key may be nil; if it is taken, the error is
	// once.ErrTaken.
	CreateChat(ctx context.Context, scope access.Scope, chat wire.Chat, used *once.UsedKey) error
	// Chat returns a chat as CreateChat got it, with its current name.
	Chat(ctx context.Context, scope access.Scope, chatID string) (wire.Chat, error)
	// ListChats returns up to limit chats, newest activity first, whose position in the project's
	// order is below cursor; 0 begins with the newest.
	ListChats(ctx context.Context, scope access.Scope, cursor int64, limit int) (wire.ListChatsResponse, error)
	// ChatHistory returns the chat with the messages of its current path, from the first question
	// to the last answer. An answer that is being written has the text and the sources of its
	// events so far, and its StreamID.
	ChatHistory(ctx context.Context, scope access.Scope, chatID string) (wire.ChatHistoryResponse, error)
	// HistoryPage is like ChatHistory with a selection of messages. It reads no more than it
	// returns, and may begin with an answer whose question is left out. If the page should be
	// before or through a message that the chat doesn't have, the error is ErrNoSuchMessage.
	HistoryPage(ctx context.Context, scope access.Scope, chatID string, page Page) (wire.ChatHistoryResponse, error)
	// Recent returns the newest finished exchanges before the question with the id before, or of
	// the chat's current path if before is empty: each question with its answer, oldest first,
	// images only with their ids. It reads no more than it returns: whole exchanges that cost at
	// most tokens together, and MaxExchanges at most. If an answer has no text, only its question
	// is returned.
	Recent(ctx context.Context, scope access.Scope, chatID, before string, tokens int) ([]answering.PromptMessage, error)
	// Message returns a message of a chat, as the history has it.
	Message(ctx context.Context, scope access.Scope, chatID, messageID string) (wire.Message, error)
	// SelectBranch makes the chat's current path lead through a message to its newest descendant,
	// and returns the id of that. The used key may be nil; if it is taken, the error is
	// once.ErrTaken.
	SelectBranch(ctx context.Context, scope access.Scope, chatID, messageID string, used *once.UsedKey) (last string, err error)
	// Image returns an image of a chat of the project, without its file.
	Image(ctx context.Context, projectID, imageID string) (images.Image, error)
	images.Files
	// RenameChat sets the name that a user chose, and moves the chat to the top of the order. It tells
	// the readers of each open stream of the chat, with NameEvent, and returns the ids of these streams.
	RenameChat(ctx context.Context, scope access.Scope, chatID, name string, at float64) (told []string, err error)
	// DeleteChat removes the chat with its messages, images and streams. They are invisible when
	// it returns, and Sweep removes what is left of them. Memories that came from the chat are
	// deleted if they are pending; the others lose what they hold of its messages.
	DeleteChat(ctx context.Context, scope access.Scope, chatID string, at float64) error
	// ChatOwner returns the user who owns the chat, empty for none.
	ChatOwner(ctx context.Context, scope access.Scope, chatID string) (string, error)
	// SetFeedback rates an answer, and replaces an earlier rating. For a question the error is
	// ErrNotAnswer.
	SetFeedback(ctx context.Context, scope access.Scope, chatID, messageID string, positive bool) error
}

// Turns is the part of a Store that keeps questions with their answers while the answers are
// being written.
type Turns interface {
	// BeginTurn stores the question, the empty answer, the stream and its first events, makes the
	// chat's current path lead to the answer, and moves the chat to the top of the order. With
	// NewChat it also creates the chat. With Edits it deletes pending memories of the edited
	// question, and the question no longer waits to be examined. A parent that is a question is
	// ErrNotParent, and an edited message that is an answer is ErrNotQuestion. If the key
	// is taken, the error is once.ErrTaken.
	BeginTurn(ctx context.Context, scope access.Scope, turn Turn) error
	// EndTurn stores the final answer, ends its stream, and sets end to what was stored: its
	// events have their ids. With end.Name it names the chat, unless somebody has already named
	// it. If a further answer to a question failed, or was stopped before its first word, the
	// chat's path returns to where it was, unless it has been changed meanwhile. If the stream
	// has ended or was deleted, the error is fault.ErrNotFound; if somebody else writes it, it is
	// stream.ErrTaken. The last epoch of a parked answer may end it; if its calls have changed,
	// the error is ErrStale.
	EndTurn(ctx context.Context, lease stream.Lease, answer wire.Message, end *End) error
	// EndBrokenTurns ends every open answer that nobody writes any more, with the text and the
	// sources of its events and wire.FinishError, and returns their streams. A parked answer is
	// not broken. Calls that were being carried out by a process that no longer runs become
	// due. In a Store of one process, every open answer is broken: the previous process left
	// it. If replicas share the Store, the broken answers are those of replicas whose leases
	// have expired, and orphans, which this replica has begun without knowing it. The events of
	// end get the next ids of each stream.
	EndBrokenTurns(ctx context.Context, end End, orphans ...string) (streamIDs []string, err error)
	// SendOptions returns Turn.Options of a question, nil if they are not known.
	SendOptions(ctx context.Context, questionID string) (wire.JSON, error)
}

// Streams is the part of a Store that keeps streams after their end, as long as their answers.
type Streams interface {
	// StreamHead is Stream without the answer: it reads no events.
	StreamHead(ctx context.Context, scope access.Scope, streamID string) (StoredStream, error)
	// Stream returns a stream of a chat in scope.
	Stream(ctx context.Context, scope access.Scope, streamID string) (StoredStream, error)
	// Retell adds a stream that has ended, for the answer of the stream old. Used keys of old
	// become used keys of the new stream. If there is none any more, the error is
	// once.ErrTaken, and nothing is added.
	Retell(ctx context.Context, old, streamID string, end End) error
	// Sweep removes the events of streams that ended up to one time, used keys that were made up to
	// another time, and what is left of deleted things. It works in small steps so that it
	// doesn't block writers for long, and continues where an interrupted sweep stopped.
	Sweep(ctx context.Context, ended, claimed float64) error
}

// Page says which messages of a chat a history has: the newest, at most Limit.
type Page struct {
	// Before is the id of a message that follows the page, empty for the newest page.
	Before string
	// Through is the id of a message: the path leads through it to its newest descendant. Empty
	// means the chat's current path.
	Through string
	// All selects the messages of all branches, in order of arrival.
	All   bool
	Limit int
	// Bytes bounds what is stored of the messages together, with their calls; 0 is no bound. A page
	// has at least one message, however large it is.
	Bytes int64
}

// messageBytes is about what a message takes in memory beside its text.
const messageBytes = 1 << 10

// Fit says how many of these messages are on the page, and how many bytes they take. sizes are what is
// stored of each, the newest first.
func (p Page) Fit(sizes []int64) (count int, bytes int64) {
	for _, size := range sizes[:min(len(sizes), p.Limit)] {
		if count > 0 && p.Bytes > 0 && bytes+size > p.Bytes {
			break
		}
		count, bytes = count+1, bytes+size
	}
	return count, bytes + int64(count)*messageBytes
}

// Cut leaves out the oldest messages of a page if the ids of their siblings would make it larger than
// Bytes: each of a thousand answers to one question names all others. It returns how many bytes the ids of
// the rest take.
func (p Page) Cut(history *wire.ChatHistoryResponse) (bytes int64) {
	for i, m := range slices.Backward(history.Messages) {
		if len(m.Siblings) == 0 {
			continue
		}
		more := int64(len(m.Siblings)) * int64(len(m.Siblings[0])+len(`"",`))
		if isNewest := i == len(history.Messages)-1; !isNewest && p.Bytes > 0 && bytes+more > p.Bytes {
			history.Messages, history.HasMore = history.Messages[i+1:], true
			break
		}
		bytes += more
	}
	return bytes
}

// StoredStream is a stream as it is stored.
type StoredStream struct {
	Start wire.Start
	// Answer is the answer as the history has it, without its StreamID.
	Answer wire.Message
	// EndedAt is 0 while the answer is being written.
	EndedAt float64
	// Parked reports whether the answer waits for tool calls.
	Parked bool
	// LastID is the id of the last event so far.
	LastID int64
	// Error is the failure, nil if the answer is complete.
	Error *Failure
}

// End describes how a stream ends.
type End struct {
	At float64
	// Error is the failure, nil if the answer is complete.
	Error *Failure
	// Name is for a chat that nobody has named; empty sets no name. Events contains a chat_name
	// event for it. If the chat already has a name, use Unnamed instead of Events.
	Name string
	// Calls are the open calls of a parked answer that ends, which EndTurn stores as SetCall
	// does. Their events are in Events.
	Calls []toolcall.Call
	// Events are the last events of the stream.
	Events []Event
	// Marks are those that the model wrote into the answer. Recent gives them back; nobody else gets them.
	Marks []answering.Mark
}

// Unnamed returns the events without the one about a new name.
func (e End) Unnamed() []Event {
	return slices.DeleteFunc(slices.Clone(e.Events), func(event Event) bool { return event.Type == wire.EventChatName })
}

// Turn is a question, with its answer that is about to be written.
type Turn struct {
	// NewChat is the chat to create with the turn, nil if the question's ChatID names one that
	// exists.
	NewChat *wire.Chat
	// StreamID identifies the stream that carries the answer.
	StreamID string
	// Question has the ids of its images as ImageURLs.
	Question wire.Message
	// Images are the images of a new question.
	Images []images.File
	// Options are the options of the question that its fields don't hold, as a JSON object.
	Options wire.JSON
	Answer  wire.Message
	// Again reports whether the question exists already and gets a further answer.
	Again bool
	// Parent is the id of the answer that a new question follows, empty for the last one of the
	// chat's current path.
	Parent string
	// Edits is the id of the question that the new one is a new version of, empty for none.
	Edits string
	// Asked is what an answer with tools was requested with; nil for an answer without tools.
	Asked *Asked
	// Key takes a key for the stream; nil takes none.
	Key *once.UsedKey
	// Events begin the stream. BeginTurn sets their ids in place.
	Events []Event
	// Examine puts the question into the queue of messages to examine, if the chat belongs to a
	// user and memory is on; nil does not.
	Examine *Examine
}

// Examine requests that a question is examined for memories in the background.
type Examine struct {
	// AgentID is the agent that would remember.
	AgentID string
	// Enabled reports whether the agent's memory is on by default.
	Enabled bool
}

// Event is one event of a stream.
type Event = stream.Event
