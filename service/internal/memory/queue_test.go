package memory_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/queue"
)

var errBusy = errors.New("the model is busy")

// A failed job is tried again later, five times in all. Then it is given up, with a
// line in the log that has none of the user's words.
func TestFailuresAreRetried(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"an error": func() error { return errBusy },
		"a panic":  func() error { panic("somebody's words") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tries := 0
			s := start(t, detects(func(context.Context, string) ([]memory.Finding, error) {
				tries++
				return nil, fail()
			}))
			_, messageID := s.tell("ann", "assistant", "somebody's words")
			for i := range queue.Attempts - 1 {
				wait := queue.Delay(i)
				require.NoError(t, s.WorkOff(t.Context()))
				require.Equal(t, i+1, tries)
				s.clock.pass(wait - time.Microsecond)
				require.NoError(t, s.WorkOff(t.Context()))
				require.Equal(t, i+1, tries, "not before it is due")
				require.Equal(t, 1, s.backlog())
				require.NotContains(t, s.log.String(), "given up")
				s.clock.pass(time.Microsecond)
			}
			require.NoError(t, s.WorkOff(t.Context()))
			require.Equal(t, 5, tries)
			require.Zero(t, s.backlog())
			require.Contains(t, s.log.String(), "given up\" message_id="+messageID+" agent_id=assistant failures=5")
			require.NotContains(t, s.log.String(), "somebody's words")
		})
	}
}

// A release that tried more often may have left a job with more attempts than
// this one makes: it is given up, and the process continues.
func TestAJobPastItsAttemptsIsGivenUp(t *testing.T) {
	t.Parallel()
	s := start(t, detects(func(context.Context, string) ([]memory.Finding, error) { return nil, errBusy }))
	s.tell("ann", "assistant", "I like tea very much.")
	jobs, err := s.store.Jobs(t.Context(), 1e12, 1)
	require.NoError(t, err)
	for range queue.Attempts + 2 {
		require.NoError(t, s.store.PutOff(t.Context(), jobs[0], 0))
	}
	require.Equal(t, 1, s.backlog())
	require.NoError(t, s.WorkOff(t.Context()))
	require.Zero(t, s.backlog())
	require.Contains(t, s.log.String(), "given up")
}

func TestAFailureOnlyDelaysItsUser(t *testing.T) {
	t.Parallel()
	failures := 1
	s := start(t, detects(func(ctx context.Context, message string) ([]memory.Finding, error) {
		if failures > 0 && message == "User has a cat" {
			failures--
			return nil, errBusy
		}
		return says{}.Detect(ctx, message, nil)
	}))
	s.tell("ann", "assistant", "User has a cat")
	s.tell("ann", "assistant", "User has a dog")
	s.tell("bob", "assistant", "User has a boat")
	require.NoError(t, s.WorkOff(t.Context()))
	require.Empty(t, s.of("ann"), "what comes after it waits, so that the last word counts")
	require.Equal(t, []string{"User has a boat"}, contents(s.of("bob")))
	s.clock.pass(queue.Delay(0))
	require.NoError(t, s.WorkOff(t.Context()))
	require.Equal(t, []string{"User has a dog", "User has a cat"}, contents(s.of("ann")))
}

// A process that ends while a message is examined leaves it in the queue, and
// the next one examines it, without a failure.
func TestLeavingIsNotAFailure(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := start(t, detects(func(ctx context.Context, message string) ([]memory.Finding, error) {
		cancel()
		return nil, ctx.Err()
	}))
	s.tell("ann", "assistant", "User has a cat")
	require.NoError(t, s.WorkOff(ctx))
	jobs, err := s.store.Jobs(t.Context(), noon, 10)
	require.NoError(t, err)
	require.Len(t, jobs, 1)
	require.Zero(t, jobs[0].Failures)
	require.Empty(t, s.log.String())
}

// Changes while a message is examined decide its result.
func TestWhatHappensMeanwhile(t *testing.T) {
	t.Parallel()
	on, off := wire.MemorySettings{MemoryEnabled: to(true)}, wire.MemorySettings{MemoryEnabled: to(false)}
	tests := []struct {
		name   string
		do     func(s *service, chatID, memoryID string)
		stored bool
	}{
		{"nothing", func(*service, string, string) {}, true},
		{"memory is turned off", func(s *service, _, _ string) { s.set(off) }, false},
		{"memory is turned off and on", func(s *service, _, _ string) { s.set(off); s.set(on) }, false},
		{"the type is turned off", func(s *service, _, _ string) { s.set(wire.MemorySettings{MemoryTypes: []string{}}) }, false},
		{"its chat is deleted", func(s *service, chatID, _ string) {
			_ = s.store.DeleteChat(context.Background(), access.Scope{ProjectID: "project"}, chatID, noon)
		}, false},
		{"a memory of the user is deleted", func(s *service, _, id string) { _ = s.Delete(context.Background(), ann, id) }, false},
		{"all of the user are deleted", func(s *service, _, _ string) { _, _ = s.DeleteUser(context.Background(), ann, "assistant", "ann") }, false},
		{"all of another user are deleted", func(s *service, _, _ string) { _, _ = s.DeleteUser(context.Background(), apiKey, "assistant", "bob") }, true},
		{"a memory is rejected", func(s *service, _, id string) {
			_, _ = s.Decide(context.Background(), ann, id, wire.MemoryActionRequest{Action: wire.ActionReject}, once.Request{})
		}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var meanwhile func()
			s := start(t, detects(func(ctx context.Context, message string) ([]memory.Finding, error) {
				if meanwhile != nil {
					meanwhile()
				}
				return says{}.Detect(ctx, message, nil)
			}))
			cat := s.learn("ann", "User has a cat")[0]
			chatID, _ := s.tell("ann", "assistant", "User has a dog")
			meanwhile = func() { test.do(s, chatID, cat.ID) }
			require.NoError(t, s.WorkOff(t.Context()))
			stored := false
			for _, one := range s.of("ann") {
				stored = stored || one.MemoryContent == "User has a dog"
			}
			require.Equal(t, test.stored, stored)
			require.Zero(t, s.backlog())
			require.Empty(t, s.log.String(), "that is not a failure")
		})
	}
}

func TestOffDropsWhatIsQueued(t *testing.T) {
	t.Parallel()
	s := start(t, says{})
	s.tell("ann", "assistant", "User has a cat")
	s.tell("ann", "other", "User has a cat")
	s.set(wire.MemorySettings{MemoryEnabled: to(false)})
	require.Equal(t, 1, s.backlog(), "the other agent's")
	s.tell("ann", "assistant", "User has a dog")
	require.NoError(t, s.WorkOff(t.Context()))
	require.Empty(t, s.of("ann"))
}

// A file of agents that turned memory off between two runs counts too.
func TestOffByDefaultStoresNothing(t *testing.T) {
	t.Parallel()
	s := start(t, says{})
	s.tell("ann", "assistant", "User has a cat")
	later := memory.New(memory.Config{Store: s.store, Detector: says{}, Agents: []string{"assistant"}, HashKey: key, Now: s.clock.Now})
	require.NoError(t, later.WorkOff(t.Context()))
	require.Empty(t, s.of("ann"))
	require.Zero(t, s.backlog())
}

// Workers examine messages of several users at once, and those of one user one
// after another.
func TestRun(t *testing.T) {
	t.Parallel()
	crowd := &crowd{users: map[string]bool{}, begun: make(chan struct{}, 20), open: make(chan struct{})}
	finished := make(chan struct{}, 20)
	s := start(t, crowd, func(c *memory.Config) {
		c.Workers = 3
		c.Store = finishing{c.Store, finished}
	})
	for user := range 4 {
		for n := range 3 {
			s.tell(fmt.Sprint("user", user), "assistant", fmt.Sprintf("user%d has a house%d", user, n))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { s.Run(ctx) })
	for range 3 {
		<-crowd.begun // as many as there are workers
	}
	close(crowd.open)
	for range 12 {
		<-finished
	}
	require.Equal(t, 3, crowd.most)
	for user := range 4 {
		require.Len(t, s.of(fmt.Sprint("user", user)), 3)
	}
	s.tell("ann", "assistant", "ann   has a late house")
	s.Wake()
	<-finished
	require.Equal(t, []string{"ann has a late house"}, contents(s.of("ann")))
	require.Zero(t, s.backlog())
	cancel()
	run.Wait()
	require.Empty(t, s.log.String())
}

// crowd is a detector that counts its simultaneous calls.
type crowd struct {
	begun, open chan struct{}

	mu    sync.Mutex
	users map[string]bool
	most  int
}

func (c *crowd) Detect(ctx context.Context, message string, _ []string) ([]memory.Finding, error) {
	user := message[:5]
	c.mu.Lock()
	twice := c.users[user]
	c.users[user] = true
	c.most = max(c.most, len(c.users))
	c.mu.Unlock()
	c.begun <- struct{}{}
	<-c.open
	c.mu.Lock()
	delete(c.users, user)
	c.mu.Unlock()
	if twice {
		return nil, errors.New("two messages of one user at once")
	}
	return says{}.Detect(ctx, message, nil)
}

// finishing reports which jobs are finished.
type finishing struct {
	memory.Store
	finished chan<- struct{}
}

func (f finishing) FinishJob(ctx context.Context, job memory.Job, detect func(memory.State) memory.Changes) error {
	err := f.Store.FinishJob(ctx, job, detect)
	f.finished <- struct{}{}
	return err
}

// A store that fails stops nothing: the failure is logged, and the work is tried again.
func TestRunContinuesWhenTheStoreFails(t *testing.T) {
	t.Parallel()
	looks := make(chan struct{}, 10)
	broken := brokenStore{looks: looks}
	s := start(t, says{}, func(c *memory.Config) { c.Store = broken })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	for range 3 {
		<-looks
		s.Wake()
	}
	cancel()
	<-done
	require.Contains(t, s.log.String(), "memories cannot be found or stored now")
	require.Contains(t, s.log.String(), "disk is full")
}

type brokenStore struct {
	memory.Store
	looks chan struct{}
}

var errDisk = errors.New("disk is full")

func (b brokenStore) Jobs(context.Context, float64, int) ([]memory.Job, error) {
	b.looks <- struct{}{}
	return nil, errDisk
}

func (brokenStore) ExpireMemories(context.Context, float64) error { return errDisk }
