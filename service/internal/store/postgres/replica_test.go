package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/replica"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

var ann = access.Scope{ProjectID: "project", UserID: "ann"}

// turn is a turn in a new chat. Its stream is called name-s.
func turn(name string) chat.Turn {
	return chat.Turn{
		NewChat:  &wire.Chat{ChatID: name + "-c", Name: chat.Untitled, CreatedAt: 100},
		StreamID: name + "-s",
		Question: wire.Message{ID: name + "-q", ChatID: name + "-c", Role: wire.RoleUser, Content: "question", CreatedAt: 100},
		Answer:   wire.Message{ID: name + "-a", ChatID: name + "-c", Role: wire.RoleAssistant, CreatedAt: 101},
		Events:   []chat.Event{{Type: wire.EventStart, Data: []byte(`{}`)}},
		Examine:  &chat.Examine{AgentID: "assistant", Enabled: true},
	}
}

func chunk(text string) []chat.Event {
	return []chat.Event{{Type: wire.EventChunk, Data: fmt.Appendf(nil, `{"text":%q}`, text)}}
}

func held(name string) stream.Lease { return stream.Lease{StreamID: name + "-s", Epoch: 1} }

func begin(t *testing.T, store *postgres.Store, scope access.Scope, names ...string) {
	t.Helper()
	for _, name := range names {
		require.NoError(t, store.BeginTurn(t.Context(), scope, turn(name)))
	}
}

// openTwo returns stores of two replicas on an empty database, whose leases don't expire.
func openTwo(t *testing.T) (address string, one, two *postgres.Store) {
	t.Helper()
	address = emptyDatabase(t)
	one, two = openAt(t, address, "one"), openAt(t, address, "two")
	run(t, address, `UPDATE replicas SET lease_until = 'infinity'`)
	return address, one, two
}

// lapse makes the lease of a store expire.
func lapse(t *testing.T, address string, store *postgres.Store) {
	t.Helper()
	run(t, address, `UPDATE replicas SET lease_until = clock_timestamp() - interval '1 second' WHERE id = $1`, store.Replica())
}

// types returns the types of all events of a stream.
func types(t *testing.T, store *postgres.Store, streamID string) (all []string) {
	t.Helper()
	events, err := store.Events(t.Context(), streamID, 0, 1000)
	require.NoError(t, err)
	for i, event := range events {
		require.EqualValues(t, i+1, event.ID)
		all = append(all, event.Type)
	}
	return all
}

var broken = chat.End{At: 400, Error: &chat.Failure{Error: wire.ErrorInfo{Code: wire.CodeUnavailable}}, Events: []chat.Event{
	{Type: wire.EventError, Data: []byte(`{}`)}, {Type: wire.EventEnd, Data: []byte(`{}`)},
}}

// Two processes with the same name are two replicas, since a name may be used again after a crash.
func TestProcessesWithOneNameAreTwoReplicas(t *testing.T) {
	t.Parallel()
	address := emptyDatabase(t)
	require.NotEqual(t, openAt(t, address, "same").Replica(), openAt(t, address, "same").Replica())
}

func TestADeadReplicasAnswersAreEndedOnce(t *testing.T) {
	t.Parallel()
	address, one, two := openTwo(t)
	three := openAt(t, address, "three")
	var names, want []string
	for i := range 12 {
		names, want = append(names, fmt.Sprint("t", i)), append(want, fmt.Sprint("t", i, "-s"))
	}
	begin(t, one, ann, names...)
	begin(t, two, ann, "living")
	require.NoError(t, one.AppendEvents(t.Context(), held("t0"), chunk("seen")))
	for _, store := range []*postgres.Store{one, two} {
		none, err := store.EndBrokenTurns(t.Context(), broken)
		require.NoError(t, err)
		require.Empty(t, none, "its lease is valid")
	}

	lapse(t, address, one)
	none, err := one.EndBrokenTurns(t.Context(), broken)
	require.NoError(t, err)
	require.Empty(t, none, "the replica that writes them doesn't end them")
	var mu sync.Mutex
	var ends []string
	require.NoError(t, atOnce(4, func(i int) error {
		streamIDs, err := []*postgres.Store{two, three}[i%2].EndBrokenTurns(context.WithoutCancel(t.Context()), broken)
		mu.Lock()
		defer mu.Unlock()
		ends = append(ends, streamIDs...)
		return err
	}))
	require.ElementsMatch(t, want, ends)
	require.Equal(t, []string{"start", "chunk", "error", "end"}, types(t, two, "t0-s"))
	stored, err := two.Stream(t.Context(), ann, "t0-s")
	require.NoError(t, err)
	require.Equal(t, []any{"seen", wire.FinishError, int64(4)}, []any{stored.Answer.Content, stored.Answer.FinishReason, stored.LastID})
	require.Equal(t, []string{"start"}, types(t, two, "living-s"))

	require.ErrorIs(t, one.AppendEvents(t.Context(), held("t0"), chunk("late")), fault.ErrNotFound)
	answer := turn("t0").Answer
	answer.FinishReason = wire.FinishStop
	require.ErrorIs(t, one.EndTurn(t.Context(), held("t0"), answer, &chat.End{At: 300}), fault.ErrNotFound)
	require.Equal(t, []string{"start", "chunk", "error", "end"}, types(t, one, "t0-s"))
	require.NoError(t, one.RenewLease(t.Context()))
	owned, err := one.Owned(t.Context())
	require.NoError(t, err)
	require.Empty(t, owned)
}

// atOnce runs do n times at once and returns the errors.
func atOnce(n int, do func(i int) error) error {
	var all sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// The former owner of a stream writes nothing, although the stream is still open.
func TestAnotherEpochWritesNothing(t *testing.T) {
	t.Parallel()
	address, one, two := openTwo(t)
	begin(t, one, ann, "t")
	run(t, address, `UPDATE streams SET epoch = 2, owner = $1`, two.Replica())
	require.ErrorIs(t, one.AppendEvents(t.Context(), held("t"), chunk("late")), stream.ErrTaken)
	answer := turn("t").Answer
	answer.Content, answer.FinishReason = "late", wire.FinishStop
	require.ErrorIs(t, one.EndTurn(t.Context(), held("t"), answer, &chat.End{At: 300}), stream.ErrTaken)
	require.Equal(t, []string{"start"}, types(t, two, "t-s"))
	history, err := two.ChatHistory(t.Context(), ann, "t-c")
	require.NoError(t, err)
	require.Empty(t, history.Messages[1].FinishReason)
	require.NoError(t, two.AppendEvents(t.Context(), stream.Lease{StreamID: "t-s", Epoch: 2}, chunk("on")))
}

func TestAnOwnerWhoseLeaseExpiredContinues(t *testing.T) {
	t.Parallel()
	address, one, two := openTwo(t)
	begin(t, one, ann, "t")
	lapse(t, address, one)
	require.NoError(t, one.AppendEvents(t.Context(), held("t"), chunk("on")))
	require.NoError(t, one.RenewLease(t.Context()))
	none, err := two.EndBrokenTurns(t.Context(), broken)
	require.NoError(t, err)
	require.Empty(t, none)
	answer := turn("t").Answer
	answer.Content, answer.FinishReason = "on", wire.FinishStop
	require.NoError(t, one.EndTurn(t.Context(), held("t"), answer, &chat.End{At: 300}))
}

func TestOrphansAreEndedByTheirOwner(t *testing.T) {
	t.Parallel()
	_, one, two := openTwo(t)
	begin(t, one, ann, "mine", "written")
	begin(t, two, ann, "other's")
	ended, err := one.EndBrokenTurns(t.Context(), broken, "mine-s", "other's-s")
	require.NoError(t, err)
	require.Equal(t, []string{"mine-s"}, ended)
	require.Equal(t, []string{"start"}, types(t, one, "written-s"))
}

func TestOwnedStreamsAreListed(t *testing.T) {
	t.Parallel()
	_, one, two := openTwo(t)
	begin(t, one, ann, "a", "b", "c", "d")
	begin(t, two, ann, "e")
	require.NoError(t, two.AskToStop(t.Context(), "b-s"))
	require.NoError(t, two.AskToStop(t.Context(), "none"))
	require.NoError(t, two.DeleteChat(t.Context(), ann, "c-c", 300))
	answer := turn("d").Answer
	answer.FinishReason = wire.FinishStop
	require.NoError(t, one.EndTurn(t.Context(), held("d"), answer, &chat.End{At: 300, Events: chunk("x")}))
	owned, err := one.Owned(t.Context())
	require.NoError(t, err)
	require.Equal(t, []replica.Owned{{StreamID: "a-s"}, {StreamID: "b-s", Stop: true}}, owned)
	last, err := two.LastIDs(t.Context(), []string{"a-s", "c-s", "d-s", "none"})
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"a-s": 1, "d-s": 2}, last)
}

// jobs returns the jobs that a store gets from both queues.
func jobs(t *testing.T, store *postgres.Store, limit int) (all []string) {
	t.Helper()
	ofMemory, err := store.Jobs(t.Context(), 1000, limit)
	require.NoError(t, err)
	for _, job := range ofMemory {
		all = append(all, job.MessageID)
	}
	files, err := store.DocumentJobs(t.Context(), 1000, limit)
	require.NoError(t, err)
	for _, job := range files {
		all = append(all, job.Key)
	}
	return all
}

// fillQueues adds a message to examine and a file to read for each user.
func fillQueues(t *testing.T, store *postgres.Store, users int) (all []string) {
	t.Helper()
	for i := range users {
		user := fmt.Sprint("user", i)
		begin(t, store, access.Scope{ProjectID: "project", UserID: user}, user)
		require.NoError(t, store.AppendEvents(t.Context(), held(user), chunk("begun")))
		d := knowledge.Document{Key: "doc" + user, ProjectID: "project", UserID: user, Name: "a.md", Kind: read.Markdown, Status: wire.DocumentQueued, Size: 1}
		require.NoError(t, store.AddDocument(t.Context(), d, []byte("x"), nil))
		all = append(all, user+"-q", d.Key)
	}
	return all
}

func ofUser(i int) memory.Job {
	user := fmt.Sprint("user", i)
	return memory.Job{Owner: memory.Owner{ProjectID: "project", AgentID: "assistant", UserID: user}, MessageID: user + "-q"}
}

func TestNoJobGoesToTwoReplicas(t *testing.T) {
	t.Parallel()
	_, one, two := openTwo(t)
	want := fillQueues(t, one, 15)
	var mu sync.Mutex
	owners := map[string]*postgres.Store{}
	require.NoError(t, atOnce(8, func(i int) error {
		store := []*postgres.Store{one, two}[i%2]
		for limit := 1; limit <= 15; limit++ {
			for _, job := range jobs(t, store, limit) {
				mu.Lock()
				owner := owners[job]
				owners[job] = store
				mu.Unlock()
				if owner != nil && owner != store {
					return fmt.Errorf("%s went to both", job)
				}
			}
		}
		return nil
	}))
	require.ElementsMatch(t, want, slices.Collect(maps.Keys(owners)))
	require.Equal(t, jobs(t, one, 100), jobs(t, one, 100), "its own are returned again")
}

func none(memory.State) memory.Changes { return memory.Changes{} }

func TestAJobOfAnotherReplicaIsNotFound(t *testing.T) {
	t.Parallel()
	address, one, two := openTwo(t)
	want := fillQueues(t, one, 3)
	require.ElementsMatch(t, want, jobs(t, one, 100))
	require.Empty(t, jobs(t, two, 100))
	refused := func(store *postgres.Store) {
		for _, err := range []error{
			store.FinishJob(t.Context(), ofUser(0), none), store.PutOff(t.Context(), ofUser(0), 5), store.DropJob(t.Context(), ofUser(0)),
			store.FinishDocument(t.Context(), "docuser0", read.Document{}, nil), store.FailDocument(t.Context(), "docuser0", "x"),
			store.PutOffDocument(t.Context(), "docuser0", 5),
		} {
			require.ErrorIs(t, err, fault.ErrNotFound)
		}
	}
	refused(two)
	lapse(t, address, one)
	require.ElementsMatch(t, want, jobs(t, two, 100), "the lease of their owner has expired")
	refused(one)
	require.NoError(t, two.FinishJob(t.Context(), ofUser(0), none))
	require.NoError(t, two.FailDocument(t.Context(), "docuser0", "x"))
	require.NoError(t, two.PutOff(t.Context(), ofUser(1), 5))
	require.NoError(t, two.PutOffDocument(t.Context(), "docuser1", 5))
	require.NoError(t, one.RenewLease(t.Context()))
	require.ElementsMatch(t, []string{"user1-q", "docuser1"}, jobs(t, one, 100), "a job that was put off is anybody's")
}

func TestAReleaseHandsEverythingOver(t *testing.T) {
	t.Parallel()
	_, one, two := openTwo(t)
	want := fillQueues(t, one, 2)
	require.Len(t, jobs(t, one, 100), len(want))
	require.NoError(t, one.Release(t.Context()))
	require.ElementsMatch(t, want, jobs(t, two, 100))
	ended, err := two.EndBrokenTurns(t.Context(), broken)
	require.NoError(t, err)
	require.Equal(t, []string{"user0-s", "user1-s"}, ended)
}

// A replica that is told to end gives up its jobs at once, and keeps its answers.
func TestJobsAreHandedOverAtOnce(t *testing.T) {
	t.Parallel()
	_, one, two := openTwo(t)
	want := fillQueues(t, one, 2)
	require.Len(t, jobs(t, one, 100), len(want))
	require.Empty(t, jobs(t, two, 100))
	require.NoError(t, one.ReleaseJobs(t.Context()))
	require.ElementsMatch(t, want, jobs(t, two, 100))
	ended, err := two.EndBrokenTurns(t.Context(), broken)
	require.NoError(t, err)
	require.Empty(t, ended)
}

// Two files of one owner are never read at once, even if another replica has the first.
func TestOwnersTakeTurnsOverReplicas(t *testing.T) {
	t.Parallel()
	_, one, two := openTwo(t)
	for i := range 3 {
		d := knowledge.Document{Key: fmt.Sprint("d", i), ProjectID: "project", UserID: "ann", Name: "a.md", Kind: read.Markdown, Status: wire.DocumentQueued}
		require.NoError(t, one.AddDocument(t.Context(), d, nil, nil))
	}
	require.Equal(t, []string{"d0"}, jobs(t, one, 5))
	require.Empty(t, jobs(t, two, 5))
	require.NoError(t, one.FailDocument(t.Context(), "d0", "x"))
	require.Equal(t, []string{"d1"}, jobs(t, two, 5))
}

// Simultaneous appends share transactions, and a refused one harms no other.
func TestAppendsShareTransactions(t *testing.T) {
	t.Parallel()
	_, one, _ := openTwo(t)
	const streams, batches = 40, 10
	for i := range streams {
		begin(t, one, ann, fmt.Sprint("t", i))
	}
	require.NoError(t, atOnce(2*streams+2, func(i int) error {
		for batch := range batches {
			switch {
			case i == 2*streams:
				if err := one.AppendEvents(t.Context(), stream.Lease{StreamID: "t0-s", Epoch: 2}, chunk("x")); !errors.Is(err, stream.ErrTaken) {
					return fmt.Errorf("another epoch: %w", err)
				}
			case i > 2*streams:
				if err := one.AppendEvents(t.Context(), held("none"), chunk("x")); !errors.Is(err, fault.ErrNotFound) {
					return fmt.Errorf("no stream: %w", err)
				}
			default: // two writers of each stream
				text := fmt.Sprint(i/streams, ".", batch, " ")
				events := slices.Concat(chunk(text), chunk(text))
				if err := one.AppendEvents(t.Context(), held(fmt.Sprint("t", i%streams)), events); err != nil {
					return err
				}
				if events[0].ID+1 != events[1].ID || events[0].ID < 2 {
					return fmt.Errorf("ids %d and %d", events[0].ID, events[1].ID)
				}
			}
		}
		return nil
	}))
	for i := range streams {
		require.Len(t, types(t, one, fmt.Sprint("t", i, "-s")), 1+2*2*batches)
	}
}

func TestReplicasHearEachOther(t *testing.T) {
	t.Parallel()
	_, one, two := openTwo(t)
	ctx, cancel := context.WithCancel(t.Context())
	ready, heard := make(chan struct{}), make(chan string, 1)
	var listening sync.WaitGroup
	listening.Go(func() {
		if err := two.Listen(ctx, func() { close(ready) }, func(payload string) { heard <- payload }); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	<-ready
	require.NoError(t, one.Notify(t.Context(), "one\n'news'"))
	require.Equal(t, "one\n'news'", <-heard)
	cancel()
	listening.Wait()
}

// Requests that hold every connection must not lose the lease of this replica.
func TestAFullPoolKeepsTheLease(t *testing.T) {
	t.Parallel()
	address := emptyDatabase(t)
	store := openAt(t, address+"&pool_max_conns=2", "one")
	begin(t, store, ann, "t")
	lapse(t, address, store)
	inside, leave := make(chan struct{}), make(chan struct{})
	var holding sync.WaitGroup
	for i := range 2 {
		holding.Go(func() {
			err := store.ChangeMemories(context.WithoutCancel(t.Context()), ofUser(i).Owner, "", func(memory.State) (memory.Changes, error) {
				inside <- struct{}{}
				<-leave
				return memory.Changes{}, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
		<-inside
	}
	require.NoError(t, store.RenewLease(t.Context()))
	run(t, address, `UPDATE replicas SET lease_until = 'infinity' WHERE lease_until > clock_timestamp()`)
	owned, err := store.Owned(t.Context())
	require.NoError(t, err)
	require.Equal(t, []replica.Owned{{StreamID: "t-s"}}, owned)
	close(leave)
	holding.Wait()
	ended, err := openAt(t, address, "two").EndBrokenTurns(t.Context(), broken)
	require.NoError(t, err)
	require.Empty(t, ended)
}

// Chats that somebody has locked for long delay neither the end of other answers nor the renewal of the lease.
func TestLockedChatsDoNotDelayTheBeat(t *testing.T) {
	t.Parallel()
	address, one, two := openTwo(t)
	begin(t, one, ann, "a", "b", "c", "free")
	lapse(t, address, one)
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	_, err = conn.Exec(t.Context(), `BEGIN; SELECT id FROM messages WHERE id IN ('a-a', 'b-a', 'c-a') FOR UPDATE`)
	require.NoError(t, err)
	require.NoError(t, two.RenewLease(t.Context()))
	ended, err := two.EndBrokenTurns(t.Context(), broken)
	require.True(t, fault.IsUnavailable(err), err)
	require.Equal(t, []string{"free-s"}, ended)
	var holds bool
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT lease_until > clock_timestamp() FROM replicas WHERE id = $1`, two.Replica()).Scan(&holds))
	require.True(t, holds, "the lease")
	_, err = conn.Exec(t.Context(), `ROLLBACK`)
	require.NoError(t, err)
	ended, err = two.EndBrokenTurns(t.Context(), broken)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"a-s", "b-s", "c-s"}, ended)
}
