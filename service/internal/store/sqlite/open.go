package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// readers is how many reads may run at the same time; others wait.
const readers = 4

// pageSize is the page size of a new file. Each commit writes whole pages into the write-ahead
// log, and a message changes a few bytes on each of twenty pages. With SQLite's default of 4096
// bytes, a message would write three times as much to the disk.
const pageSize = 1024

// These apply to every connection, also to one that replaces a broken one.
const (
	anyhow     = "?mode=rw&_error_rc=1&_dqs=0&_pragma=foreign_keys(1)&_pragma=busy_timeout"
	everywhere = anyhow + "(5000)"
	toWrite    = everywhere + "&_txlock=immediate&_pragma=journal_mode(wal)&_pragma=synchronous(normal)&_pragma=secure_delete(1)" +
		"&_pragma=wal_autocheckpoint(2000)" // in pages, 2 MB in new files: the commit that reaches it writes all of them
	toRead = everywhere + "&_pragma=query_only(1)"
	// A checkpoint doesn't wait for readers, because writers would have to wait for it.
	toEmpty = anyhow + "(0)"
)

// Open opens the database file at path, in an existing folder. If there is no file, it creates
// one that only this account may use (mode 0600). It migrates an older schema. Only one process
// at a time may have the file open. The caller closes the Store. An error is one line that says
// what to do.
func Open(ctx context.Context, path string) (*Store, error) {
	opened, err := open(ctx, path)
	return opened, failed("open", path, explain(err))
}

func open(ctx context.Context, path string) (*Store, error) {
	address := "file:" + (&url.URL{Path: filepath.ToSlash(filepath.Clean(path))}).EscapedPath()
	if err := create(path, address); err != nil {
		return nil, err
	}
	spare, err := startReserve(path)
	if err != nil {
		return nil, err
	}
	raw, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	opened := &Store{
		raw:      raw,
		shareFor: shareFor, writes: writes{joined: make(chan struct{}, 1)}, erasing: newErasing(), spare: spare, health: health{fresh: fresh},
	}
	opened.Tables = opened.tables()
	saw := opened.health.saw
	opened.writer, opened.emptier = pool(address+toWrite, 1, nil, saw), pool(address+toEmpty, 1, nil, saw)
	opened.readers, opened.anchor = pool(address+toRead, readers, &opened.gate, saw), pool(address+toRead, 1, nil, saw)
	if err := opened.prepare(ctx, path); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	opened.settleReserve(ctx)
	return opened, nil
}

// create creates an empty file, which is an empty database. It doesn't open an existing file,
// because closing it here would release SQLite's locks on it.
func create(path, address string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return layOut(address)
}

// layOut sets what can't be changed later. It runs before the file is first written in WAL mode.
// If the process was killed in between, the file has the default.
func layOut(address string) error {
	db := pool(address+anyhow+"(0)", 1, nil, func(error) {})
	_, sized := db.Exec(fmt.Sprintf(`PRAGMA page_size = %d`, pageSize))
	_, written := db.Exec(`PRAGMA journal_mode = wal`)
	return errors.Join(sized, written, db.Close())
}

func pool(address string, size int, gate *gate, saw func(error)) *sql.DB {
	connector, err := sqlite.NewConnector(address)
	if err != nil {
		panic(err) // only a bug in our own parameters can cause this
	}
	db := sql.OpenDB(keeper{connector, gate, saw})
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db
}

func (s *Store) prepare(ctx context.Context, path string) error {
	if err := s.migrate(ctx); err != nil {
		return err
	}
	if err := s.clean(ctx); err != nil {
		return err
	}
	if err := s.findOpen(ctx); err != nil {
		return err
	}
	if err := s.exec(ctx, loseCalls); err != nil {
		return err
	}
	if err := s.exec(ctx, `DELETE FROM events WHERE false`); err != nil { // BEGIN alone succeeds on a read-only file
		return err
	}
	var tables int
	if err := s.anchor.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil {
		return err
	}
	return s.health.remember(path)
}

// explain says what to do about an error of Open.
func explain(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%w; its folder must exist and be writable", path.Err)
	}
	switch resultOf(err) {
	case codes.SQLITE_NOTADB:
		return errors.New("file is not a database; move it away or restore it")
	case codes.SQLITE_CORRUPT:
		return errors.New("the database is damaged; restore it or move it away")
	case codes.SQLITE_CANTOPEN:
		return errors.New("it can't be opened as a file; check that it is a file, and the permissions of it and its folder")
	case codes.SQLITE_READONLY, codes.SQLITE_PERM, codes.SQLITE_AUTH:
		return errors.New("the database can't be written; change the owner or mode of it and its folder")
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED:
		return errors.New("another process has it open; end that one first")
	case codes.SQLITE_FULL:
		return errors.New("the disk is full; make room")
	}
	return err
}
