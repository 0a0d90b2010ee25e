package memory

import (
	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// errDecided refuses a second decision.
var errDecided = &fault.Error{Code: wire.CodeConflict, Message: "The memory is already decided"}

// errRejected refuses to edit a memory that is not in use.
var errRejected = &fault.Error{Code: wire.CodeConflict, Message: "The memory is rejected; write a new one"}

// errFull refuses a memory because the user has as many as allowed.
var errFull = &fault.Error{Code: wire.CodeQuotaExceeded, Message: "The user has as many memories as a user may have; delete some"}

// errSame names the memory that already says the same.
func errSame(other wire.Memory) error {
	return &fault.Error{Code: wire.CodeConflict, Message: "The " + other.Status + " memory " + other.ID + " says the same", Fields: []string{"memory_content"}}
}

var (
	errNoAgent   = fault.NotFound("Agent", "agent_id")
	errOtherUser = &fault.Error{Code: wire.CodePermissionDenied, Message: "Only administrators may name another user", Fields: []string{"user_id"}}
	errWriting   = &fault.Error{Code: wire.CodePermissionDenied, Message: "Only administrators may write memories by hand"}
	errErasures  = &fault.Error{Code: wire.CodePermissionDenied, Message: "Only administrators may see the list of erasures"}
	errSettings  = &fault.Error{Code: wire.CodePermissionDenied, Message: "Only administrators may change the settings of an agent"}
)
