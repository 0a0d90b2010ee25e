package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/chatsdk/chatsdk/service/internal/memory/readings"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

// memories prints the cost of every list of memories and of the prompt's section, beside the bare
// query for the same rows on a separate connection.
func memories(ctx context.Context, folder string, to io.Writer) error {
	return readMemories(ctx, folder, to, 200, 31)
}

func readMemories(ctx context.Context, folder string, to io.Writer, users, runs int) (err error) {
	path := filepath.Join(folder, "bench.db")
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := readings.Fill(ctx, store, users); err != nil {
		return err
	}
	bare, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.Close()) }()
	bare.SetMaxOpenConns(1)

	_, err = fmt.Fprintf(to, "%d memories of %d users: milliseconds, median (shortest to longest) of %d alternating runs\n\n%-24s %6s  %-32s %-32s %s\n",
		users*readings.Each, users, runs, "what is read", "rows", "service", "bare query", "ratio")
	if err != nil {
		return err
	}
	service := readings.Service(store)
	for _, r := range readings.Of(users) {
		ofService, ofBare, err := alternate(runs,
			func() error { return r.Read(ctx, service) },
			func() error { return readBare(ctx, bare, r) })
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		ratio := float64(ofService.median()) / float64(ofBare.median())
		if _, err := fmt.Fprintf(to, "%-24s %6d  %-32v %-32v %5.2f\n", r.Name, r.Rows, ofService, ofBare, ratio); err != nil {
			return err
		}
	}
	return nil
}

// readBare reads every column of every row of a reading.
func readBare(ctx context.Context, db *sql.DB, reading readings.Reading) error {
	rows, err := db.QueryContext(ctx, reading.Bare)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	values, to := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		to[i] = &values[i]
	}
	count := 0
	for ; rows.Next(); count++ {
		if err := rows.Scan(to...); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil || count == reading.Rows {
		return err
	}
	return fmt.Errorf("the bare query returned %d rows, want %d", count, reading.Rows)
}
