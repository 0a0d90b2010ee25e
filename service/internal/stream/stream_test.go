package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a Store of one process.
type memory struct {
	mu      sync.Mutex
	logs    map[string][]stream.Event
	ended   map[string]bool
	deleted map[string]bool
	reads   int
	err     error // of appends
}

func newMemory() *memory {
	return &memory{logs: map[string][]stream.Event{}, ended: map[string]bool{}, deleted: map[string]bool{}}
}

func (m *memory) AppendEvents(_ context.Context, lease stream.Lease, events []stream.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	id := lease.StreamID
	m.logs[id] = append(m.logs[id], stream.Number(int64(len(m.logs[id])), events)...)
	m.ended[id] = len(events) > 0 && events[len(events)-1].Type == wire.EventEnd
	return nil
}

func (m *memory) Events(_ context.Context, id string, after int64, limit int) ([]stream.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	all := m.logs[id]
	switch {
	case m.deleted[id]:
		return nil, fmt.Errorf("memory: %w", stream.ErrDeleted)
	case int(after) < len(all):
		return slices.Clone(all[after:min(int(after)+limit, len(all))]), nil
	case m.ended[id]:
		return nil, io.EOF
	}
	return nil, nil
}

func (m *memory) delete(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deleted[id] = true
}

func chunks(n int) (events []stream.Event) {
	for range n {
		events = append(events, stream.Event{Type: wire.EventChunk, Data: []byte("{}")})
	}
	return events
}

var last = stream.Event{Type: wire.EventEnd, Data: []byte("{}")}

// all reads a log after an event, and returns the ids.
func all(t *testing.T, logs *stream.Logs, id string, after int64) (ids []int64) {
	t.Helper()
	r := logs.Read(id, after)
	defer r.Close()
	for {
		events, err := r.Next(t.Context(), nil)
		if err == io.EOF {
			return ids
		}
		require.NoError(t, err)
		require.NotEmpty(t, events)
		require.LessOrEqual(t, len(events), stream.BatchEvents)
		for _, event := range events {
			ids = append(ids, event.ID)
		}
	}
}

func upTo(after, last int64) (ids []int64) {
	for id := after + 1; id <= last; id++ {
		ids = append(ids, id)
	}
	return ids
}

// Readers have each event once and in order, wherever they begin and whenever
// they arrive: before the first event, in the middle, and after the end.
func TestReadersHaveEachEventOnce(t *testing.T) {
	t.Parallel()
	logs := stream.New(newMemory())
	w := logs.Write(t.Context(), stream.Lease{StreamID: "s"}, "c")
	var readers sync.WaitGroup
	read := func(after, want int64) {
		readers.Go(func() {
			if got := all(t, logs, "s", after); !slices.Equal(got, upTo(after, want)) {
				t.Errorf("after %d: got %v", after, got)
			}
		})
	}
	const count = 3000
	for _, after := range []int64{0, 1, 700, count, count + 1} {
		read(after, count+1)
	}
	for written := 0; written < count; {
		n := min(1+rand.IntN(700), count-written)
		require.NoError(t, w.Append(t.Context(), chunks(n)))
		written += n
		read(int64(rand.IntN(written)), count+1)
	}
	require.NoError(t, w.Append(t.Context(), []stream.Event{last}))
	read(0, count+1)
	readers.Wait()
	w.Close()
	read(0, count+1)
	read(count+1, count+1)
	readers.Wait()
}

// A reader that keeps up costs the Store nothing.
func TestTheTailStaysInMemory(t *testing.T) {
	t.Parallel()
	store := newMemory()
	logs := stream.New(store)
	w := logs.Write(t.Context(), stream.Lease{StreamID: "s"}, "c")
	defer w.Close()
	r := logs.Read("s", 0)
	defer r.Close()
	require.NoError(t, w.Append(t.Context(), chunks(1)))
	for range 2000 {
		events, err := r.Next(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, events, 1)
		require.NoError(t, w.Append(t.Context(), chunks(1)))
	}
	require.Zero(t, store.reads)
}

// Nobody reads unstored events, and later events get their ids.
func TestWhatIsNotStoredIsNotRead(t *testing.T) {
	t.Parallel()
	store := newMemory()
	logs := stream.New(store)
	w := logs.Write(t.Context(), stream.Lease{StreamID: "s"}, "c")
	defer w.Close()
	require.NoError(t, w.Append(t.Context(), chunks(2)))
	store.err = errors.New("the disk is full")
	require.ErrorIs(t, w.Append(t.Context(), chunks(3)), store.err)
	store.err = nil
	require.NoError(t, w.Append(t.Context(), []stream.Event{last}))
	require.Equal(t, upTo(0, 3), all(t, logs, "s", 0))
}

func TestSilence(t *testing.T) {
	t.Parallel()
	logs := stream.New(newMemory())
	w := logs.Write(t.Context(), stream.Lease{StreamID: "s"}, "c")
	defer w.Close()
	r := logs.Read("s", 0)
	defer r.Close()
	silence := make(chan time.Time, 1)
	silence <- time.Time{}
	events, err := r.Next(t.Context(), silence)
	require.NoError(t, err)
	require.Empty(t, events)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = r.Next(ctx, silence)
	require.ErrorIs(t, err, context.Canceled)
	logs.Close()
	_, err = r.Next(t.Context(), nil)
	require.ErrorIs(t, err, stream.ErrClosed)
}

func TestWritersAreAskedToEnd(t *testing.T) {
	t.Parallel()
	logs := stream.New(newMemory())
	one, two := logs.Write(t.Context(), stream.Lease{StreamID: "one"}, "c"), logs.Write(t.Context(), stream.Lease{StreamID: "two"}, "d")
	asked, err := logs.Stop(t.Context(), "unknown")
	require.NoError(t, err)
	require.False(t, asked)
	asked, err = logs.Stop(t.Context(), "one")
	require.NoError(t, err)
	require.True(t, asked)
	<-one.Context().Done()
	require.Equal(t, stream.ErrStopped, context.Cause(one.Context()))
	require.NoError(t, two.Context().Err())
	logs.DeleteChat("d")
	require.Equal(t, stream.ErrDeleted, context.Cause(two.Context()))
	three := logs.Write(t.Context(), stream.Lease{StreamID: "three"}, "c")
	logs.Interrupt(io.ErrUnexpectedEOF)
	require.Equal(t, io.ErrUnexpectedEOF, context.Cause(three.Context()))
	for _, w := range []*stream.Writer{one, two, three} {
		w.Close()
	}
	asked, err = logs.Stop(t.Context(), "one")
	require.NoError(t, err)
	require.False(t, asked, "nobody writes it")
}

// A deleted log ends for its readers, with the events of Deleted if it is set.
func TestDeletedLogs(t *testing.T) {
	t.Parallel()
	store := newMemory()
	logs := stream.New(store)
	w := logs.Write(t.Context(), stream.Lease{StreamID: "s"}, "c")
	defer w.Close()
	require.NoError(t, w.Append(t.Context(), chunks(2)))
	told, bare := logs.Read("s", 2), logs.Read("s", 2)
	defer told.Close()
	defer bare.Close()
	told.Deleted = func(after int64) []stream.Event {
		require.EqualValues(t, 2, after)
		return []stream.Event{{Type: wire.EventError}, last}
	}
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if events, err := told.Next(t.Context(), nil); err != nil || len(events) != 2 || events[0].ID != 3 || events[1].ID != 4 {
			t.Errorf("got %v, %v", events, err)
		}
		if _, err := told.Next(t.Context(), nil); err != io.EOF {
			t.Error(err)
		}
	})
	waiting.Go(func() {
		if _, err := bare.Next(t.Context(), nil); !errors.Is(err, stream.ErrDeleted) {
			t.Error(err)
		}
	})
	store.delete("s")
	logs.DeleteChat("c")
	waiting.Wait()
}

// A log that somebody else writes or continues is read after a wake-up.
func TestAWakeUp(t *testing.T) {
	t.Parallel()
	store := newMemory()
	logs := stream.New(store)
	r := logs.Read("s", 0)
	defer r.Close()
	var reading sync.WaitGroup
	reading.Go(func() {
		for seen := int64(0); seen < 2; {
			events, err := r.Next(t.Context(), nil)
			for _, event := range events {
				if seen++; event.ID != seen {
					t.Errorf("got %d, want %d", event.ID, seen)
				}
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	for id := range int64(2) {
		require.NoError(t, store.AppendEvents(t.Context(), stream.Lease{StreamID: "s", Epoch: 1}, []stream.Event{{ID: id + 1, Type: wire.EventChunk}}))
		logs.Wake("s")
	}
	reading.Wait()
}
