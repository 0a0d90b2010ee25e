package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// startPostgres starts a PostgreSQL behind a stack, which writes to the disk as in
// production, and returns the address of a database.
func (r *running) startPostgres(ctx context.Context) (string, error) {
	server, err := pgtest.Start(pgtest.Settings{Durable: true})
	if errors.Is(err, pgtest.ErrMissing) {
		return "", missing{"PostgreSQL"}
	}
	if err != nil {
		return "", err
	}
	r.behind = append(r.behind, database{0, server.Close})
	address, err := server.Create(ctx)
	if err != nil {
		return "", err
	}
	at, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(at.Query().Get("host"), "data", "postmaster.pid"))
	if err != nil {
		return "", err
	}
	_, err = fmt.Fscan(strings.NewReader(string(text)), &r.behind[len(r.behind)-1].pid)
	return address, err
}

// checkpoint makes PostgreSQL write its pages.
func checkpoint(ctx context.Context, address string) error {
	return execute(ctx, address, `CHECKPOINT`)
}

// lateCommits makes commits not wait for the disk, like the commits of SQLite.
func lateCommits(ctx context.Context, address string) error {
	return execute(ctx, address, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$`)
}

func execute(ctx context.Context, address, statement string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}
