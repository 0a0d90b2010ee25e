package memory

import (
	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// errDecided is the end of whoever comes second, or late.
var errDecided = &fault.Error{Code: wire.CodeConflict, Message: "The memory is already decided"}

var (
	errNoAgent   = fault.NotFound("Agent", "agent_id")
	errOtherUser = &fault.Error{Code: wire.CodePermissionDenied, Message: "Only administrators may name another user", Fields: []string{"user_id"}}
	errSettings  = &fault.Error{Code: wire.CodePermissionDenied, Message: "Only administrators may change the settings of an agent"}
)
