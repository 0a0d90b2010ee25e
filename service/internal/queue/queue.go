// Package queue works off jobs that a store keeps: those of memory and of
// documents. A process has its store's jobs for itself, so that what it holds
// needs no mark there, and one that ends in the middle leaves the job where it was.
package queue

import (
	"context"
	"sync"
	"time"
)

// Attempts is how often a job is tried before it is given up.
const Attempts = 5

// idle is the longest time between two looks at the store.
const idle = 5 * time.Second

var delays = [Attempts - 1]time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute}

// Delay is how long a job waits that had failed so often before it failed
// again. Of one past its attempts, which an earlier release may have left, it is the longest.
func Delay(failures int) time.Duration { return delays[min(failures, len(delays)-1)] }

// Config says what is worked off.
type Config[Job any] struct {
	// Workers is how many jobs are done at once; 0 means 1.
	Workers int
	// Due gives the jobs that are due, at most limit, the first to be done first.
	Due func(ctx context.Context, limit int) ([]Job, error)
	// ID tells jobs apart.
	ID func(Job) string
	// Do does a job and says in the store what became of it. An error is one of
	// the store's: the worker rests then.
	Do func(context.Context, Job) error
	// Fail is told of the store's errors.
	Fail func(error)
}

// Queue hands jobs to workers, each to one at a time. It is safe for use by
// several goroutines.
type Queue[Job any] struct {
	config Config[Job]
	wake   chan struct{}

	mu sync.Mutex
	// held are the jobs that are being done, one for a worker.
	held map[string]bool
}

// New returns a Queue. It starts nothing.
func New[Job any](config Config[Job]) *Queue[Job] {
	config.Workers = max(config.Workers, 1)
	return &Queue[Job]{config: config, wake: make(chan struct{}, 1), held: map[string]bool{}}
}

// Run works off jobs until ctx ends and what was begun has let go.
func (q *Queue[Job]) Run(ctx context.Context) {
	var all sync.WaitGroup
	for range q.config.Workers {
		all.Go(func() { Every(ctx, idle, q.wake, q.WorkOff, q.config.Fail) })
	}
	all.Wait()
}

// Every does something now, and again after each pause and whenever it is woken,
// until ctx ends. After an error, which fail is told, it rests for the whole
// pause. A nil wake never wakes.
func Every(ctx context.Context, pause time.Duration, wake <-chan struct{}, do func(context.Context) error, fail func(error)) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for ctx.Err() == nil {
		woken := wake
		if err := do(ctx); err != nil && ctx.Err() == nil {
			fail(err)
			woken = nil
		}
		timer.Reset(pause)
		select {
		case <-ctx.Done():
		case <-woken:
		case <-timer.C:
		}
	}
}

// Wake tells that a job may be due. It doesn't block.
func (q *Queue[Job]) Wake() {
	select {
	case q.wake <- struct{}{}:
	default: // somebody is told already
	}
}

// WorkOff does once what each worker does again and again: jobs, until none is due.
func (q *Queue[Job]) WorkOff(ctx context.Context) error {
	for ctx.Err() == nil {
		job, due, err := q.claim(ctx)
		if err != nil || !due {
			return err
		}
		q.Wake() // another worker may find another one
		err = q.config.Do(ctx, job)
		q.release(job)
		if err != nil {
			return err
		}
	}
	return nil
}

// claim takes the first job that is due and that no other worker has.
func (q *Queue[Job]) claim(ctx context.Context) (job Job, due bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	jobs, err := q.config.Due(ctx, q.config.Workers)
	for _, one := range jobs {
		if id := q.config.ID(one); !q.held[id] {
			q.held[id] = true
			return one, true, nil
		}
	}
	return job, false, err
}

func (q *Queue[Job]) release(job Job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.held, q.config.ID(job))
}
