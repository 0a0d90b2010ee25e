package chat_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	logs "github.com/chatsdk/chatsdk/service/internal/stream"
)

// resume resumes a stream that can be.
func (s *service) resume(caller access.Caller, streamID string, after int64) *chat.Stream {
	s.t.Helper()
	stream, err := s.Resume(s.t.Context(), caller, streamID, after)
	require.NoError(s.t, err)
	return stream
}

// From every id, live and finished, a reader gets exactly the rest.
func TestResumeFromEachEvent(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	stream := s.send(ann, chat.Send{Message: "Hi"})
	streamID := decode[wire.Start](t, readUntil(t, stream, 1)[0]).StreamID
	q := <-model
	var readers sync.WaitGroup
	var live [10][]chat.Event
	for i := range live {
		q.say(fmt.Sprint("piece ", i))
		readUntil(t, stream, i+2)
		resumed := s.resume(ann, streamID, int64(i+2))
		readers.Go(func() { live[i] = eventsOf(t, resumed) })
	}
	q.finish()
	whole := read(t, stream).events
	readers.Wait()
	for i, events := range live {
		require.Equal(t, whole[i+2:], events, "live, after event %d", i+2)
	}
	next := chat.New(s.config)
	defer next.Close(t.Context())
	for after := range int64(len(whole)) + 1 {
		for _, service := range []*chat.Service{s.Service, next} {
			resumed, err := service.Resume(t.Context(), ann, streamID, after)
			require.NoError(t, err)
			require.Equal(t, append([]chat.Event{}, whole[after:]...), eventsOf(t, resumed), "finished, after event %d", after)
		}
	}
}

func TestResumeBeyondTheLastEvent(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	stream := s.send(ann, chat.Send{Message: "Hi"})
	streamID := decode[wire.Start](t, readUntil(t, stream, 1)[0]).StreamID
	refused := func(after int64) {
		t.Helper()
		_, err := s.Resume(t.Context(), ann, streamID, after)
		requireError(t, err, wire.CodeValidation, "last-event-id")
	}
	refused(2)
	refused(-1)
	(<-model).finish()
	last := int64(len(read(t, stream).events))
	s.resume(ann, streamID, last)
	refused(last + 1)
}

func TestWhoMayResume(t *testing.T) {
	t.Parallel()
	for _, ended := range []bool{false, true} {
		t.Run(fmt.Sprint("ended ", ended), func(t *testing.T) {
			t.Parallel()
			model := newLive()
			s := start(t, model)
			mine, nobodys := s.send(ann, chat.Send{Message: "mine"}), s.send(admin, chat.Send{Message: "nobody's"})
			ids := []string{decode[wire.Start](t, readUntil(t, mine, 1)[0]).StreamID, decode[wire.Start](t, readUntil(t, nobodys, 1)[0]).StreamID}
			asked := model.questions(t, 2)
			if ended {
				for _, q := range asked {
					q.finish()
				}
				read(t, mine)
				read(t, nobodys)
			}
			admin2 := ann
			admin2.Admin = true // a role gives access to no more chats
			for i, test := range []struct {
				caller access.Caller
				may    [2]bool
			}{
				{ann, [2]bool{true, false}}, {admin2, [2]bool{true, false}}, {bob, [2]bool{}}, {admin, [2]bool{true, true}}, {alien, [2]bool{}},
			} {
				for j, id := range ids {
					_, err := s.Resume(t.Context(), test.caller, id, 0)
					if test.may[j] {
						require.NoError(t, err)
						continue
					}
					require.ErrorIs(t, err, fault.ErrNotFound, "caller %d, stream %d", i, j)
					_, err = s.Stop(t.Context(), test.caller, id)
					require.ErrorIs(t, err, fault.ErrNotFound)
				}
			}
			_, err := s.Resume(t.Context(), ann, "stream_unknown", 0)
			require.ErrorIs(t, err, fault.ErrNotFound)
			if !ended {
				require.NoError(t, asked["mine"].ctx.Err(), "nobody else stopped it")
			}
		})
	}
}

// The API key writes in a user's chat: the stream is the user's.
func TestResumeOfAnAnswerInAUsersChat(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("One")...))
	stream := s.send(admin, chat.Send{Message: "Hi", ChatID: s.newChat(ann)})
	tr := read(t, stream)
	require.Equal(t, tr, read(t, s.resume(ann, tr.start.StreamID, 0)))
}

// Only the clock decides when events are gone; the sweep changes nothing.
func TestEventsAreKeptForTheirTime(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("One")...), func(c *chat.Config) { c.Retention = time.Minute })
	tr := read(t, s.send(ann, chat.Send{Message: "Hi"}))
	gone := func() {
		t.Helper()
		for _, after := range []int64{0, 2, 99} {
			_, err := s.Resume(t.Context(), ann, tr.start.StreamID, after)
			requireError(t, err, wire.CodeStreamGone)
		}
		_, err := s.Resume(t.Context(), bob, tr.start.StreamID, 0)
		require.ErrorIs(t, err, fault.ErrNotFound, "others are not told")
	}
	s.clock.pass(time.Minute - time.Microsecond)
	require.NoError(t, s.Sweep(t.Context()))
	require.Equal(t, tr, read(t, s.resume(ann, tr.start.StreamID, 0)))
	s.clock.pass(time.Microsecond)
	gone()
	require.NoError(t, s.Sweep(t.Context()))
	gone()
	receipt, err := s.Stop(t.Context(), ann, tr.start.StreamID)
	require.NoError(t, err)
	require.Equal(t, int64(len(tr.events)), receipt.LastEventID, "how it ended is known as long as the answer exists")
	require.NoError(t, s.DeleteChat(t.Context(), ann, tr.start.ChatID))
	_, err = s.Resume(t.Context(), ann, tr.start.StreamID, 0)
	require.ErrorIs(t, err, fault.ErrNotFound)
}

// An answer that takes longer than events are kept loses none of them.
func TestSweepLeavesRunningAnswers(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	stream := s.send(ann, chat.Send{Message: "Hi"})
	q := <-model
	q.say("One")
	readUntil(t, stream, 2)
	s.clock.pass(48 * time.Hour)
	require.NoError(t, s.Sweep(t.Context()))
	q.finish()
	tr := read(t, stream)
	require.Equal(t, tr, read(t, s.resume(ann, tr.start.StreamID, 0)))
}

// If events are deleted while they are read, the reading stops with an error, not as at the end.
func TestEventsGoWhileTheyAreRead(t *testing.T) {
	t.Parallel()
	var pieces []string
	for i := range 1000 {
		pieces = append(pieces, fmt.Sprint(i, " "))
	}
	s := start(t, says(words(pieces...)...))
	tr := read(t, s.send(ann, chat.Send{Message: "Hi"}))
	var errs []error
	count := 0
	for events, err := range s.resume(ann, tr.start.StreamID, 0).Events(t.Context()) {
		errs = append(errs, err)
		count += len(events)
		require.NoError(t, s.store.Sweep(t.Context(), float64(noon.Unix()+1), 0))
	}
	require.Equal(t, 512, count)
	require.Len(t, errs, 2)
	require.ErrorIs(t, errs[1], logs.ErrSwept)
}

// A reader that never reads, of a running or a finished stream, holds nothing
// up: nobody waits for it.
func TestReadersThatNeverRead(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	stream := s.send(ann, chat.Send{Message: "Hi"})
	streamID := decode[wire.Start](t, readUntil(t, stream, 1)[0]).StreamID
	ctx, leave := context.WithCancel(t.Context())
	stuck := make(chan struct{})
	var readers sync.WaitGroup
	for range 20 {
		resumed := s.resume(ann, streamID, 0)
		readers.Go(func() {
			for range resumed.Events(ctx) {
				<-stuck
			}
		})
	}
	q := <-model
	for range 2000 {
		q.say("word ")
	}
	q.finish()
	require.Len(t, read(t, stream).chunks, 2000)
	s.resume(ann, streamID, 3)
	leave()
	close(stuck)
	readers.Wait()
}

// Run ends with its context, and swept data is gone.
func TestRunSweeps(t *testing.T) {
	t.Parallel()
	swept := make(chan struct{}, 1)
	s := start(t, says(words("One")...), func(c *chat.Config) { c.Store = &sweeping{c.Store, swept} })
	tr := read(t, s.send(ann, chat.Send{Message: "Hi"}))
	s.clock.pass(chat.DefaultRetention)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	<-swept
	cancel()
	running.Wait()
	_, err := s.store.Events(t.Context(), tr.start.StreamID, 0, 10)
	require.ErrorIs(t, err, logs.ErrSwept)
}

// sweeping is a store that reports its sweeps.
type sweeping struct {
	chat.Store
	swept chan struct{}
}

func (s *sweeping) Sweep(ctx context.Context, ended, claimed float64) error {
	err := s.Store.Sweep(ctx, ended, claimed)
	s.swept <- struct{}{}
	return err
}
