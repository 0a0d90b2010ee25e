// Package queue works on jobs that a store keeps: those of memory and of documents. The queue itself
// only remembers which jobs its own workers hold. Where one process has the store for itself, that
// is enough. Where replicas share it, Due must give each job to one replica at a time, for as long as
// the replica's lease lasts. If a process ends in the middle of a job, the job is still in the store.
package queue

import (
	"context"
	"sync"
	"time"
)

// Attempts is how often a job is tried before it is given up.
const Attempts = 5

// idle is the longest time between two checks of the store.
const idle = 5 * time.Second

var delays = [Attempts - 1]time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute}

// Delay returns how long a job waits after a failure, by how often it had failed before. For a
// job with more than Attempts failures, which an earlier release may have left, it is the longest
// delay.
func Delay(failures int) time.Duration { return delays[min(failures, len(delays)-1)] }

// Config says which jobs to do and how.
type Config[Job any] struct {
	// Workers is how many jobs are done at the same time; 0 means 1.
	Workers int
	// Due returns at most limit due jobs, in the order in which to do them.
	Due func(ctx context.Context, limit int) ([]Job, error)
	// ID returns the id of a job.
	ID func(Job) string
	// Do does a job and stores the outcome. It returns only errors of the store, after which the
	// worker pauses.
	Do func(context.Context, Job) error
	// Fail is called with errors of the store.
	Fail func(error)
}

// Queue gives each job to one worker at a time. It is safe for concurrent use.
type Queue[Job any] struct {
	config Config[Job]
	wake   chan struct{}

	mu sync.Mutex
	// held are the jobs that workers are doing.
	held map[string]bool
}

// New returns a Queue. It starts nothing.
func New[Job any](config Config[Job]) *Queue[Job] {
	config.Workers = max(config.Workers, 1)
	return &Queue[Job]{config: config, wake: make(chan struct{}, 1), held: map[string]bool{}}
}

// Run works on jobs until ctx ends and all begun jobs have returned.
func (q *Queue[Job]) Run(ctx context.Context) {
	var all sync.WaitGroup
	for range q.config.Workers {
		all.Go(func() { Every(ctx, idle, q.wake, q.WorkOff, q.config.Fail) })
	}
	all.Wait()
}

// Every calls do now, after each pause, and whenever it is woken, until ctx ends. After an error,
// with which it calls fail, it waits for the whole pause. A nil wake never wakes it.
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

// Wake says that a job may be due. It doesn't block.
func (q *Queue[Job]) Wake() {
	select {
	case q.wake <- struct{}{}:
	default: // a wake is already pending
	}
}

// WorkOff does jobs until none is due, as each worker does repeatedly.
func (q *Queue[Job]) WorkOff(ctx context.Context) error {
	for ctx.Err() == nil {
		job, due, err := q.claim(ctx)
		if err != nil || !due {
			return err
		}
		q.Wake() // another worker may find another job
		err = q.config.Do(ctx, job)
		q.release(job)
		if err != nil {
			return err
		}
	}
	return nil
}

// claim takes the first due job that no other worker has.
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
