package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/chatsdk/chatsdk/service/internal/postgres"
	"github.com/chatsdk/chatsdk/service/internal/sqlite"
)

const moveUsage = `service move-data [flags]

Copies everything in the folder DATA into the PostgreSQL database DATABASE_URL, which must be empty: chats, answers,
memories, documents, keys of requests, and pending work. It copies all or nothing, and leaves the folder as it
is. No service may run on either. The flags are those of the service, see service -h; only DATA has an effect.
`

// moveData is the subcommand move-data.
func moveData(c invocation) error {
	if len(c.args) == 1 && (c.args[0] == "-h" || c.args[0] == "-help" || c.args[0] == "--help") {
		_, err := io.WriteString(c.stdout, moveUsage)
		return err
	}
	url, _ := c.env("DATABASE_URL")
	s, rest, err := parseSettings(0, c.args, func(name string) (string, bool) {
		if name == "DATABASE_URL" {
			return "", false
		}
		return c.env(name)
	}, c.stdout)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return fmt.Errorf("argument %q, want none; see move-data -h", rest[0])
	case url == "":
		return errors.New("DATABASE_URL is not set; it names the database to copy to")
	}
	return moveTo(untilSignal(), s, url, c.stdout)
}

func moveTo(ctx context.Context, s *settings, url string, out io.Writer) (err error) {
	source := filepath.Join(s.data, "chatsdk.db")
	if _, err := os.Stat(source); err != nil {
		return fmt.Errorf("DATA: %s has no database: %w", s.data, err)
	}
	unlock, err := lock(s.data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	from, err := sqlite.Open(ctx, source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if _, err := from.EndBrokenTurns(ctx, brokenOff(now())); err != nil {
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
		filepath.Join(s.data, "credentials"), filepath.Join(s.data, "memory-key"))
	return nil
}
