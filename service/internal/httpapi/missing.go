package httpapi

import "github.com/chatsdk/chatsdk/service/internal/fault"

// things says what the variables of a path name. If a path has two of them, the one that comes
// first here is reported as not found.
var things = []struct{ variable, thing string }{
	{"stream_id", "Stream"}, {"call_id", "Call"}, {"image_id", "Image"}, {"memory_id", "Memory"}, {"document_key", "Document"}, {"agent_id", "Agent"},
}

// notFound is the error if nothing more precise is known: it names the thing that the path names,
// or else the chat.
func (c *exchange) notFound() *fault.Error {
	for _, one := range things {
		if _, named := c.path[one.variable]; named {
			return fault.NotFound(one.thing, one.variable)
		}
	}
	return fault.NotFound("Chat", "chat_id")
}

// missing makes an error that says what was not found, on a route where a field of the body names
// it. Other errors stay as they are.
func missing(err error, thing, field string) error {
	if err != nil && fault.Of(err) == fault.ErrNotFound {
		return fault.NotFound(thing, field)
	}
	return err
}

// fieldKey is the idempotency key's field, in the error of a repeat.
const fieldKey = "idempotency-key"
