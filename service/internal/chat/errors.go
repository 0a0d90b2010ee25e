package chat

import (
	"fmt"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var (
	// errNoChat is how an answer ends whose chat is deleted.
	errNoChat = fault.NotFound("Chat", "chat_id")
	// errNoMessage is a message that does not exist in a chat that does.
	errNoMessage = fault.NotFound("Message", "message_id")
)

var (
	// ErrNotAnswer is a rating of a message that is no answer.
	ErrNotAnswer = fault.Invalid("message_id", "Feedback belongs to answers, and this message is a question")
	// ErrNoSuchMessage is a page of a history before a message that isn't there.
	ErrNoSuchMessage = fault.Invalid("before", "before is no message of this chat")
	// ErrNotParent is a question instead of the answer that a new one follows.
	ErrNotParent = fault.Invalid(wire.FieldParentID, "parent_id is a question; name the answer that the message follows")
	// ErrNotQuestion is an edit of an answer.
	ErrNotQuestion = fault.Invalid(wire.FieldEdits, "edits is an answer; name the question to edit")
)

// totalDelay is when to try again what goes over a total. Waiting doesn't help:
// it is longer than any client waits by itself.
const totalDelay = time.Hour

// TooManyChats is the refusal of a chat more than limit.
func TooManyChats(limit int) *fault.Error {
	return &fault.Error{
		Code: wire.CodeQuotaExceeded, Message: fmt.Sprintf("There are %d chats already, which is as many as a user may have: delete some first", limit),
		RetryAfter: totalDelay,
	}
}

// TooManyStreams is the refusal of an answer more than a user may have written at once.
func TooManyStreams() *fault.Error {
	return &fault.Error{Code: wire.CodeQuotaExceeded, Message: "Too many answers are being written at once; wait for one to end", RetryAfter: time.Second}
}

// TooManySends is the refusal of a message more than a user may send in a minute.
func TooManySends(wait time.Duration) *fault.Error {
	return &fault.Error{Code: wire.CodeRateLimited, Message: "Too many messages in a minute; wait before sending more", RetryAfter: wait}
}
