package chat

import (
	"encoding/json"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// waiting is what a client that waits for a whole answer knows about its calls.
type waiting struct {
	now  func() float64
	open map[string]wire.ToolCall // the calls that are not settled
	// looked says that the answer was looked at since the last event, and that the client gets
	// nothing of it yet.
	looked bool
}

// parkedLong is how many seconds an answer is parked before a waiting client gets it as it is.
const parkedLong = 30

// mayTell reports whether the answer seems to be parked, so that the client may get it as it is.
func (w waiting) mayTell() bool { return len(w.open) > 0 && !w.looked }

// timer fires when the waiting client may get the answer as it is, or after a silence.
func (w waiting) timer(quiet time.Duration) <-chan time.Time {
	if !w.mayTell() {
		return time.After(quiet)
	}
	if w.isUpToOthers() {
		return time.After(0)
	}
	until := 0.0
	for _, call := range w.open {
		until = max(until, call.RequestedAt+parkedLong)
	}
	return time.After(time.Duration((until - w.now()) * float64(time.Second)))
}

// isUpToOthers reports whether all open calls are for people to decide or for pages to carry out.
func (w waiting) isUpToOthers() bool {
	for _, call := range w.open {
		if call.Status != wire.CallAwaiting && (call.Status != wire.CallApproved || call.Kind != wire.ToolPage) {
			return false
		}
	}
	return true
}

// add adds an event to the whole answer, or returns the failure that the event reports.
func (w waiting) add(response *wire.SendMessageResponse, event Event) error {
	switch event.Type {
	case wire.EventToolCall:
		var call wire.ToolCall
		err := json.Unmarshal(event.Data, &call)
		w.open[call.ID] = call
		if toolcall.IsSettled(call.Status) {
			delete(w.open, call.ID)
		}
		return err
	case wire.EventChatName:
		var name wire.ChatName
		err := json.Unmarshal(event.Data, &name)
		response.ChatName = name.Name
		return err
	case wire.EventComplete:
		clear(w.open) // calls that still run no longer matter
		var whole wire.Complete
		err := json.Unmarshal(event.Data, &whole)
		response.Message, response.ChatID, response.MessageID = whole.Message, whole.Message.ChatID, whole.Message.ID
		return err
	case wire.EventError:
		var failed Failure
		if err := json.Unmarshal(event.Data, &failed); err != nil {
			return err
		}
		return failed.AsError()
	}
	return nil
}
