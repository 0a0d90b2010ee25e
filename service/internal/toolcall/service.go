package toolcall

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// Config configures a Service. All of it is required, except for Limits and Drain.
type Config struct {
	Store Store
	// Tools are the tools of each agent, by its id.
	Tools map[string]*tool.Set
	// Shelf keeps what the tools of pages were compiled to.
	Shelf *tool.Shelf
	// PageTools returns the tools that the page offered with the question of a parked answer. If the
	// answer is not parked, the error is fault.ErrNotFound.
	PageTools func(ctx context.Context, streamID string) (wire.JSON, error)
	// Logs are the streams, whose readers learn of changes.
	Logs *stream.Logs
	// Enter counts an attempt among the work that the end of the process waits for, until leave is called. It
	// reports false if nothing more may begin.
	Enter func() (leave func(), ok bool)
	// Breaking is closed when attempts are to end early.
	Breaking <-chan struct{}
	Limits   Limits
	// Lifetime is how long a call waits for a decision, and how long an approved call waits for a page.
	Lifetime time.Duration
	// Drain is how long after its start a replica leaves calls to the other replicas if it defines their tools
	// differently; 0 if there are no other replicas.
	Drain time.Duration
	// Called is called once for each call with its final status.
	Called func(status string)
	Log    *slog.Logger
	Now    func() time.Time
}

// Limits bound how many calls a process carries out at once; 0 means the default.
type Limits struct{ Running, RunningPerUser, RunningPerTool int }

// Service shows, decides, claims and carries out tool calls. It is safe for concurrent use.
type Service struct {
	config Config
	slots  *slots
	begun  time.Time
	more   chan struct{}
}

// New returns a Service. It starts nothing.
func New(config Config) *Service {
	return &Service{config: config, slots: newSlots(config.Limits), begun: config.Now(), more: make(chan struct{}, 1)}
}

// More receives a value when calls or answers may be due.
func (s *Service) More() <-chan struct{} { return s.more }

// Wake says that calls or answers may be due.
func (s *Service) Wake() {
	select {
	case s.more <- struct{}{}:
	default: // it is already awake
	}
}

// now returns the time in seconds since the Unix epoch, with microseconds.
func (s *Service) now() float64 { return float64(s.config.Now().UnixMicro()) / 1e6 }

// toolOf returns the tool of a call if its definition is still the same: the operator's tool, or
// the page's as it was offered with the question. It returns nil if the definition has changed.
func (s *Service) toolOf(call Call, pageTools wire.JSON) (*tool.Tool, error) {
	if !call.Operator {
		one, err := s.config.Shelf.Offered(pageTools, call.Name)
		if err != nil {
			err = fmt.Errorf("the page's tool of call %s: %w", call.ID, err)
		}
		return one, err
	}
	if now, err := s.config.Tools[call.AgentID].Current(call.Name); err != nil || now != nil && now.Digest() == call.Tool {
		return now, err
	}
	if s.config.Now().Sub(s.begun) < s.config.Drain {
		return nil, errReplaced
	}
	return nil, nil
}

// errReplaced leaves a call to the replicas that this one replaces, which still have the old
// definition of its tool.
var errReplaced = &fault.Error{
	Code: wire.CodeUnavailable, Message: "The definition of the tool is being replaced; try again in a moment", RetryAfter: 5 * time.Second,
}
