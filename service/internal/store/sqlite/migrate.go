package sqlite

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/chatsdk/chatsdk/service/internal/store"
)

// migrations are the steps of the schema, in the order of their names. A released step never
// changes, because databases exist that have taken it.
//
//go:embed migrations/*.sql
var migrations embed.FS

// fills run after a step, in its transaction, where SQL is not enough.
var fills = map[string]func(context.Context, store.Session) error{"0006_steps.sql": fillTexts}

// migrate takes the steps that the database has not taken. Each step is one transaction, which
// also sets the number of steps in SQLite's user_version.
func (s *Store) migrate(ctx context.Context) error {
	steps, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	for taken := 0; taken < len(steps); {
		err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
			if taken, err = countTaken(ctx, tx, len(steps)); err != nil {
				return err
			}
			if taken, err = untraced(ctx, tx, taken); err != nil || taken == len(steps) {
				return err
			}
			return takeStep(ctx, tx, steps[taken], taken+1)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// countTaken refuses a database that this program did not create.
func countTaken(ctx context.Context, tx store.Session, known int) (int, error) {
	var taken, tables int
	row := tx.Row(ctx, `SELECT user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version`)
	if err := row.Scan(&taken, &tables); err != nil {
		return 0, err
	}
	if taken < 0 || taken > known {
		return 0, fmt.Errorf("its schema is version %d and this program knows %d; run a newer program or restore an older file", taken, known)
	}
	if taken == 0 && tables > 0 {
		return 0, errors.New("it is the database of another program; name another file")
	}
	return taken, nil
}

func takeStep(ctx context.Context, tx store.Session, step string, number int) error {
	text, err := migrations.ReadFile(step)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, clears[path.Base(step)]+string(text)); err != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	if fill := fills[path.Base(step)]; fill != nil {
		if err := fill(ctx, tx); err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
	}
	_, err = tx.Exec(ctx, fmt.Sprintf("PRAGMA user_version = %d", number))
	return err
}
