package stream_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/stream"
)

var elsewhere = stream.Lease{StreamID: "s", Epoch: 1}

// questions returns how often the Store was asked for events.
func (m *memory) questions() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reads
}

// The Store is asked once for each change of a log that is written elsewhere, however many readers
// the log has here.
func TestOneFollowerForAllReaders(t *testing.T) {
	t.Parallel()
	for _, readers := range []int{1, 50} {
		synctest.Test(t, func(t *testing.T) {
			store := newShared()
			logs := stream.New(store)
			var reading sync.WaitGroup
			for range readers {
				reading.Go(func() {
					r := logs.ReadFrom(stream.Head{StreamID: "s"}, 0)
					defer r.Close()
					require.Equal(t, upTo(0, 21), rest(t, r))
				})
			}
			synctest.Wait()
			for range 20 {
				require.NoError(t, store.AppendEvents(t.Context(), elsewhere, chunks(1)))
				logs.Hear(stream.Hint{Kind: stream.Changed, ID: "s"})
				synctest.Wait()
			}
			require.NoError(t, store.AppendEvents(t.Context(), elsewhere, []stream.Event{last}))
			logs.Wake("s")
			reading.Wait()
			require.LessOrEqual(t, store.questions(), 22, "%d readers", readers)
		})
	}
}

// Readers who come late to a log that is followed get what is known from memory, and nobody asks
// the Store for it again.
func TestLateReadersOfAFollowedLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newShared()
		logs := stream.New(store)
		require.NoError(t, store.AppendEvents(t.Context(), elsewhere, chunks(300)))
		first := logs.Read("s", 0)
		defer first.Close()
		require.Len(t, next(t, first), 300)
		before := store.questions()
		for after := range int64(300) {
			r := logs.ReadFrom(stream.Head{StreamID: "s", LastID: 300}, after)
			require.Equal(t, after+1, next(t, r)[0].ID)
			r.Close()
		}
		require.Equal(t, before, store.questions())
	})
}

// A reader that learns of something that the others have not seen yet wakes them, although the hint
// was lost.
func TestAReaderWakesTheOthers(t *testing.T) {
	t.Parallel()
	news := map[string]func(logs *stream.Logs) *stream.Reader{
		"by asking":  func(logs *stream.Logs) *stream.Reader { return logs.Read("s", 0) },
		"by knowing": func(logs *stream.Logs) *stream.Reader { return logs.ReadFrom(stream.Head{StreamID: "s", LastID: 4}, 4) },
	}
	for name, come := range news {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := newShared()
				logs := stream.New(store)
				require.NoError(t, store.AppendEvents(t.Context(), elsewhere, chunks(3)))
				var waiting sync.WaitGroup
				for after := range int64(4) {
					waiting.Go(func() {
						r := logs.Read("s", after)
						defer r.Close()
						require.Equal(t, upTo(after, 4), rest(t, r))
					})
				}
				synctest.Wait()
				require.NoError(t, store.AppendEvents(t.Context(), elsewhere, []stream.Event{last}))
				r := come(logs)
				defer r.Close()
				rest(t, r)
				waiting.Wait()
			})
		})
	}
}

// next returns the next events of a reader.
func next(t *testing.T, r *stream.Reader) []stream.Event {
	t.Helper()
	events, err := r.Next(t.Context(), nil)
	require.NoError(t, err)
	return events
}

// rest reads to the end of a log, and returns the ids.
func rest(t *testing.T, r *stream.Reader) (ids []int64) {
	t.Helper()
	for {
		events, err := r.Next(t.Context(), nil)
		if err == io.EOF {
			return ids
		}
		require.NoError(t, err)
		for _, event := range events {
			ids = append(ids, event.ID)
		}
	}
}

// Wherever and whenever readers begin in a log that is written elsewhere, and however far they are
// behind, they have each event once and in order.
func TestFollowersHaveEachEventOnce(t *testing.T) {
	t.Parallel()
	store := newShared()
	logs := stream.New(store)
	const count = 5000
	var readers sync.WaitGroup
	read := func(after int64) {
		readers.Go(func() {
			if got := all(t, logs, "s", after); !slices.Equal(got, upTo(after, count+1)) {
				t.Errorf("after %d: got %d events", after, len(got))
			}
		})
	}
	for written := 0; written < count; {
		n := min(1+rand.IntN(1200), count-written)
		require.NoError(t, store.AppendEvents(t.Context(), elsewhere, chunks(n)))
		written += n
		logs.Wake("s")
		for range 5 {
			read(int64(rand.IntN(written + 1)))
		}
	}
	require.NoError(t, store.AppendEvents(t.Context(), elsewhere, []stream.Event{last}))
	logs.Wake("s")
	read(0)
	readers.Wait()
}

// Another process stops writing in the middle, and this one goes on, while readers wait here.
func TestALogMovesHere(t *testing.T) {
	t.Parallel()
	store := newShared()
	logs := stream.New(store)
	require.NoError(t, store.AppendEvents(t.Context(), elsewhere, chunks(3)))
	var reading sync.WaitGroup
	for after := range int64(4) {
		r := logs.ReadFrom(stream.Head{StreamID: "s", LastID: 3}, after)
		reading.Go(func() {
			defer r.Close()
			require.Equal(t, upTo(after, 7), rest(t, r))
		})
	}
	require.NoError(t, store.AppendEvents(t.Context(), elsewhere, chunks(2))) // its hint was lost
	w := logs.Write(t.Context(), stream.Lease{StreamID: "s", Epoch: 2}, "c")
	w.From(5)
	require.NoError(t, w.Append(t.Context(), chunks(1)))
	require.NoError(t, w.Append(t.Context(), []stream.Event{last}))
	w.Close()
	reading.Wait()
}

// A Store that fails is told to all who wait for it, and asked again by the next.
func TestAFollowerThatFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &failing{memory: newMemory()}
		logs := stream.New(store)
		one, two := logs.Read("s", 0), logs.Read("s", 0)
		defer one.Close()
		defer two.Close()
		store.fail(errAway)
		var waiting sync.WaitGroup
		for _, r := range []*stream.Reader{one, two} {
			waiting.Go(func() {
				_, err := r.Next(t.Context(), nil)
				require.ErrorIs(t, err, errAway)
			})
		}
		waiting.Wait()
		store.fail(nil)
		require.NoError(t, store.AppendEvents(t.Context(), elsewhere, []stream.Event{last}))
		require.Len(t, next(t, one), 1)
		require.Len(t, next(t, two), 1)
	})
}

// failing is a memory that cannot be read.
type failing struct {
	*memory
	mu  sync.Mutex
	err error
}

func (f *failing) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *failing) Events(ctx context.Context, id string, after int64, limit int) ([]stream.Event, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, f.err
	}
	return f.memory.Events(ctx, id, after, limit)
}

// A deletion ends the readers of a log that nobody writes at once, wherever they are in it.
func TestADeletionEndsFollowers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newShared()
		logs := stream.New(store)
		require.NoError(t, store.AppendEvents(t.Context(), elsewhere, chunks(3)))
		head := stream.Head{StreamID: "s", ChatID: "c", LastID: 3}
		behind, waits := logs.ReadFrom(head, 0), logs.ReadFrom(head, 3)
		defer behind.Close()
		defer waits.Close()
		var waiting sync.WaitGroup
		waiting.Go(func() {
			_, err := waits.Next(t.Context(), nil)
			require.True(t, errors.Is(err, stream.ErrDeleted), err)
		})
		synctest.Wait()
		store.delete("s")
		logs.Hear(stream.Hint{Kind: stream.Deleted, ID: "c"})
		waiting.Wait()
		_, err := behind.Next(t.Context(), nil)
		require.ErrorIs(t, err, stream.ErrDeleted)
	})
}

// What a log has in memory is bounded, whatever its readers do: by the number of events, and by
// their bytes.
func TestTailsAreBounded(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"many": 2, "large": 64 << 10} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := newShared()
			logs := stream.New(store)
			slow := logs.Read("s", 0)
			defer slow.Close()
			require.Empty(t, logs.Held("s"))
			r := logs.Read("s", 0)
			defer r.Close()
			data := make([]byte, size)
			for range 100 {
				batch := chunks(32)
				for i := range batch {
					batch[i].Data = data
				}
				require.NoError(t, store.AppendEvents(t.Context(), elsewhere, batch))
				logs.Wake("s")
				require.Len(t, next(t, r), 32)
				held := logs.Held("s")
				require.LessOrEqual(t, len(held), 2*512)
				require.LessOrEqual(t, len(held)*size, max(4<<20, 2*512*2), "two MiB and a batch")
			}
			require.NoError(t, store.AppendEvents(t.Context(), elsewhere, []stream.Event{last}))
			logs.Wake("s")
			require.Equal(t, upTo(0, 3201), rest(t, slow), "who is far behind reads the Store")
		})
	}
}
