package chat

import (
	"encoding/json"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// waiting is what who waits for a whole answer knows of its calls.
type waiting struct {
	now  func() float64
	open map[string]wire.ToolCall // those that are not settled
}

// parkedLong is how long an answer is parked until who waits for it is told so, in seconds.
const parkedLong = 30

// timer fires when who waits is to be told so, unless the answer is not parked.
func (w waiting) timer() <-chan time.Time {
	if len(w.open) == 0 {
		return nil
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

// isUpToOthers tells that all that is open is for people to decide or for pages to carry out.
func (w waiting) isUpToOthers() bool {
	for _, call := range w.open {
		if call.Status != wire.CallAwaiting && (call.Status != wire.CallApproved || call.Kind != wire.ToolPage) {
			return false
		}
	}
	return true
}

// add adds what an event says of the whole answer, or gives its failure.
func (w waiting) add(response *wire.SendMessageResponse, event Event) error {
	switch event.Type {
	case wire.EventToolCall:
		var call wire.ToolCall
		err := json.Unmarshal(event.Data, &call)
		w.open[call.ID] = call
		if IsSettled(call.Status) {
			delete(w.open, call.ID)
		}
		return err
	case wire.EventChatName:
		var name wire.ChatName
		err := json.Unmarshal(event.Data, &name)
		response.ChatName = name.Name
		return err
	case wire.EventComplete:
		clear(w.open) // what still runs was left behind
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
