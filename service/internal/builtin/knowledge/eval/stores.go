package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

// ScoreSQLite asks all questions of a SQLite store.
func ScoreSQLite(ctx context.Context, set Set) (row Row, err error) {
	folder, err := os.MkdirTemp("", "chatsdk-eval-*")
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	store, err := sqlite.Open(ctx, filepath.Join(folder, "eval.db"))
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return Score(ctx, set, "ChatSDK, SQLite", store)
}

// ScorePostgres asks all questions of a PostgreSQL store. If none is installed, the
// error is pgtest.ErrMissing.
func ScorePostgres(ctx context.Context, set Set) (row Row, err error) {
	server, err := pgtest.Start(pgtest.Settings{})
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	address, err := server.Create(ctx)
	if err != nil {
		return row, err
	}
	store, err := postgres.Open(ctx, postgres.Config{URL: address, Replica: "eval"})
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return Score(ctx, set, "ChatSDK, PostgreSQL", store)
}
