package httpapi

import (
	"errors"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// notFound says what was not found and which field named it. It knows no more
// than that, so that what is somebody else's and what is nowhere are told alike.
func notFound(thing, field string) *chat.Error {
	return &chat.Error{Code: wire.CodeNotFound, Message: thing + " not found", Fields: []string{field}}
}

// thingsNotFound are what the errors of the other packages stand for where a
// route says nothing else. The narrower ones come first.
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

// missing is told in the place of an error by which something was not found, on
// a route where another field named it; other errors stay as they are.
func missing(err error, thing, field string) error {
	for _, one := range thingsNotFound {
		if errors.Is(err, one.err) {
			return notFound(thing, field)
		}
	}
	return err
}

// fieldKey stands for the request before, which a repeat names by its key.
const fieldKey = "idempotency-key"
