package replica_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chatsdk/chatsdk/service/internal/replica"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a Store, and what happens in it.
type world struct {
	mu       sync.Mutex
	err      error
	owned    []replica.Owned
	logs     map[string][]stream.Event
	ends     [][]string // the orphans of each call of EndBroken
	ended    []string   // what the next call returns
	notified []string
	hear     func(string)
	released int
}

func (w *world) do(f func()) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		f()
	}
	return w.err
}

func (w *world) RenewLease(context.Context) error { return w.do(func() {}) }
func (w *world) Release(context.Context) error    { return w.do(func() { w.released++ }) }

func (w *world) Owned(context.Context) (owned []replica.Owned, err error) {
	return owned, w.do(func() { owned = w.owned })
}

func (w *world) LastIDs(_ context.Context, ids []string) (map[string]int64, error) {
	all := map[string]int64{}
	return all, w.do(func() {
		for _, id := range ids {
			if log, there := w.logs[id]; there {
				all[id] = int64(len(log))
			}
		}
	})
}

func (w *world) Listen(ctx context.Context, listening func(), hear func(string)) error {
	w.mu.Lock()
	w.hear = hear
	w.mu.Unlock()
	listening()
	<-ctx.Done()
	return ctx.Err()
}

func (w *world) Notify(_ context.Context, payload string) error {
	return w.do(func() { w.notified = append(w.notified, payload) })
}

func (w *world) AppendEvents(_ context.Context, lease stream.Lease, events []stream.Event) error {
	return w.do(func() {
		w.logs[lease.StreamID] = append(w.logs[lease.StreamID], stream.Number(int64(len(w.logs[lease.StreamID])), events)...)
	})
}

func (w *world) Events(_ context.Context, id string, after int64, _ int) (events []stream.Event, err error) {
	over := false
	err = w.do(func() {
		log := w.logs[id]
		events = slices.Clone(log[min(int(after), len(log)):])
		over = len(events) == 0 && len(log) > 0 && log[len(log)-1].Type == "end"
	})
	if err == nil && over {
		err = io.EOF
	}
	return events, err
}

// scene is a Replica in a world whose clock the test sets.
type scene struct {
	*world
	*replica.Replica
	streams *stream.Logs
	now     time.Time
	log     bytes.Buffer
}

func enter(t *testing.T) *scene {
	t.Helper()
	s := &scene{world: &world{logs: map[string][]stream.Event{}}, now: time.Unix(1000, 0)}
	s.streams = stream.New(s.world)
	s.Replica = replica.New(replica.Config{
		Name: "one", Store: s.world, Logs: s.streams, Log: slog.New(slog.NewTextHandler(&s.log, nil)), Now: func() time.Time { return s.now },
		EndBroken: func(_ context.Context, orphans []string) ([]string, error) {
			s.ends = append(s.ends, orphans)
			return s.ended, nil
		},
	})
	return s
}

// pass lets seconds go by, with a beat in each.
func (s *scene) pass(t *testing.T, seconds int) {
	t.Helper()
	for range seconds {
		s.now = s.now.Add(time.Second)
		s.Beat(t.Context())
	}
}

// Answers of others are ended only after the Store was reachable for a while.
func TestAnswersOfTheDeadAreEndedAfterAWhile(t *testing.T) {
	t.Parallel()
	s := enter(t)
	s.pass(t, 11)
	require.Empty(t, s.ends)
	s.pass(t, 2)
	require.Len(t, s.ends, 2, "from 12 s on, at each beat")
}

// After an outage, and after a sleep, the others have time to renew their leases.
func TestAGapRestartsTheWait(t *testing.T) {
	t.Parallel()
	for _, away := range []func(*testing.T, *scene){
		func(t *testing.T, s *scene) { // the database is away
			s.err = errors.New("away")
			s.pass(t, 20)
			s.err = nil
		},
		func(_ *testing.T, s *scene) { s.now = s.now.Add(20 * time.Second) }, // the process sleeps
	} {
		s := enter(t)
		s.pass(t, 20)
		before := len(s.ends)
		away(t, s)
		s.pass(t, 12)
		require.Len(t, s.ends, before)
		s.pass(t, 1)
		require.Len(t, s.ends, before+1)
	}
}

func TestAnOutageIsLoggedOnce(t *testing.T) {
	t.Parallel()
	s := enter(t)
	s.err = errors.New("away")
	s.pass(t, 5)
	s.err = nil
	s.pass(t, 1)
	s.err = errors.New("away again")
	s.pass(t, 5)
	require.Equal(t, 2, strings.Count(s.log.String(), "cannot coordinate"))
}

func (s *scene) write(t *testing.T, id string) *stream.Writer {
	t.Helper()
	w := s.streams.Write(t.Context(), stream.Lease{StreamID: id, Epoch: 1}, "chat")
	require.NoError(t, w.Append(t.Context(), []stream.Event{{Type: "start"}}))
	return w
}

func TestStoppedAndLostAnswers(t *testing.T) {
	t.Parallel()
	s := enter(t)
	plain, stopped, lost := s.write(t, "plain"), s.write(t, "stopped"), s.write(t, "lost")
	unstored := s.streams.Write(t.Context(), stream.Lease{StreamID: "unstored", Epoch: 1}, "chat")
	s.owned = []replica.Owned{{StreamID: "plain"}, {StreamID: "stopped", Stop: true}}
	s.pass(t, 1)
	require.NoError(t, context.Cause(plain.Context()))
	require.Equal(t, stream.ErrStopped, context.Cause(stopped.Context()))
	require.Equal(t, stream.ErrTaken, context.Cause(lost.Context()))
	require.NoError(t, context.Cause(unstored.Context()), "the Store may not have it yet")
	for _, w := range []*stream.Writer{plain, stopped, lost, unstored} {
		w.Close()
	}
}

// An answer that this replica has begun without knowing it is ended at once.
func TestOrphansAreEnded(t *testing.T) {
	t.Parallel()
	s := enter(t)
	mine := s.write(t, "mine")
	defer mine.Close()
	s.owned = []replica.Owned{{StreamID: "mine"}, {StreamID: "orphan"}}
	s.pass(t, 1)
	require.Equal(t, [][]string{{"orphan"}}, s.ends)
}

// Readers learn what others have written even without a hint.
func TestPollingFindsNewEvents(t *testing.T) {
	t.Parallel()
	s := enter(t)
	r := s.streams.Read("theirs", 0)
	defer r.Close()
	got := make(chan int, 3)
	var reading sync.WaitGroup
	reading.Go(func() {
		for {
			events, err := r.Next(t.Context(), nil)
			if err != nil {
				return
			}
			got <- len(events)
		}
	})
	theirs := stream.Lease{StreamID: "theirs", Epoch: 1}
	for range 3 {
		require.NoError(t, s.AppendEvents(t.Context(), theirs, []stream.Event{{Type: "chunk"}}))
		for arrived := false; !arrived; {
			s.Poll(t.Context())
			select {
			case n := <-got:
				require.Equal(t, 1, n)
				arrived = true
			default:
			}
		}
	}
	require.NoError(t, s.AppendEvents(t.Context(), theirs, []stream.Event{{Type: "end"}}))
	s.Poll(t.Context())
	reading.Wait()
}

func TestHintsAreHeard(t *testing.T) {
	t.Parallel()
	s := enter(t)
	one, two := s.write(t, "one"), s.write(t, "two")
	s.Hear("one\nsone") // its own
	require.NoError(t, context.Cause(one.Context()))
	s.Hear("other\nsone\n\nxodd\ncnone")
	require.Equal(t, stream.ErrStopped, context.Cause(one.Context()))
	require.NoError(t, context.Cause(two.Context()))
	s.Hear("other\ndchat")
	require.Equal(t, stream.ErrDeleted, context.Cause(two.Context()))
	one.Close()
	two.Close()
}

func TestPayloadsAreShort(t *testing.T) {
	t.Parallel()
	require.Empty(t, replica.Payloads("one", nil))
	var all []stream.Hint
	lines := map[string]bool{}
	for i := range 1000 {
		hint := stream.Hint{Kind: stream.Changed, ID: fmt.Sprint("stream_", strings.Repeat("x", 20), i)}
		all = append(all, hint)
		lines["c"+hint.ID] = true
	}
	texts := replica.Payloads("one", all)
	require.Greater(t, len(texts), 3)
	for _, text := range texts {
		require.LessOrEqual(t, len(text), replica.PayloadBytes)
		all := strings.Split(text, "\n")
		require.Equal(t, "one", all[0])
		for _, line := range all[1:] {
			require.True(t, lines[line])
			delete(lines, line)
		}
	}
	require.Empty(t, lines, "each is sent once")
}

// The hints of a running replica reach the others, and when it ends it gives up what it owns.
func TestRun(t *testing.T) {
	t.Parallel()
	s := enter(t)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	hint := stream.Hint{Kind: stream.Stop, ID: "s"}
	for told := ""; told == ""; {
		s.Tell(hint)
		s.mu.Lock()
		told = strings.Join(s.notified, "")
		s.mu.Unlock()
		if told != "" {
			require.Contains(t, told, "one\nss")
		}
	}
	cancel()
	running.Wait()
	require.Equal(t, 1, s.released)
}

// Without LISTEN, and with any number of readers wherever they are, each has what is new within a
// second.
func TestPollingBringsNewsToAllReaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &world{logs: map[string][]stream.Event{}}
		streams := stream.New(w)
		member := replica.New(replica.Config{
			Name: "one", Store: w, Logs: streams, PollOnly: true, Log: slog.New(slog.DiscardHandler),
			EndBroken: func(context.Context, []string) ([]string, error) { return nil, nil },
		})
		ctx, end := context.WithCancel(t.Context())
		var running, reading sync.WaitGroup
		running.Go(func() { member.Run(ctx) })
		elsewhere := stream.Lease{StreamID: "s", Epoch: 1}
		var changed atomic.Value // the time of the last change
		for count := range 10 {
			changed.Store(time.Now())
			require.NoError(t, w.AppendEvents(ctx, elsewhere, []stream.Event{{Type: "chunk"}}))
			for after := range int64(count + 1) { // they come while others wait, and know what those don't
				reading.Go(func() {
					r := streams.Read("s", after)
					defer r.Close()
					seen := after
					for {
						events, err := r.Next(ctx, nil)
						if err == io.EOF {
							break
						}
						require.NoError(t, err)
						for _, event := range events {
							seen++
							require.Equal(t, seen, event.ID)
						}
						require.LessOrEqual(t, time.Since(changed.Load().(time.Time)), time.Second)
					}
					require.EqualValues(t, 11, seen)
				})
			}
			time.Sleep(300 * time.Millisecond)
		}
		time.Sleep(5 * time.Second)
		changed.Store(time.Now())
		require.NoError(t, w.AppendEvents(ctx, elsewhere, []stream.Event{{Type: "end"}}))
		reading.Wait()
		require.LessOrEqual(t, time.Since(changed.Load().(time.Time)), time.Second)
		end()
		running.Wait()
	})
}
