package queue_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/queue"
)

// store keeps jobs, which are texts, and their results.
type store struct {
	mu     sync.Mutex
	jobs   []string
	done   []string
	faults []error
	fault  error
}

func (s *store) put(jobs ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs = jobs
}

func (s *store) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, err)
}

// told are the results of the jobs.
func (s *store) told() (done []string, faults []error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.done), slices.Clone(s.faults)
}

func (s *store) due(_ context.Context, limit int) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.jobs[:min(limit, len(s.jobs))]), s.fault
}

func (s *store) finish(job string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs = slices.DeleteFunc(s.jobs, func(one string) bool { return one == job })
	s.done = append(s.done, job)
}

func self(job string) string { return job }

func TestEachJobIsDoneOnceByAllWorkers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &store{jobs: []string{"a", "b", "c", "d", "e", "f", "g"}}
		var mu sync.Mutex
		running, most := 0, 0
		q := queue.New(queue.Config[string]{Workers: 3, Due: s.due, ID: self, Do: func(_ context.Context, job string) error {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			running--
			s.finish(job)
			return nil
		}})
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { q.Run(ctx) })
		time.Sleep(4 * time.Second)
		cancel()
		all.Wait()
		done, _ := s.told()
		slices.Sort(done)
		require.Equal(t, []string{"a", "b", "c", "d", "e", "f", "g"}, done)
		require.Equal(t, 3, most)
	})
}

func TestAWorkerChecksWhenItIsWokenAndAfterAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &store{}
		q := queue.New(queue.Config[string]{Due: s.due, ID: self, Do: func(_ context.Context, job string) error {
			s.finish(job)
			return nil
		}})
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { q.Run(ctx) })
		synctest.Wait()
		s.put("woken")
		q.Wake()
		synctest.Wait()
		done, _ := s.told()
		require.Equal(t, []string{"woken"}, done)
		s.put("found")
		time.Sleep(5 * time.Second)
		synctest.Wait()
		done, _ = s.told()
		require.Equal(t, []string{"woken", "found"}, done)
		cancel()
		all.Wait()
	})
}

func TestAWorkerPausesAfterAnErrorOfTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &store{jobs: []string{"a"}}
		fault := errors.New("the disk is full")
		q := queue.New(queue.Config[string]{
			Due: s.due, ID: self,
			Do:   func(context.Context, string) error { return fault },
			Fail: s.fail,
		})
		require.ErrorIs(t, q.WorkOff(t.Context()), fault)
		require.ErrorIs(t, q.WorkOff(t.Context()), fault, "the job is not held any more")
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { q.Run(ctx) })
		synctest.Wait()
		q.Wake()
		synctest.Wait()
		_, faults := s.told()
		require.Equal(t, []error{fault}, faults)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		_, faults = s.told()
		require.Equal(t, []error{fault, fault}, faults)
		cancel()
		all.Wait()
		s.jobs, s.fault = nil, fault
		require.ErrorIs(t, q.WorkOff(t.Context()), fault)
	})
}

func TestDelaysGrow(t *testing.T) {
	t.Parallel()
	for failures := range queue.Attempts - 2 {
		require.Less(t, queue.Delay(failures), queue.Delay(failures+1))
	}
	require.Equal(t, queue.Delay(queue.Attempts-2), queue.Delay(queue.Attempts+7), "beyond its attempts")
}
