package knowledge

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/queue"
)

const reasonGivenUp = "the service could not read the file: upload it again later"

func newQueue(s *Service) *queue.Queue[Job] {
	return queue.New(queue.Config[Job]{
		Workers: s.config.Workers,
		Due: func(ctx context.Context, limit int) ([]Job, error) {
			return s.config.Store.DocumentJobs(ctx, s.now(), limit)
		},
		// At most one worker reads files of the same owner, so that other owners find a worker.
		ID:   func(job Job) string { return job.Owner },
		Do:   func(ctx context.Context, job Job) error { return s.settle(ctx, job, s.index(ctx, job)) },
		Fail: func(err error) { s.config.Log.Error("documents cannot be read", "error", err) },
	})
}

// Run reads uploaded files until ctx ends and all begun work has returned. It holds one file in
// memory for each worker.
func (s *Service) Run(ctx context.Context) { s.queue.Run(ctx) }

// ReadDue does once what Run does repeatedly: it reads files until none is due.
func (s *Service) ReadDue(ctx context.Context) error { return s.queue.WorkOff(ctx) }

// Wake says that a file may be due to be read. It doesn't block.
func (s *Service) Wake() { s.queue.Wake() }

// Backlog returns how many files wait to be read.
func (s *Service) Backlog(ctx context.Context) (int, error) {
	return s.config.Store.CountDocumentJobs(ctx)
}

// index reads a file and makes it searchable. It returns a panic as an error, because one
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

// settle stores the outcome of a job. If the process ends in the middle, the job stays in the
// queue. If the document was deleted meanwhile, its job no longer exists.
func (s *Service) settle(ctx context.Context, job Job, err error) error {
	var refusal read.Refusal
	reason := reasonGivenUp
	switch {
	case err == nil, errors.Is(err, fault.ErrNotFound), ctx.Err() != nil:
		return nil
	case errors.As(err, &refusal):
		reason = refusal.Error()
	case job.Failures+1 < queue.Attempts:
		s.config.Log.Warn("documents: a file could not be read, and is read again later", "document_key", job.Key, "failures", job.Failures+1, "error", err)
		return s.config.Store.PutOffDocument(ctx, job.Key, s.now()+queue.Delay(job.Failures).Seconds())
	default:
		s.config.Log.Error("documents: a file could not be read, and is not tried again", "document_key", job.Key, "error", err)
	}
	if err := s.config.Store.FailDocument(ctx, job.Key, reason); !errors.Is(err, fault.ErrNotFound) {
		return err
	}
	return nil
}
