package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	codes "modernc.org/sqlite/lib"
)

// reserve is a file beside the database that only takes up room. When the disk is full, it is
// removed, so that deletions and the write-ahead log have room; from then on the database may not
// grow (it is tight), so nothing else takes that room. Space that deletions free inside the database can be
// used again at once. When the disk has room again, the reserve is set aside again.
//
// Only the write that leads uses it, and Open and Close.
type reserve struct {
	path string
	// size is how large the file is, or was before it was removed; 0 if there never was one.
	size int64
	// pages bounds the database while it is tight; 0 while it is not.
	pages int64
	// free is roomIn, in a Store that Open made.
	free func(folder string) (bytes int64, known bool)
}

func (r *reserve) room() (bytes int64, known bool) { return r.free(filepath.Dir(r.path)) }

const (
	// logBytes is about how large the write-ahead log is before it begins anew, see toWrite.
	logBytes = 2 << 20
	// reserveBytes is the size of the file, or a quarter of the room if that is less.
	reserveBytes = 4 << 20
	// leastRoom is how many bytes must be left. A commit may need that many.
	leastRoom = 128 << 10
	// deletionPages is how many pages deletions may add to a tight database: their receipts, and marks
	// in indexes.
	deletionPages = 512
	// noBound is the largest number of pages that a database may have.
	noBound = 4294967294
)

// enough is how much room is needed to go on as usual. The log may just have been cut, and grows
// again.
func (r *reserve) enough() int64 { return max(2*r.size, 2*leastRoom) + logBytes }

// startReserve takes over from a process that was killed, before the database is opened: what it
// set aside is room for this start.
func startReserve(path string) (reserve, error) {
	r := reserve{path: path + "-reserve", free: roomIn}
	if left, err := os.Stat(r.path); err == nil {
		r.size = left.Size()
	}
	return r, r.remove()
}

func (r *reserve) remove() error {
	if err := os.Remove(r.path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// setAside makes the file. Without it, deletions may fail on a full disk, and all else works.
func (r *reserve) setAside() {
	room, known := r.room()
	size := cmp.Or(r.size, min(reserveBytes, room/4))
	if !known || size < leastRoom {
		return
	}
	r.size = size
	file, err := os.OpenFile(r.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = errors.Join(allocate(file, r.size), file.Close())
	}
	if err != nil {
		_ = r.remove() // it holds nothing
	}
}

// heedRoom is called before each transaction, and after one that failed. It learns whether the disk
// is full, and whether it has room again.
func (s *Store) heedRoom(ctx context.Context, conn *sql.Conn) {
	r := &s.spare
	room, known := r.room()
	switch {
	case !known:
	case r.pages == 0 && room < leastRoom:
		s.tighten(ctx, conn)
	case r.pages > 0 && room >= r.enough() && setBound(ctx, conn, noBound) == nil:
		r.pages = 0
		r.setAside()
	}
}

// makeRoom is called after a write that found no room. If the disk has some, it was something else:
// the folder for temporary files is full.
func (s *Store) makeRoom(ctx context.Context, conn *sql.Conn) {
	if room, known := s.spare.room(); !known || room >= s.spare.enough() {
		return
	}
	if s.spare.pages == 0 {
		s.tighten(ctx, conn)
	}
	for _, mode := range []string{"PASSIVE", "TRUNCATE"} {
		_, _ = s.checkpoint(ctx, mode) // the log takes room too; if it can't be cut now, the next one does it
	}
}

func (s *Store) tighten(ctx context.Context, conn *sql.Conn) {
	if conn.QueryRowContext(ctx, `PRAGMA page_count`).Scan(&s.spare.pages) != nil {
		s.spare.pages = 0 // the next write tries again
		return
	}
	_ = s.spare.remove() // if it can't be removed, there is no more room than before
}

// bound sets how far a tight database may grow in the next write.
func (s *Store) bound(ctx context.Context, in querier, frees bool) error {
	pages := s.spare.pages
	if pages == 0 {
		return nil
	}
	if frees {
		pages += deletionPages
	}
	return setBound(ctx, in, pages)
}

func setBound(ctx context.Context, in querier, pages int64) error {
	return in.QueryRowContext(ctx, fmt.Sprintf(`PRAGMA max_page_count = %d`, pages)).Scan(new(int64))
}

// isFull reports whether an error says that there is no room. SQLite has other names for it where it
// maps a file into memory.
func isFull(err error) bool {
	result := resultOf(err)
	return result == codes.SQLITE_FULL || result == codes.SQLITE_IOERR
}

// writeFreeing is write for what makes room. It is tried again if the disk was found full.
func (s *Store) writeFreeing(ctx context.Context, do change) error {
	err := s.run(ctx, &write{do: do, patience: patience, frees: true})
	if isFull(err) {
		err = s.run(ctx, &write{do: do, patience: patience, frees: true})
	}
	return err
}

// settleReserve sets the reserve aside when the database is open. If a process was killed while the
// disk was almost full, there is no room for it yet.
func (s *Store) settleReserve(ctx context.Context) {
	if room, known := s.spare.room(); known && s.spare.size > 0 && room < s.spare.size+leastRoom {
		if conn, err := s.writer.Conn(ctx); err == nil {
			s.tighten(ctx, conn)
			_ = conn.Close() // back into its pool
		}
		return
	}
	s.spare.setAside()
}
