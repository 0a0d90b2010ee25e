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
		// An owner has one worker at a time, so that others find one.
		ID:   func(job Job) string { return job.Owner },
		Do:   func(ctx context.Context, job Job) error { return s.settle(ctx, job, s.index(ctx, job)) },
		Fail: func(err error) { s.config.Log.Error("documents cannot be read", "error", err) },
	})
}

// Run reads what was uploaded, until ctx ends and what was begun has let go. It
// holds as many files in memory as there are workers.
func (s *Service) Run(ctx context.Context) { s.queue.Run(ctx) }

// ReadDue does once what Run does again and again: it reads files until none is
// due.
func (s *Service) ReadDue(ctx context.Context) error { return s.queue.WorkOff(ctx) }

// Wake tells that a file may be due to be read. It doesn't block.
func (s *Service) Wake() { s.queue.Wake() }

// Backlog tells how many files are to be read.
func (s *Service) Backlog(ctx context.Context) (int, error) {
	return s.config.Store.CountDocumentJobs(ctx)
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
	case err == nil, errors.Is(err, fault.ErrNotFound), ctx.Err() != nil:
		return nil
	case errors.As(err, &refusal):
		reason = refusal.Error()
	case job.Failures+1 < queue.Attempts:
		s.config.Log.Warn("documents: a file is read again later", "document_key", job.Key, "failures", job.Failures+1, "error", err)
		return s.config.Store.PutOffDocument(ctx, job.Key, s.now()+queue.Delay(job.Failures).Seconds())
	default:
		s.config.Log.Error("documents: a file was given up", "document_key", job.Key, "error", err)
	}
	if err := s.config.Store.FailDocument(ctx, job.Key, reason); !errors.Is(err, fault.ErrNotFound) {
		return err
	}
	return nil
}
