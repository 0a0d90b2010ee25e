package memory

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/queue"
)

// Config configures a Service. Store, Detector, Agents and HashKey are required.
type Config struct {
	Store    Store
	Detector Detector
	// Agents are the ids of all agents.
	Agents []string
	// Defaults are the settings of agents for which nobody has set others. Where a default is
	// nil, the one of docs/protocol.md, Memory settings, applies.
	Defaults map[string]wire.MemorySettings
	// PendingLifetime is how long a memory waits for a reviewer; 0 means DefaultPendingLifetime.
	// A change applies to new memories.
	PendingLifetime time.Duration
	HashKey         HashKey
	// Rooms is how many bytes memories may take in the prompts of each agent, for Stats. Stats
	// says nothing about agents without an entry.
	Rooms map[string]int
	// Duplicates is called with how many findings of a message repeat a memory. It may be nil.
	Duplicates func(findings int)
	// MemoriesPerUser is how many memories a user may have with an agent, in any status; 0 means
	// no limit. At the limit a new memory replaces the oldest one that is superseded or expired;
	// if there is none, the new one is not stored.
	MemoriesPerUser int
	// Dropped is called with how many findings of a message were left out, because the message
	// does not support them or because there were too many. It may be nil.
	Dropped func(findings int)
	// Fallback examines a message after Detector has failed too often. If nil, the message is
	// dropped.
	Fallback Detector
	// Failed is called for each failure of Detector, FellBack for each message that Fallback
	// examines. They may be nil.
	Failed, FellBack func()
	// Workers is how many messages are examined at the same time; 0 means 1.
	Workers int
	// Log gets failures. Nil means slog.Default.
	Log *slog.Logger
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// Service is the memory of the agents of a service. It is safe for concurrent
// use. Run finds memories in the background.
type Service struct {
	config     Config
	queue      *queue.Queue[Job]
	overlooked overlooked
}

// New returns a Service. It starts nothing.
func New(config Config) *Service {
	if config.PendingLifetime == 0 {
		config.PendingLifetime = DefaultPendingLifetime
	}
	if config.Workers == 0 {
		config.Workers = 1
	}
	if config.Log == nil {
		config.Log = slog.Default()
	}
	if config.Dropped == nil {
		config.Dropped = func(int) {}
	}
	if config.Duplicates == nil {
		config.Duplicates = func(int) {}
	}
	if config.Failed == nil {
		config.Failed = func() {}
	}
	if config.FellBack == nil {
		config.FellBack = func() {}
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	s := &Service{config: config}
	s.queue = newQueue(s)
	return s
}

// now is the time in seconds since the Unix epoch, to the microsecond.
func (s *Service) now() float64 { return float64(s.config.Now().UnixMicro()) / 1e6 }

// rules returns the rules of an agent with these settings.
func (s *Service) rules(agentID string, set wire.MemorySettings) Rules {
	rules := resolve(s.config.PendingLifetime, set, s.config.Defaults[agentID])
	rules.Total = s.config.MemoriesPerUser
	return rules
}

// Settings returns all four settings of an agent.
func (s *Service) Settings(ctx context.Context, caller access.Caller, agentID string) (wire.MemorySettings, error) {
	if !s.mayUse(caller, agentID) {
		return wire.MemorySettings{}, errNoAgent
	}
	set, err := s.config.Store.MemorySettings(ctx, caller.ProjectID, agentID)
	return s.rules(agentID, set).settings(), err
}

// UpdateSettings sets what is not nil, and returns all four settings. Only administrators may.
func (s *Service) UpdateSettings(ctx context.Context, caller access.Caller, agentID string, settings wire.MemorySettings) (wire.MemorySettings, error) {
	if !s.mayUse(caller, agentID) {
		return wire.MemorySettings{}, errNoAgent
	}
	if !caller.Administers() {
		return wire.MemorySettings{}, errSettings
	}
	if err := CheckSettings(settings); err != nil {
		return wire.MemorySettings{}, err
	}
	set, err := s.config.Store.SetMemorySettings(ctx, caller.ProjectID, agentID, settings)
	return s.rules(agentID, set).settings(), err
}

// Filter narrows a list; empty fields don't.
type Filter struct {
	// Status and Type are constants of package wire.
	Status, Type string
	UserID       string
	// MessageID and ChatID are the source of the memories. At most one of them is set.
	MessageID, ChatID string
	Page
}

func (f Filter) check() error {
	statuses := []string{wire.MemoryPending, wire.MemoryApproved, wire.MemoryRejected}
	if f.Status != "" && !slices.Contains(statuses, f.Status) {
		return fault.Invalid("status", "status is unknown, want %s", orList(statuses))
	}
	if f.Type != "" && !slices.Contains(allTypes(), f.Type) {
		return fault.Invalid("type", "type is unknown, want %s", orList(allTypes()))
	}
	return nil
}

// List returns the memories of an agent, newest first: all of them for administrators, and for a
// user only their own. next is the Before of the next page, 0 on the last page.
func (s *Service) List(ctx context.Context, caller access.Caller, agentID string, filter Filter) (memories []wire.Memory, next int64, err error) {
	if !s.mayUse(caller, agentID) {
		return nil, 0, errNoAgent
	}
	userID, err := sees(caller, filter.UserID)
	if err != nil {
		return nil, 0, err
	}
	if err := filter.check(); err != nil {
		return nil, 0, err
	}
	return s.list(ctx, caller, Query{
		ProjectID: caller.ProjectID, Agents: []string{agentID}, UserID: userID, Type: filter.Type, Status: filter.Status,
		MessageID: filter.MessageID, ChatID: filter.ChatID, Page: filter.Page,
	})
}

// ListUser is List for one user.
func (s *Service) ListUser(
	ctx context.Context, caller access.Caller, agentID, userID string, filter Filter,
) (memories []wire.Memory, next int64, err error) {
	filter.UserID = userID
	return s.List(ctx, caller, agentID, filter)
}

// PendingFilter narrows the queue of a reviewer; empty fields don't.
type PendingFilter struct {
	AgentID, UserID string
	Page
}

// Pending returns the memories that wait for this caller's review, newest first, in pages like
// List.
func (s *Service) Pending(ctx context.Context, caller access.Caller, filter PendingFilter) (memories []wire.Memory, next int64, err error) {
	agents := s.agentsOf(caller)
	if filter.AgentID != "" {
		if !s.mayUse(caller, filter.AgentID) {
			return nil, 0, errNoAgent
		}
		agents = []string{filter.AgentID}
	}
	userID, err := sees(caller, filter.UserID)
	if err != nil {
		return nil, 0, err
	}
	return s.list(ctx, caller, Query{ProjectID: caller.ProjectID, Agents: agents, UserID: userID, Status: wire.MemoryPending, Page: filter.Page})
}

// list returns memories in their current state, as the caller may see them.
func (s *Service) list(ctx context.Context, caller access.Caller, query Query) (memories []wire.Memory, next int64, err error) {
	query.Now = s.now()
	memories, next, err = s.config.Store.Memories(ctx, query)
	for i := range memories {
		memories[i] = AsOf(memories[i], query.Now)
	}
	return shownTo(caller, memories), next, err
}

// Stats counts the memories of an agent, or of one user: the requested one, or the caller if that
// is a user. For one user it also reports how full the prompt is, for an agent how its messages
// are examined.
func (s *Service) Stats(ctx context.Context, caller access.Caller, agentID, userID string) (stats wire.MemoryStats, err error) {
	if !s.mayUse(caller, agentID) {
		return wire.MemoryStats{}, errNoAgent
	}
	if userID, err = sees(caller, userID); err != nil {
		return wire.MemoryStats{}, err
	}
	owner := Owner{caller.ProjectID, agentID, userID}
	stats, err = s.config.Store.CountMemories(ctx, owner, s.now())
	if room := s.config.Rooms[agentID]; err == nil && room > 0 && userID != "" {
		stats.Room, err = s.room(ctx, owner, room)
	}
	if err == nil && userID == "" {
		stats.Detection, err = s.detection(ctx, caller.ProjectID, agentID)
	}
	return stats, err
}
