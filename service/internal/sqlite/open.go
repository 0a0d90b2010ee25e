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

// readers is how many reads run at once; others wait.
const readers = 4

// pageSize is the page size of a new file. Each commit writes whole pages into the write-ahead
// log, and a message changes some bytes of twenty: with the 4096 bytes that SQLite has
// by itself, a message writes three times as much to the disk.
const pageSize = 1024

// These hold for every connection, also for one that replaces a broken one.
const (
	anyhow     = "?_error_rc=1&_dqs=0&_pragma=foreign_keys(1)&_pragma=busy_timeout"
	everywhere = anyhow + "(5000)"
	toWrite    = everywhere + "&_txlock=immediate&_pragma=journal_mode(wal)&_pragma=synchronous(normal)&_pragma=secure_delete(1)" +
		"&_pragma=wal_autocheckpoint(2000)" // pages, 2 MB of new files: whoever commits the last one writes them all
	toRead = everywhere + "&_pragma=query_only(1)"
	// A checkpoint doesn't wait for readers: writers would wait for it meanwhile.
	toEmpty = anyhow + "(0)"
)

// Open opens the database file at path, in a folder that exists, and makes it
// if there is none, for this account alone (mode 0600). It brings an older
// schema up to date. One process at a time may have it open. The caller closes
// the Store. An error is one line that says what to do.
func Open(ctx context.Context, path string) (*Store, error) {
	store, err := open(ctx, path)
	return store, failed("open", path, explain(err))
}

func open(ctx context.Context, path string) (*Store, error) {
	address := "file:" + (&url.URL{Path: filepath.ToSlash(filepath.Clean(path))}).EscapedPath()
	if err := create(path, address); err != nil {
		return nil, err
	}
	store := &Store{
		writer: pool(address+toWrite, 1), readers: pool(address+toRead, readers), emptier: pool(address+toEmpty, 1), shareFor: shareFor,
		writes: writes{joined: make(chan struct{}, 1)},
	}
	if err := store.prepare(ctx); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// create makes an empty file, which is an empty database. A file that exists is
// left alone: closing it here would drop SQLite's locks on it.
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

// layOut sets what a file has for good. It is done before the file is written in WAL
// mode; a file that a kill left without it has the default.
func layOut(address string) error {
	db := pool(address+anyhow+"(0)", 1)
	_, sized := db.Exec(fmt.Sprintf(`PRAGMA page_size = %d`, pageSize))
	_, written := db.Exec(`PRAGMA journal_mode = wal`)
	return errors.Join(sized, written, db.Close())
}

func pool(address string, size int) *sql.DB {
	connector, err := sqlite.NewConnector(address)
	if err != nil {
		panic(err) // our own parameters; a fault of the program
	}
	db := sql.OpenDB(keeper{connector})
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db
}

func (s *Store) prepare(ctx context.Context) error {
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
	return s.probe(ctx)
}

// explain says what to do about an error of Open.
func explain(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%w; its folder must exist and be writable", path.Err)
	}
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return err
	}
	switch failure.Code() & 0xff { // the rest of the bits tells more than people need
	case codes.SQLITE_NOTADB:
		return errors.New("file is not a database; move it away or restore it")
	case codes.SQLITE_CORRUPT:
		return errors.New("the database is damaged; restore it or move it away")
	case codes.SQLITE_CANTOPEN:
		return errors.New("it can't be opened as a file; check what it is, and the mode of it and its folder")
	case codes.SQLITE_READONLY, codes.SQLITE_PERM, codes.SQLITE_AUTH:
		return errors.New("the database can't be written; change the owner or mode of it and its folder")
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED:
		return errors.New("another process has it open; end that one first")
	case codes.SQLITE_FULL:
		return errors.New("the disk is full; make room")
	}
	return err
}
