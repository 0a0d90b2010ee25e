package knowledge

import (
	"fmt"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// TooLarge refuses a file that has more bytes than limit.
func TooLarge(limit int64) *fault.Error {
	return &fault.Error{
		Code: wire.CodePayloadTooLarge, Message: fmt.Sprintf("file is too large, want at most %d bytes: upload it in parts", limit),
		Fields: []string{wire.FieldFile},
	}
}

// totalDelay is the retry-after of a request that exceeds a quota. Waiting doesn't help, so it is
// longer than any client waits automatically.
const totalDelay = time.Hour

// TooManyDocuments refuses a document of a user who already has limit of them.
func TooManyDocuments(limit int) *fault.Error {
	return overTotal("There are %d documents already, which is as many as a user may have: delete some first", limit)
}

// TooManyBytes refuses a file that would bring a user's documents over limit bytes.
func TooManyBytes(limit int) *fault.Error {
	return overTotal("With this file your documents would have more than %d bytes, which is as many as a user may have: delete some first", limit)
}

func overTotal(format string, limit int) *fault.Error {
	return &fault.Error{Code: wire.CodeQuotaExceeded, Message: fmt.Sprintf(format, limit), RetryAfter: totalDelay}
}

var errProjects = &fault.Error{Code: wire.CodePermissionDenied, Message: "Only administrators may delete what belongs to the project"}
