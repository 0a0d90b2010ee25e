package httpapi

import "github.com/chatsdk/chatsdk/service/internal/fault"

// things are what the variables of a path name. Where a path has two, the first of
// them here is what wasn't found.
var things = []struct{ variable, thing string }{
	{"stream_id", "Stream"}, {"call_id", "Call"}, {"image_id", "Image"}, {"memory_id", "Memory"}, {"document_key", "Document"}, {"agent_id", "Agent"},
}

// notFound is what was not found where nothing else says it: what the path names, else
// the chat.
func (c *call) notFound() *fault.Error {
	for _, one := range things {
		if _, named := c.path[one.variable]; named {
			return fault.NotFound(one.thing, one.variable)
		}
	}
	return fault.NotFound("Chat", "chat_id")
}

// missing says what was not found where the error doesn't, on a route where
// another field named the thing. Other errors stay as they are.
func missing(err error, thing, field string) error {
	if err != nil && fault.Of(err) == fault.ErrNotFound {
		return fault.NotFound(thing, field)
	}
	return err
}

// fieldKey is the field of a repeat that names the request before.
const fieldKey = "idempotency-key"
