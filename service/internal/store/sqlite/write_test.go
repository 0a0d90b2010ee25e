package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

var errMember = errors.New("a fault of one")

// writeTogether makes all wait for the writer, in their order, and returns their errors.
// They share a transaction unless the Store has been told otherwise.
func writeTogether(t *testing.T, store *sqlite.Store, all []func() error) []error {
	t.Helper()
	writer, _ := store.Pools()
	busy, err := writer.Conn(t.Context())
	require.NoError(t, err)
	errs := make([]error, len(all))
	var running sync.WaitGroup
	for n, do := range all {
		joined := store.Waiting()
		running.Go(func() { errs[n] = do() })
		for store.Waiting() == joined {
			runtime.Gosched() // until it waits
		}
	}
	require.NoError(t, busy.Close())
	running.Wait()
	return errs
}

// note stores a number, in the order in which notes arrive.
func note(ctx context.Context, tx *sql.Tx, n int) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO projects VALUES ('p' || ?1, (SELECT count(*) FROM projects))`, n)
	return err
}

// noted returns the numbers in their order.
func noted(t *testing.T, store *sqlite.Store) (all []int) {
	t.Helper()
	_, readers := store.Pools()
	rows, err := readers.Query(`SELECT substr(id, 2) FROM projects ORDER BY last_place`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var n int
		require.NoError(t, rows.Scan(&n))
		all = append(all, n)
	}
	return all
}

// patient is a Store whose transactions take every waiting write, however long that takes.
func patient(t *testing.T) *sqlite.Store {
	t.Helper()
	store := openNew(t)
	store.ShareFor(time.Hour)
	return store
}

// writing is a write of a number, which a test may spoil.
func writing(ctx context.Context, store *sqlite.Store, n int, spoil func(context.Context, *sql.Tx) error) func() error {
	return func() error {
		return store.Write(ctx, func(ctx context.Context, tx *sql.Tx) error {
			if err := note(ctx, tx, n); err != nil || spoil == nil {
				return err
			}
			return spoil(ctx, tx)
		})
	}
}

// Writes that wait for the writer share a transaction, and faults of some don't affect the others.
// Each case is what the faulty ones do after a change.
func TestWritesThatWaitTogether(t *testing.T) {
	t.Parallel()
	const members = 12
	tests := []struct {
		name  string
		spoil func(context.Context, *sql.Tx) error
		fails error
	}{
		{"all are stored", nil, nil},
		{"all but those that fail are stored", func(context.Context, *sql.Tx) error { return errMember }, errMember},
		{"all but those whose statement fails are stored", func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO no_such_table VALUES (1)`)
			return errors.Join(err, errMember)
		}, errMember},
		{"all but those that panic are stored", func(context.Context, *sql.Tx) error { panic(errMember) }, errMember},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, bad := range [][]int{{0}, {2, 6}, {members - 1}} {
				store := openNew(t)
				var all []func() error
				var want []int
				for n := range members {
					spoil := test.spoil
					if !slices.Contains(bad, n) {
						spoil = nil
					}
					if spoil == nil {
						want = append(want, n)
					}
					all = append(all, recovering(writing(t.Context(), store, n, spoil)))
				}
				for n, err := range writeTogether(t, store, all) {
					if slices.Contains(want, n) {
						require.NoError(t, err, n)
						continue
					}
					require.ErrorIs(t, err, test.fails, n)
				}
				require.Equal(t, want, noted(t, store), "in the order in which they arrived")
				require.NoError(t, writing(t.Context(), store, 99, nil)(), "and the writer is free")
			}
		})
	}
}

// recovering returns a panic as the error that it was given.
func recovering(do func() error) func() error {
	return func() (err error) {
		defer func() {
			if fault := recover(); fault != nil {
				err = fmt.Errorf("panic: %w", fault.(error))
			}
		}()
		return do()
	}
}

const (
	checkLate   = `PRAGMA defer_foreign_keys(1)`
	ofNoMessage = `INSERT INTO streams (id, message_id, question_id, last_id, swept) VALUES ('unkept', 'none', '', 0, 0)`
)

// unkept makes the commit fail.
func unkept(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, checkLate)
	if err == nil {
		_, err = tx.ExecContext(ctx, ofNoMessage)
	}
	return err
}

// If a transaction cannot be committed, all writes that share it fail, and the next one is not
// affected.
func TestACommitThatFailsFailsAllOfIt(t *testing.T) {
	t.Parallel()
	store := patient(t)
	errs := writeTogether(t, store, []func() error{
		writing(t.Context(), store, 0, nil), writing(t.Context(), store, 1, unkept), writing(t.Context(), store, 2, nil),
	})
	for n, err := range errs {
		require.ErrorContains(t, err, "FOREIGN KEY constraint failed", n)
	}
	require.Empty(t, noted(t, store))
	require.NoError(t, writing(t.Context(), store, 3, nil)())
	require.Equal(t, []int{3}, noted(t, store))
}

// A transaction whose time is over is committed, even if others wait.
func TestATransactionEndsInTime(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	store.ShareFor(0)
	errs := writeTogether(t, store, []func() error{writing(t.Context(), store, 0, nil), writing(t.Context(), store, 1, unkept)})
	require.NoError(t, errs[0])
	require.Error(t, errs[1])
	require.Equal(t, []int{0}, noted(t, store))
}

// If SQLite itself rolls back a transaction, all of its writes fail.
func TestATransactionThatBreaksOff(t *testing.T) {
	t.Parallel()
	store := patient(t)
	breaks := func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR ROLLBACK INTO projects VALUES ('p0', 0)`)
		return err
	}
	errs := writeTogether(t, store, []func() error{
		writing(t.Context(), store, 0, nil), writing(t.Context(), store, 1, breaks), writing(t.Context(), store, 2, nil),
	})
	require.Error(t, errs[0], "it was in the transaction")
	require.Error(t, errs[1])
	require.NoError(t, errs[2], "it was not")
	require.Equal(t, []int{2}, noted(t, store))
}

// A writer that leaves while others wait is not run. It holds up no other writer, even if it was the first.
func TestWritersThatLeave(t *testing.T) {
	t.Parallel()
	for _, leaving := range [][]int{{0}, {0, 1, 2}, {2}, {4}, {1, 3}, {0, 1, 2, 3, 4}} {
		store := openNew(t)
		writer, _ := store.Pools()
		busy, err := writer.Conn(t.Context())
		require.NoError(t, err)
		errs := make([]chan error, 5)
		leave := make([]context.CancelFunc, 5)
		var want []int
		for n := range errs {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			leave[n], errs[n] = cancel, make(chan error, 1)
			do := writing(ctx, store, n, nil)
			go func() { errs[n] <- do() }()
			for store.Waiting() <= n {
				runtime.Gosched()
			}
			if !slices.Contains(leaving, n) {
				want = append(want, n)
			}
		}
		for _, n := range leaving {
			leave[n]()
			require.ErrorIs(t, <-errs[n], context.Canceled)
		}
		require.NoError(t, busy.Close())
		for _, n := range want {
			require.NoError(t, <-errs[n])
		}
		require.Equal(t, want, noted(t, store))
	}
}

// A write returns only after its transaction was committed.
func TestWritesReturnAfterTheCommit(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	var all []func() error
	for n := range 50 {
		do := writing(t.Context(), store, n, nil)
		all = append(all, func() error {
			err := do()
			_, readers := store.Pools()
			var one int
			return errors.Join(err, readers.QueryRow(`SELECT 1 FROM projects WHERE id = 'p' || ?`, n).Scan(&one))
		})
	}
	for n, err := range writeTogether(t, store, all) {
		require.NoError(t, err, n)
	}
}

// A write whose goroutine ends in the middle does not block the writer.
func TestAWriteWhoseGoroutineEnds(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = store.Write(t.Context(), func(context.Context, *sql.Tx) error {
			runtime.Goexit()
			return nil
		})
	}()
	<-ended
	require.NoError(t, writing(t.Context(), store, 1, nil)())
	require.Equal(t, []int{1}, noted(t, store))
}

func TestWritesToAStoreThatIsClosed(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	require.NoError(t, store.Close())
	for range 2 {
		require.ErrorContains(t, writing(t.Context(), store, 1, nil)(), "closed", "and nobody waits for ever")
	}
}

// A transaction begins when the patience of a waiting write, counted from the previous transaction,
// is over. For a lone write that is at once.
func TestPatience(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		pause time.Duration // since the previous transaction
		first time.Duration // the patience of the first
		// joins are the patiences of later writes, one every 3 ms.
		joins []time.Duration
		want  time.Duration // from when the first waits
	}{
		{"a lone one", time.Second, 10 * time.Millisecond, nil, 0},
		{"one soon after another", 4 * time.Millisecond, 10 * time.Millisecond, nil, 6 * time.Millisecond},
		{"others as patient", 0, 10 * time.Millisecond, []time.Duration{10 * time.Millisecond, 10 * time.Millisecond}, 10 * time.Millisecond},
		{"a less patient one", 0, 10 * time.Millisecond, []time.Duration{5 * time.Millisecond}, 5 * time.Millisecond},
		{"one with no patience", 0, 10 * time.Millisecond, []time.Duration{10 * time.Millisecond, 2 * time.Millisecond}, 6 * time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := sqlite.NewWrites()
				w.Begin()
				time.Sleep(test.pause)
				w.Join(test.first)
				begun := time.Now()
				go func() {
					for _, patience := range test.joins {
						time.Sleep(3 * time.Millisecond)
						w.Join(patience)
					}
				}()
				w.Wait(t.Context())
				require.Equal(t, test.want, time.Since(begun))
				time.Sleep(time.Second)
			})
		})
	}
}

// If a transaction can't begin, those that came while it waited for the lock have a time of their own.
func TestAWriteThatCameLaterDoesNotFailWithTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		waiting := sqlite.NewWrites()
		waiting.Join(time.Second)
		waiting.Join(time.Second)
		time.Sleep(time.Millisecond)
		waiting.Begin()
		time.Sleep(time.Millisecond)
		waiting.Join(time.Second)
		require.Equal(t, 2, waiting.FailAll())
	})
}
