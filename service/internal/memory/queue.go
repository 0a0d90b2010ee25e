package memory

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/memory/rules"
)

const (
	// attempts is how often a message is examined before it is given up.
	attempts = 5
	// idle is the longest time between two looks at the queue.
	idle = 5 * time.Second
	// sweep is the time between two times that expiry is written down.
	sweep = time.Minute
)

// retryAfter is how long a message waits after each failure but the last.
var retryAfter = [attempts - 1]time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute}

// Run examines the messages that are queued, until ctx ends and what was begun
// has let go. It holds as many in memory as there are workers.
func (s *Service) Run(ctx context.Context) {
	var all sync.WaitGroup
	for range s.config.Workers {
		all.Go(func() { s.every(ctx, idle, s.wake, s.workOff) })
	}
	all.Go(func() { s.every(ctx, sweep, nil, s.expire) })
	all.Wait()
}

// Wake tells that a message may be due.
func (s *Service) Wake() {
	select {
	case s.wake <- struct{}{}:
	default: // somebody is told already
	}
}

// Backlog tells how many messages are queued.
func (s *Service) Backlog(ctx context.Context) (int, error) { return s.config.Store.CountJobs(ctx) }

// every does something now, and again after each pause and whenever it is woken.
func (s *Service) every(ctx context.Context, pause time.Duration, wake <-chan struct{}, do func(context.Context) error) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for ctx.Err() == nil {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			s.config.Log.Error("memory cannot work", "error", err)
		}
		timer.Reset(pause)
		select {
		case <-ctx.Done():
		case <-wake:
		case <-timer.C:
		}
	}
}

func (s *Service) expire(ctx context.Context) error {
	return s.config.Store.ExpireMemories(ctx, s.now())
}

// workOff examines messages until none is due.
func (s *Service) workOff(ctx context.Context) error {
	for ctx.Err() == nil {
		job, due, err := s.claim(ctx)
		if err != nil || !due {
			return err
		}
		s.Wake() // another worker may find another one
		err = s.examine(ctx, job)
		s.release(job)
		if err != nil {
			return err
		}
	}
	return nil
}

// claim takes the first message that is due and that no other worker has. A
// process has the queue for itself, so that what it holds needs no mark there.
func (s *Service) claim(ctx context.Context) (Job, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	jobs, err := s.config.Store.Jobs(ctx, s.now(), s.config.Workers)
	for _, job := range jobs {
		if !s.examined[job.MessageID] {
			s.examined[job.MessageID] = true
			return job, true, nil
		}
	}
	return Job{}, false, err
}

func (s *Service) release(job Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.examined, job.MessageID)
}

// examine looks for memories in a message. What fails is tried again later. A
// process that ends in the middle leaves the message in the queue.
func (s *Service) examine(ctx context.Context, job Job) error {
	err := s.detect(ctx, job)
	switch {
	case err == nil, errors.Is(err, ErrNotFound), ctx.Err() != nil:
		return nil
	case job.Failures+1 == attempts:
		s.logFailure("memory: a message was given up", job, err)
		return s.config.Store.DropJob(ctx, job)
	}
	s.logFailure("memory: a message is examined again later", job, err)
	return s.config.Store.PutOff(ctx, job, s.now()+retryAfter[job.Failures].Seconds())
}

func (s *Service) logFailure(text string, job Job, err error) {
	s.config.Log.Warn(text, "message_id", job.MessageID, "agent_id", job.AgentID, "failures", job.Failures+1, "error", err)
}

// detect asks the detector and stores what it found.
func (s *Service) detect(ctx context.Context, job Job) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = panicked(fault)
		}
	}()
	findings, err := s.config.Detector.Detect(ctx, rules.Redact(job.Text))
	if err != nil {
		return err
	}
	var found []Found
	for _, memory := range memories(job, findings) {
		found = append(found, s.config.HashKey.Read(job.Owner, memory))
	}
	return s.config.Store.FinishJob(ctx, job, func(state State) Changes {
		m := NewMachine(s.rules(job.AgentID, state.Settings), state, s.now())
		for _, one := range found {
			m.Detect(one)
		}
		return m.Changes()
	})
}

// panicked makes an error of what recover gave: of a value that may hold
// somebody's words only the type is told.
func panicked(fault any) error {
	told := fmt.Sprintf("a value of type %T", fault)
	if known, ok := fault.(runtime.Error); ok {
		told = known.Error()
	}
	return fmt.Errorf("detection panicked: %s\n%s", told, debug.Stack())
}
