package knowledge

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

const (
	// attempts is how often a file is read before it is given up.
	attempts = 5
	// idle is the longest time between two looks at the queue.
	idle = 5 * time.Second
)

// retryAfter is how long a file waits after each failure but the last.
var retryAfter = [attempts - 1]time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute}

const reasonGivenUp = "the service could not read the file: upload it again later"

// Run reads what was uploaded, until ctx ends and what was begun has let go. It
// holds as many files in memory as there are workers.
func (s *Service) Run(ctx context.Context) {
	var all sync.WaitGroup
	for range s.config.Workers {
		all.Go(func() { s.work(ctx) })
	}
	all.Wait()
}

// Wake tells that a file may be due to be read. It doesn't block.
func (s *Service) Wake() {
	select {
	case s.wake <- struct{}{}:
	default: // somebody is told already
	}
}

// Backlog tells how many files are to be read.
func (s *Service) Backlog(ctx context.Context) (int, error) {
	return s.config.Store.CountDocumentJobs(ctx)
}

func (s *Service) work(ctx context.Context) {
	timer := time.NewTimer(idle)
	defer timer.Stop()
	for ctx.Err() == nil {
		if err := s.ReadDue(ctx); err != nil && ctx.Err() == nil {
			s.config.Log.Error("documents cannot be read", "error", err)
		}
		timer.Reset(idle)
		select {
		case <-ctx.Done():
		case <-s.wake:
		case <-timer.C:
		}
	}
}

// ReadDue does once what Run does again and again: it reads files until none is
// due.
func (s *Service) ReadDue(ctx context.Context) error {
	for ctx.Err() == nil {
		job, due, err := s.claim(ctx)
		if err != nil || !due {
			return err
		}
		s.Wake() // another worker may find another one
		err = s.settle(ctx, job, s.index(ctx, job))
		s.release(job)
		if err != nil {
			return err
		}
	}
	return nil
}

// claim takes the first job that is due and that no other worker has. A process
// has the queue for itself, so that what it holds needs no mark there.
func (s *Service) claim(ctx context.Context) (Job, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	jobs, err := s.config.Store.DocumentJobs(ctx, s.now(), s.config.Workers)
	for _, job := range jobs {
		if !s.reading[job.Key] {
			s.reading[job.Key] = true
			return job, true, nil
		}
	}
	return Job{}, false, err
}

func (s *Service) release(job Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.reading, job.Key)
}

// index reads a file and makes it one that is searched. A panic is an error: one
// document must not end the service.
func (s *Service) index(ctx context.Context, job Job) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("reading panicked with a value of type %T\n%s", fault, debug.Stack())
		}
	}()
	file, err := s.config.Store.DocumentFile(ctx, job.Key)
	if err != nil {
		return err
	}
	d, err := s.config.Reader.Read(ctx, job.Name, file)
	if err != nil {
		return err
	}
	return s.config.Store.FinishDocument(ctx, job.Key, d, split.Passages(d))
}

// settle says what becomes of a job that ended in this way. A process that ends
// in the middle leaves it in the queue; a document that was deleted meanwhile is
// gone.
func (s *Service) settle(ctx context.Context, job Job, err error) error {
	var refusal read.Refusal
	reason := reasonGivenUp
	switch {
	case err == nil, errors.Is(err, ErrNotFound), ctx.Err() != nil:
		return nil
	case errors.As(err, &refusal):
		reason = refusal.Error()
	case job.Failures+1 < attempts:
		s.config.Log.Warn("documents: a file is read again later", "document_key", job.Key, "failures", job.Failures+1, "error", err)
		return s.config.Store.PutOffDocument(ctx, job.Key, s.now()+retryAfter[job.Failures].Seconds())
	default:
		s.config.Log.Error("documents: a file was given up", "document_key", job.Key, "error", err)
	}
	if err := s.config.Store.FailDocument(ctx, job.Key, reason); !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}
