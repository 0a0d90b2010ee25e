package memory

import (
	"context"
	"sync"
)

// overlooked remembers for which agents the operator was told about messages that are nobody's.
type overlooked struct {
	mu   sync.Mutex
	next map[string]float64 // when to look at the agent's settings again; not at all if it was told
}

// lookAgain is after how many seconds the settings of an agent are looked at again.
const lookAgain = 60

// Overlook tells the operator, once for each agent whose memory is on, that messages are not examined
// that an API key sends without a user: it is not known whom they are about.
func (s *Service) Overlook(ctx context.Context, projectID, agentID string) {
	if !s.overlooked.due(agentID, s.now()) {
		return
	}
	set, err := s.config.Store.MemorySettings(ctx, projectID, agentID)
	if err != nil || !s.rules(agentID, set).Enabled || !s.overlooked.tell(agentID) {
		return
	}
	s.config.Log.Warn("messages that an API key sends without a user are nobody's, and are not examined for memories; "+
		"send x-user-id, or userId in the SDK, or an access token", "agent_id", agentID)
}

func (o *overlooked) due(agentID string, now float64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.next == nil {
		o.next = map[string]float64{}
	}
	next, known := o.next[agentID]
	if known && (next < 0 || now < next) {
		return false
	}
	o.next[agentID] = now + lookAgain
	return true
}

// tell reports whether the operator was not told before.
func (o *overlooked) tell(agentID string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.next[agentID] < 0 {
		return false
	}
	o.next[agentID] = -1
	return true
}
