package chat

import (
	"fmt"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var (
	// errNoChat ends an answer whose chat is deleted.
	errNoChat = fault.NotFound("Chat", "chat_id")
	// errNoMessage says that the chat exists, but not the message.
	errNoMessage = fault.NotFound("Message", "message_id")
)

var (
	// ErrNotAnswer refuses to rate a message that is not an answer.
	ErrNotAnswer = fault.Invalid("message_id", "message_id is a question; only answers can be rated")
	// ErrNoSuchMessage says that the message before which a page should begin does not exist.
	ErrNoSuchMessage = fault.Invalid("before", "before is not the id of a message of this chat")
	// ErrNotParent says that a new message should follow a question instead of an answer.
	ErrNotParent = fault.Invalid(wire.FieldParentID, "parent_id is a question; send the id of the answer that the message follows")
	// ErrNotQuestion refuses to edit an answer.
	ErrNotQuestion = fault.Invalid(wire.FieldEdits, "edits is an answer; send the id of the question to edit")
)

// totalDelay is the retry-after of a request that exceeds a quota. Waiting doesn't help, so it is
// longer than any client waits automatically.
const totalDelay = time.Hour

// TooManyChats refuses a new chat because the user has as many as allowed.
func TooManyChats(limit int) *fault.Error {
	return &fault.Error{
		Code: wire.CodeQuotaExceeded, Message: fmt.Sprintf("You have reached the limit for chats, which is %d: delete some first", limit),
		RetryAfter: totalDelay,
	}
}

// TooManyStreams refuses an answer because too many answers of the user are being written.
func TooManyStreams() *fault.Error {
	return &fault.Error{Code: wire.CodeQuotaExceeded, Message: "Too many answers are being written at once; wait for one to end", RetryAfter: time.Second}
}

// TooManySends refuses a message because the user has sent too many in this minute.
func TooManySends(wait time.Duration) *fault.Error {
	return &fault.Error{Code: wire.CodeRateLimited, Message: "Too many messages in a minute; wait before sending more", RetryAfter: wait}
}
