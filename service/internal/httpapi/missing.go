package httpapi

import (
	"errors"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// notFound says what was not found and which field named it. It says no more, so that
// nobody can tell somebody else's thing from one that does not exist.
func notFound(thing, field string) *chat.Error {
	return &chat.Error{Code: wire.CodeNotFound, Message: thing + " not found", Fields: []string{field}}
}

// thingsNotFound are what the errors of the other packages mean, unless a route
// says something else by missing. The narrower errors come first.
var thingsNotFound = []struct {
	err  error
	told *chat.Error
}{
	{chat.ErrNoMessage, notFound("Message", "message_id")},
	{chat.ErrNotFound, notFound("Chat", "chat_id")},
	{memory.ErrNoAgent, notFound("Agent", "agent_id")},
	{memory.ErrNotFound, notFound("Memory", "memory_id")},
	{knowledge.ErrNotFound, notFound("Document", "document_key")},
}

// missing replaces an error by which something was not found, on a route where
// another field named the thing. Other errors stay as they are.
func missing(err error, thing, field string) error {
	for _, one := range thingsNotFound {
		if errors.Is(err, one.err) {
			return notFound(thing, field)
		}
	}
	return err
}

// fieldKey is the field of a repeat that names the request before.
const fieldKey = "idempotency-key"
