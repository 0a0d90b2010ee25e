package toolcall

import (
	"cmp"
	"net/url"
	"slices"
	"sync"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// What Limits are without a value.
const (
	DefaultRunningCalls        = 256
	DefaultRunningCallsPerUser = 32
	DefaultRunningCallsPerTool = 64
)

// ToolKey names a tool of an agent.
type ToolKey struct{ AgentID, Name string }

// ToolUser names a user's calls of a tool.
type ToolUser struct {
	ToolKey
	UserID string
}

func toolKey(c Call) ToolKey   { return ToolKey{c.AgentID, c.Name} }
func toolUser(c Call) ToolUser { return ToolUser{toolKey(c), c.Owner} }

// serverOf names what carries a tool's calls out: the host of an http tool, the prefix of an MCP
// server.
func serverOf(one *tool.Tool) string {
	if address, err := url.Parse(one.Address); err == nil && one.Kind == wire.ToolHTTP {
		return one.Kind + " " + address.Host
	}
	return one.Kind + " " + one.Address
}

// slots bound how many calls this process carries out at once, with a share for each user, each
// tool and each server: who waits for a server that is away holds up nobody else. The first call of
// a tool always gets a slot, and so does the first of each tool that a user calls, so that a tool or
// a user whose share is taken still has all other tools.
type slots struct {
	limits Limits

	mu sync.Mutex
	// carried are the calls that this process carries out, by their ids.
	carried map[string]slot
	users   map[string]int
	tools   map[ToolKey]int
	both    map[ToolUser]int
	servers map[string]int
}

// slot is whose share a call takes.
type slot struct {
	user   ToolUser
	server string
}

func newSlots(limits Limits) *slots {
	limits.Running = cmp.Or(limits.Running, DefaultRunningCalls)
	limits.RunningPerUser = cmp.Or(limits.RunningPerUser, DefaultRunningCallsPerUser)
	limits.RunningPerTool = cmp.Or(limits.RunningPerTool, DefaultRunningCallsPerTool)
	return &slots{
		limits: limits, carried: map[string]slot{}, users: map[string]int{}, tools: map[ToolKey]int{}, both: map[ToolUser]int{}, servers: map[string]int{},
	}
}

// admission is what became of a call that asked for a slot.
type admission int

const (
	admitted  admission = iota
	isCarried           // it has a slot already
	fullUser            // the share of its user is taken
	fullTool            // the share of its tool or server, or all slots
)

// enter takes a slot for a call.
func (s *slots) enter(call Call, one *tool.Tool) admission {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, has := s.carried[call.ID]; has {
		return isCarried
	}
	if admission := s.room(toolUser(call), serverOf(one)); admission != admitted {
		return admission
	}
	s.carried[call.ID] = slot{toolUser(call), serverOf(one)}
	s.count(s.carried[call.ID], 1)
	return admitted
}

func (s *slots) room(user ToolUser, server string) admission {
	isFirst := s.tools[user.ToolKey] == 0
	switch {
	case s.tools[user.ToolKey] >= s.limits.RunningPerTool:
		return fullTool
	case !isFirst && (len(s.carried) >= s.limits.Running || s.servers[server] >= max(s.limits.Running/2, s.limits.RunningPerTool)):
		return fullTool
	case s.both[user] > 0 && s.users[user.UserID] >= s.limits.RunningPerUser:
		return fullUser
	}
	return admitted
}

// leave gives the slot of a call back.
func (s *slots) leave(callID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(s.carried[callID], -1)
	delete(s.carried, callID)
}

func (s *slots) count(one slot, by int) {
	add(s.users, one.user.UserID, by)
	add(s.tools, one.user.ToolKey, by)
	add(s.both, one.user, by)
	add(s.servers, one.server, by)
}

// add changes a count, and forgets those that are 0.
func add[K comparable](counts map[K]int, key K, by int) {
	if counts[key] += by; counts[key] == 0 {
		delete(counts, key)
	}
}

func (s *slots) carries(callID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, has := s.carried[callID]
	return has
}

// inTurn puts those calls first whose users have the fewest slots.
func (s *slots) inTurn(calls []Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ahead, turns := map[string]int{}, map[string]int{}
	for _, call := range calls {
		turns[call.ID] = s.users[call.Owner] + ahead[call.Owner]
		ahead[call.Owner]++
	}
	slices.SortStableFunc(calls, func(a, b Call) int { return cmp.Compare(turns[a.ID], turns[b.ID]) })
}

// held are the calls that cannot begin now.
func (s *slots) held() (held Held) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, count := range s.tools {
		if count >= s.limits.RunningPerTool || len(s.carried) >= s.limits.Running {
			held.Tools = append(held.Tools, key)
		}
	}
	for both := range s.both {
		if s.users[both.UserID] >= s.limits.RunningPerUser {
			held.Users = append(held.Users, both)
		}
	}
	return held
}
