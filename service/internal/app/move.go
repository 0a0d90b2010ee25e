package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/chatsdk/chatsdk/service/internal/clock"
	"github.com/chatsdk/chatsdk/service/internal/config"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

func Move(ctx context.Context, s *config.Settings, url string, out io.Writer) (err error) {
	source := filepath.Join(s.Data, "chatsdk.db")
	if _, err := os.Stat(source); err != nil {
		return fmt.Errorf("DATA: %s has no database: %w", s.Data, err)
	}
	unlock, err := lock(s.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	from, err := sqlite.Open(ctx, source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if _, err := from.EndBrokenTurns(ctx, brokenOff(clock.Now())); err != nil {
		return err
	}
	if err := from.Sweep(ctx, 0, 0); err != nil { // deleted data is not copied
		return err
	}
	to, err := postgres.Open(ctx, postgres.Config{URL: url, Replica: "move-data"})
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	defer func() { err = errors.Join(err, to.Release(context.WithoutCancel(ctx)), to.Close()) }()
	counts, err := to.Import(ctx, func(take func(string, []string, postgres.Rows) error) error {
		return from.Export(ctx, func(table sqlite.Table) error { return take(table.Name, table.Columns, table.Rows) })
	})
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	fmt.Fprintf(out, "copied: %d chats, %d messages, %d memories, %d documents\n",
		counts["chats"], counts["messages"], counts["memories"], counts["documents"])
	fmt.Fprintf(out, "Start the service with DATABASE_URL, and with API_KEY and API_SECRET as in %s and MEMORY_KEY as in %s, unless you set them already.\n",
		filepath.Join(s.Data, "credentials"), filepath.Join(s.Data, "memory-key"))
	return nil
}
