package memory

import (
	"context"
	"sync"
)

// overlooked remembers for which agents the operator was told about messages that are nobody's.
type overlooked struct {
	mu   sync.Mutex
	next map[agentOf]float64 // when to look at the agent's settings again; not at all if it was told
}

// agentOf is an agent of a project, which has its own settings.
type agentOf struct{ projectID, agentID string }

// lookAgain is after how many seconds the settings of an agent are looked at again.
const lookAgain = 60

// Overlook tells the operator, once for each agent whose memory is on, that messages are not examined
// that an API key sends without a user: it is not known whom they are about.
func (s *Service) Overlook(ctx context.Context, projectID, agentID string) {
	agent := agentOf{projectID, agentID}
	if !s.overlooked.due(agent, s.now()) {
		return
	}
	set, err := s.config.Store.MemorySettings(ctx, projectID, agentID)
	if err != nil || !s.rules(agentID, set).Enabled || !s.overlooked.tell(agent) {
		return
	}
	s.config.Log.Warn("messages that an API key sends without a user are nobody's, and are not examined for memories; "+
		"send x-user-id, or userId in the SDK, or an access token", "project_id", projectID, "agent_id", agentID)
}

func (o *overlooked) due(agent agentOf, now float64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.next == nil {
		o.next = map[agentOf]float64{}
	}
	next, known := o.next[agent]
	if known && (next < 0 || now < next) {
		return false
	}
	o.next[agent] = now + lookAgain
	return true
}

// tell reports whether the operator was not told before.
func (o *overlooked) tell(agent agentOf) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.next[agent] < 0 {
		return false
	}
	o.next[agent] = -1
	return true
}
