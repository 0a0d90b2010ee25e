package stream_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// shared is a memory that several Logs work on.
type shared struct {
	*memory
	asked chan string
	// away is how often an append fails before it is done, and late how often after.
	mu         sync.Mutex
	away, late int
}

func newShared() *shared { return &shared{memory: newMemory(), asked: make(chan string, 10)} }

var errAway = &fault.Error{Code: wire.CodeUnavailable, Message: "The database is away"}

func (s *shared) AskToStop(_ context.Context, streamID string) error {
	s.asked <- streamID
	return nil
}

func (s *shared) AppendEvents(ctx context.Context, lease stream.Lease, events []stream.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away > 0 {
		s.away--
		return errAway
	}
	err := s.memory.AppendEvents(ctx, lease, events)
	if err == nil && s.late > 0 {
		s.late--
		return errAway
	}
	return err
}

// cluster returns two Logs on one Store, which hear each other's hints.
func cluster(store stream.Store) (one, two *stream.Logs) {
	one, two = stream.New(store), stream.New(store)
	one.Tell, two.Tell = two.Hear, one.Hear
	return one, two
}

func TestAReaderElsewhereHasEachEventOnce(t *testing.T) {
	t.Parallel()
	one, two := cluster(newShared())
	w := one.Write(t.Context(), stream.Lease{StreamID: "s", Epoch: 1}, "c")
	var reading sync.WaitGroup
	for range 3 {
		reading.Go(func() { require.Equal(t, upTo(0, 1001), all(t, two, "s", 0)) })
	}
	for range 100 {
		require.NoError(t, w.Append(t.Context(), chunks(10)))
	}
	require.NoError(t, w.Append(t.Context(), []stream.Event{last}))
	w.Close()
	reading.Wait()
}

// A stop reaches a writer elsewhere by a hint, and is in the Store in case the hint is lost.
func TestAStopElsewhere(t *testing.T) {
	t.Parallel()
	store := newShared()
	one, two := cluster(store)
	w := one.Write(t.Context(), stream.Lease{StreamID: "s", Epoch: 1}, "c")
	defer w.Close()
	asked, err := two.Stop(t.Context(), "s")
	require.NoError(t, err)
	require.True(t, asked)
	require.Equal(t, "s", <-store.asked)
	require.Equal(t, stream.ErrStopped, context.Cause(w.Context()))
}

func TestADeletionElsewhere(t *testing.T) {
	t.Parallel()
	one, two := cluster(newShared())
	w := one.Write(t.Context(), stream.Lease{StreamID: "s", Epoch: 1}, "c")
	defer w.Close()
	two.DeleteChat("other")
	require.NoError(t, w.Context().Err())
	two.DeleteChat("c")
	require.Equal(t, stream.ErrDeleted, context.Cause(w.Context()))
}

// The logs that are followed are those to poll, because hints may get lost.
func TestWhatIsFollowed(t *testing.T) {
	t.Parallel()
	store := newShared()
	logs := stream.New(store)
	w := logs.Write(t.Context(), stream.Lease{StreamID: "mine", Epoch: 1}, "c")
	defer w.Close()
	mine, theirs := logs.Read("mine", 0), logs.Read("theirs", 0)
	defer mine.Close()
	require.NoError(t, store.AppendEvents(t.Context(), stream.Lease{StreamID: "theirs", Epoch: 1}, chunks(3)))
	_, err := theirs.Next(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"theirs": 3}, logs.Following())
	require.Equal(t, []string{"mine"}, logs.Writing())
	theirs.Close()
	require.Empty(t, logs.Following())
}

// A process that lost a log writes no more of it, and its readers continue from the Store.
func TestALostLog(t *testing.T) {
	t.Parallel()
	store := newShared()
	logs := stream.New(store)
	w := logs.Write(t.Context(), stream.Lease{StreamID: "s", Epoch: 1}, "c")
	require.NoError(t, w.Append(t.Context(), chunks(1)))
	var reading sync.WaitGroup
	reading.Go(func() { require.Equal(t, upTo(0, 2), all(t, logs, "s", 0)) })
	require.NoError(t, store.AppendEvents(t.Context(), stream.Lease{StreamID: "s", Epoch: 2}, []stream.Event{last}))
	logs.Lost("s")
	require.Equal(t, stream.ErrTaken, context.Cause(w.Context()))
	w.Close()
	reading.Wait()
}

// A process that leaves keeps only the readers of its own logs.
func TestLeaving(t *testing.T) {
	t.Parallel()
	logs := stream.New(newShared())
	w := logs.Write(t.Context(), stream.Lease{StreamID: "mine", Epoch: 1}, "c")
	var reading sync.WaitGroup
	reading.Go(func() { require.Equal(t, upTo(0, 1), all(t, logs, "mine", 0)) })
	theirs := logs.Read("theirs", 0)
	defer theirs.Close()
	reading.Go(func() {
		_, err := theirs.Next(t.Context(), nil)
		require.ErrorIs(t, err, stream.ErrClosed)
	})
	logs.Leave()
	require.NoError(t, w.Append(t.Context(), []stream.Event{last}))
	w.Close()
	reading.Wait()
}

// A writer waits for a Store that is away. Events that the Store had stored
// before are not stored twice.
func TestAnAppendOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ away, late int }{{3, 0}, {0, 1}, {2, 1}} {
		store := newShared()
		logs := stream.New(store)
		w := logs.Write(t.Context(), stream.Lease{StreamID: "s", Epoch: 1}, "c")
		require.NoError(t, w.Append(t.Context(), chunks(2)))
		store.mu.Lock()
		store.away, store.late = test.away, test.late
		store.mu.Unlock()
		more := chunks(3)
		require.NoError(t, w.Append(t.Context(), more))
		require.EqualValues(t, 3, more[0].ID)
		require.NoError(t, w.Append(t.Context(), []stream.Event{last}))
		w.Close()
		require.Equal(t, upTo(0, 6), all(t, logs, "s", 0), test)
	}
}

func TestPatienceEnds(t *testing.T) {
	t.Parallel()
	logs := stream.New(newShared())
	logs.Patience = time.Nanosecond
	tries := 0
	require.ErrorIs(t, logs.Patiently(t.Context(), func() error { tries++; return errAway }), errAway)
	require.Equal(t, 1, tries)
	logs.Patience = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	require.ErrorIs(t, logs.Patiently(ctx, func() error { cancel(); return errAway }), errAway)
	require.NoError(t, logs.Patiently(t.Context(), func() error { return nil }))
	wrong := &fault.Error{Code: wire.CodeConflict}
	require.Equal(t, wrong, logs.Patiently(t.Context(), func() error { return wrong }), "waiting helps with no other failure")
}
