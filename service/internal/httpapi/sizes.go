package httpapi

import (
	"fmt"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// checkMetadata refuses metadata of a field if it is too large.
func (l Limits) checkMetadata(metadata wire.JSON, field string) error {
	return atMost(l.MetadataBytes, field, len(metadata))
}

// checkUser refuses a user's id that is too long. Data that is already stored for a user with
// such an id can still be read and deleted with an API key, so ids in a path or a filter are not
// checked.
func (l Limits) checkUser(userID, field string) error {
	return atMost(l.UserIDBytes, field, len(userID))
}

func atMost(limit int, field string, bytes int) error {
	if limit == 0 || bytes <= limit {
		return nil
	}
	return &fault.Error{
		Code: wire.CodePayloadTooLarge, Message: fmt.Sprintf("%s has %d bytes, want at most %d", field, bytes, limit), Fields: []string{field},
	}
}
