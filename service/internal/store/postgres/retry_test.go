package postgres_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
)

// If two transactions end in a deadlock, PostgreSQL rolls one back, which is run again.
func TestADeadlockIsRunAgain(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	const lock = `SELECT pg_advisory_xact_lock($1)`
	met := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
	var tries [2]int
	require.NoError(t, atOnce(2, func(i int) error {
		return store.Write(t.Context(), func(run func(string, ...any) error) error {
			tries[i]++
			if err := run(lock, i); err != nil {
				return err
			}
			if tries[i] == 1 {
				close(met[i])
				<-met[1-i]
			}
			return run(lock, 1-i)
		})
	}))
	require.Equal(t, 3, tries[0]+tries[1])
}

func TestRetriesAreLimited(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	tries := 0
	err := store.Write(t.Context(), func(run func(string, ...any) error) error {
		tries++
		return run(`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`)
	})
	require.Error(t, err)
	require.Equal(t, postgres.WriteTries, tries)
	tries = 0
	refusal := errors.New("no")
	require.ErrorIs(t, store.Write(t.Context(), func(func(string, ...any) error) error { tries++; return refusal }), refusal)
	require.Equal(t, 1, tries)
}

// A transaction that panics leaves no lock behind.
func TestAPanicLeavesNothing(t *testing.T) {
	t.Parallel()
	store := openAt(t, emptyDatabase(t)+"&pool_max_conns=1", "one")
	require.Panics(t, func() {
		_ = store.Write(t.Context(), func(run func(string, ...any) error) error {
			require.NoError(t, run(`INSERT INTO projects (id, last_place) VALUES ('p', 1)`))
			panic("a fault of the program")
		})
	})
	begin(t, store, ann, "t")
	_, err := store.ChatHistory(t.Context(), ann, "none")
	require.ErrorIs(t, err, fault.ErrNotFound)
}
