package memory

import (
	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// errDecided is the end of whoever comes second, or late.
var errDecided = &fault.Error{Code: wire.CodeConflict, Message: "The memory is already decided"}

// errRejected is the end of an edit of what is in no use.
var errRejected = &fault.Error{Code: wire.CodeConflict, Message: "The memory is rejected; write a new one"}

// errFull is the end of a memory too many.
var errFull = &fault.Error{Code: wire.CodeQuotaExceeded, Message: "The user has as many memories as may be kept; delete some"}

// errSame names the memory that says the same already.
func errSame(other wire.Memory) error {
	return &fault.Error{Code: wire.CodeConflict, Message: "The " + other.Status + " memory " + other.ID + " says the same", Fields: []string{"memory_content"}}
}

var (
	errNoAgent   = fault.NotFound("Agent", "agent_id")
	errOtherUser = &fault.Error{Code: wire.CodePermissionDenied, Message: "Only administrators may name another user", Fields: []string{"user_id"}}
	errWriting   = &fault.Error{Code: wire.CodePermissionDenied, Message: "Only administrators may write memories by hand"}
	errErasures  = &fault.Error{Code: wire.CodePermissionDenied, Message: "Only administrators may see what was erased"}
	errSettings  = &fault.Error{Code: wire.CodePermissionDenied, Message: "Only administrators may change the settings of an agent"}
)
