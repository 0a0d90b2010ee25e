package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/store"
)

// migrations are the steps of the schema, in the order of their names. A released step never
// changes. After each step, the previous version of the program must still work, because replicas
// are replaced one by one.
//
//go:embed migrations/*.sql
var migrations embed.FS

const (
	// stepsTaken reports whether this program's table of versions exists, and whether other tables
	// exist in the schema in which new tables are created.
	stepsTaken = `
		SELECT to_regclass(quote_ident(current_schema()) || '.chatsdk_schema') IS NOT NULL,
			(SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S'))`
	makeVersions = `
		CREATE TABLE chatsdk_schema (
			version  integer PRIMARY KEY, -- the number of a step that was taken
			taken_at timestamptz NOT NULL DEFAULT clock_timestamp()
		)`
	lastVersion = `SELECT coalesce(max(version), 0) FROM chatsdk_schema`
	addVersion  = `INSERT INTO chatsdk_schema (version) VALUES ($1)`
)

const (
	// migrateTime bounds a migration: a step may write a whole table or make an index of it.
	migrateTime = time.Hour
	// waitForTables bounds how long a step waits for a table that others use. Whoever comes to the
	// table later waits behind the step, so it gives way, and all steps are tried again after a pause.
	waitForTables = `SET LOCAL lock_timeout = 1000`
	migratePause  = time.Second
	migrateTries  = 30
)

var errInUse = errors.New("the schema can't be brought up to date: another program has used a table for a minute, such as pg_dump; start again when it has ended")

var errOthers = errors.New("it holds tables of another program; name an empty database or schema")

// migrate takes the steps that the database has not taken, in one transaction. If several
// processes start at the same time, one of them migrates and the others wait.
func (s *Store) migrate(ctx context.Context) error {
	steps, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := s.writeOnce(ctx, migrateTime, func(ctx context.Context, tx store.Session) error { return takeSteps(ctx, tx, steps) })
		if code(err) != lockNotAvailable && !gaveWay(err) {
			return err
		}
		if try == migrateTries {
			return errInUse
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(migratePause):
		}
	}
}

func takeSteps(ctx context.Context, tx store.Session, steps []string) error {
	if _, err := tx.Exec(ctx, unbounded); err != nil {
		return err
	}
	if err := lock(ctx, tx, lockAlone, lockKindSteps, "schema"); err != nil {
		return err
	}
	taken, err := countTaken(ctx, tx, len(steps))
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, waitForTables); err != nil {
		return err
	}
	if err := pageTerms(ctx, tx); err != nil {
		return err
	}
	for number := taken; number < len(steps); number++ {
		if err := takeStep(ctx, tx, steps[number], number+1); err != nil {
			return err
		}
	}
	return nil
}

// countTaken creates the table of versions in an empty database, and refuses a database that this
// program did not create.
func countTaken(ctx context.Context, tx store.Session, known int) (taken int, err error) {
	var ours bool
	var tables int
	if err := tx.Row(ctx, stepsTaken).Scan(&ours, &tables); err != nil {
		return 0, err
	}
	if !ours && tables > 0 {
		return 0, errOthers
	}
	if !ours {
		_, err := tx.Exec(ctx, makeVersions)
		return 0, err
	}
	err = tx.Row(ctx, lastVersion).Scan(&taken)
	if err == nil && taken > known {
		err = fmt.Errorf("its schema is version %d and this program knows %d; run a newer program", taken, known)
	}
	return taken, err
}

func takeStep(ctx context.Context, tx store.Session, step string, number int) error {
	text, err := migrations.ReadFile(step)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, string(text)); err != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	_, err = tx.Exec(ctx, addVersion, number)
	return err
}
