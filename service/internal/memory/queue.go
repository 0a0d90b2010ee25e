package memory

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/queue"
)

// sweep is the time between two sweeps, which store what has expired and remove old memories.
const sweep = time.Minute

// keptSpent is how long superseded and expired memories are kept, in seconds.
const keptSpent = 30 * 24 * 3600

func newQueue(s *Service) *queue.Queue[Job] {
	return queue.New(queue.Config[Job]{
		Workers: s.config.Workers,
		Due: func(ctx context.Context, limit int) ([]Job, error) {
			return s.config.Store.Jobs(ctx, s.now(), limit)
		},
		ID:   func(job Job) string { return job.MessageID },
		Do:   s.examine,
		Fail: s.fail,
	})
}

// Run examines the queued messages until ctx ends and all begun work has returned. It holds one
// message in memory for each worker.
func (s *Service) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { s.queue.Run(ctx) })
	all.Go(func() { queue.Every(ctx, sweep, nil, s.Sweep, s.fail) })
	all.Wait()
}

// Wake says that a message may be due. It doesn't block.
func (s *Service) Wake() { s.queue.Wake() }

// Backlog returns how many messages are queued.
func (s *Service) Backlog(ctx context.Context) (int, error) { return s.config.Store.CountJobs(ctx) }

// Sweep stores which memories have expired, and removes those that were superseded or expired 30
// days ago. Run calls it each minute.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.now()
	if err := s.config.Store.ExpireMemories(ctx, now); err != nil {
		return err
	}
	return s.config.Store.SweepMemories(ctx, now-keptSpent)
}

func (s *Service) fail(err error) {
	s.config.Log.Error("memories cannot be found or stored now", "error", err)
}

// examine looks for memories in a message. If that fails, it is tried again later. If the process
// ends in the middle, the message stays in the queue.
func (s *Service) examine(ctx context.Context, job Job) error {
	err := s.detect(ctx, job, s.config.Detector)
	if err == nil || errors.Is(err, fault.ErrNotFound) || ctx.Err() != nil {
		return nil
	}
	s.config.Failed()
	job.GivenUp = job.Failures+1 >= queue.Attempts
	if err := s.config.Store.FailDetection(ctx, job, failureOf(err, s.now())); err != nil {
		return err
	}
	if job.GivenUp {
		return s.giveUp(ctx, job, err)
	}
	s.logFailure("memory: a message is examined again later", job, err)
	return s.config.Store.PutOff(ctx, job, s.now()+queue.Delay(job.Failures).Seconds())
}

// giveUp lets Fallback examine a message if there is one, and otherwise drops the message.
func (s *Service) giveUp(ctx context.Context, job Job, err error) error {
	if s.config.Fallback != nil {
		s.config.FellBack()
		s.logFailure("memory: a message is examined by other means", job, err)
		err = s.detect(ctx, job, s.config.Fallback)
		if err == nil || errors.Is(err, fault.ErrNotFound) || ctx.Err() != nil {
			return nil
		}
	}
	s.logFailure("memory: a message was given up", job, err)
	return s.config.Store.DropJob(ctx, job)
}

func (s *Service) logFailure(text string, job Job, err error) {
	s.config.Log.Warn(text, "message_id", job.MessageID, "agent_id", job.AgentID, "failures", job.Failures+1, "error", err)
}

// detect asks a detector and stores what it found.
func (s *Service) detect(ctx context.Context, job Job, detector Detector) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = panicked(fault)
		}
	}()
	findings, err := s.ask(ctx, job, detector)
	if err != nil {
		return err
	}
	found, dropped := s.prepare(job, findings)
	reading, err := s.readFor(ctx, job.Owner, found)
	if err != nil {
		return err
	}
	duplicates := 0
	err = s.config.Store.FinishJob(ctx, job, func(state State) Changes {
		state.Reading = reading
		m := NewMachine(s.rules(job.AgentID, state.Settings), state, s.now())
		for _, one := range found {
			m.Detect(one)
		}
		duplicates = m.Duplicates()
		return m.Changes()
	})
	if err == nil {
		s.config.Dropped(dropped)
		s.config.Duplicates(duplicates)
	}
	return err
}

// ask calls a detector, which may cost money, unless memory is off or no type is wanted.
func (s *Service) ask(ctx context.Context, job Job, detector Detector) ([]Finding, error) {
	set, err := s.config.Store.MemorySettings(ctx, job.ProjectID, job.AgentID)
	if err != nil {
		return nil, err
	}
	wanted := s.rules(job.AgentID, set)
	if !wanted.Enabled || len(wanted.Types) == 0 {
		return nil, nil
	}
	return detector.Detect(ctx, rules.Redact(job.Text), wanted.Types)
}

// panicked makes an error of what recover returned. If the value may hold what a user wrote,
// the error only has its type.
func panicked(fault any) error {
	told := fmt.Sprintf("a value of type %T", fault)
	if known, ok := fault.(runtime.Error); ok {
		told = known.Error()
	}
	return fmt.Errorf("detection panicked: %s\n%s", told, debug.Stack())
}
