package sqlite

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// erasing says whether there may be deleted text in the files: in rows that wait for their removal,
// or in old pages in the write-ahead log.
type erasing struct {
	woken    chan struct{}
	emptying sync.Mutex // held while the write-ahead log is emptied

	mu sync.Mutex
	// deleted counts deletions, and removed how many of them have left the files.
	deleted, removed int64
	grown            chan struct{} // is closed when removed grows
	awaited          int           // how many wait for that
}

func newErasing() *erasing {
	return &erasing{woken: make(chan struct{}, 1), deleted: 1, grown: make(chan struct{})} // an earlier process may have left something
}

// wake makes Erased have a value.
func (e *erasing) wake() {
	select {
	case e.woken <- struct{}{}:
	default: // the next Sweep has not begun
	}
}

// left returns the number of the last deletion, 0 if nothing is left of any.
func (e *erasing) left() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.deleted == e.removed {
		return 0
	}
	return e.deleted
}

// done notes that a deletion and all before it have left the files. If there were others since,
// Erased has a value, because between steps some are put off.
func (e *erasing) done(deletion int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if deletion > e.removed {
		e.removed = deletion
		close(e.grown)
		e.grown = make(chan struct{})
	}
	if e.removed < e.deleted {
		e.wake()
	}
}

// until waits until a deletion and all before it have left the files, or ctx ends.
func (e *erasing) until(ctx context.Context, deletion int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.awaited++
	defer func() { e.awaited-- }()
	for e.removed < deletion && ctx.Err() == nil {
		grown := e.grown
		e.mu.Unlock()
		select {
		case <-grown:
		case <-ctx.Done():
		}
		e.mu.Lock()
	}
}

// Erased has a value when something was deleted or overwritten since the last Sweep began. Sweep
// then removes it from the files.
func (s *Store) Erased() <-chan struct{} { return s.erasing.woken }

// erases says that the running write deletes or overwrites what somebody wrote.
func (s *Store) erases() { s.andThen(s.wakeErasing) }

func (s *Store) wakeErasing() {
	s.erasing.mu.Lock()
	s.erasing.deleted++
	s.erasing.mu.Unlock()
	s.erasing.wake()
}

// Erase removes everything that was deleted from the files, if anything was, and waits for readers who
// take long. A kill or the end of ctx interrupts it; the next Sweep does the rest.
func (s *Store) Erase(ctx context.Context) error {
	for s.erasing.left() > 0 {
		done, err := s.erase(ctx)
		if err != nil {
			return failed("remove", "what was deleted", err)
		}
		if done {
			return nil
		}
		select {
		case <-s.erasing.woken:
		case <-ctx.Done():
			return failed("remove", "what was deleted", ctx.Err())
		}
	}
	return nil
}

// erase reports whether nothing is left of what was deleted before.
func (s *Store) erase(ctx context.Context) (done bool, err error) {
	last := s.erasing.left()
	if err = s.removeSmall(ctx); err == nil {
		err = s.removeDocuments(ctx)
	}
	if err != nil || last == 0 {
		return err == nil, err
	}
	if done, err = s.overwrite(ctx); done {
		s.erasing.done(last)
	}
	return done, err
}

// overwrite removes what was deleted from the write-ahead log and from the free space in the file, and
// reports whether it could. If the log can't be emptied now, the whole file is not read for nothing.
func (s *Store) overwrite(ctx context.Context) (done bool, err error) {
	if done, err := s.emptyLog(ctx); err != nil || !done {
		return false, err
	}
	if found, err := s.scrub(ctx); err != nil || !found {
		return err == nil, err
	}
	return s.emptyLog(ctx)
}

// eraseBetween is called between the steps of a removal that may take long. It removes what else was
// deleted meanwhile, if that is soon done.
func (s *Store) eraseBetween(ctx context.Context) error {
	select {
	case <-s.erasing.woken:
	default:
		return nil
	}
	err := s.removeSmall(ctx)
	if err == nil {
		_, err = s.overwrite(ctx) // if it couldn't, it is woken again
	}
	if err != nil {
		s.erasing.wake()
	}
	return err
}

const (
	// aloneTime is how long readers are kept out at most until the write-ahead log is emptied.
	aloneTime = 250 * time.Millisecond
	// emptyAgain is how long to wait before the next try if a reader took longer.
	emptyAgain = 250 * time.Millisecond
)

// emptyLog moves the content of the write-ahead log into the file and truncates the log, because
// it may hold deleted text. The first checkpoint blocks nobody. The second finds little to do, but
// needs a moment without readers and writers. If there is none, they wait for it; if a reader takes
// long, it isn't done, and Erased has another value soon.
func (s *Store) emptyLog(ctx context.Context) (done bool, err error) {
	s.erasing.emptying.Lock()
	defer s.erasing.emptying.Unlock()
	if _, err := s.checkpoint(ctx, "PASSIVE"); err != nil {
		return false, err
	}
	if done, err := s.checkpoint(ctx, "TRUNCATE"); done || err != nil {
		return done, err
	}
	err = s.gate.alone(ctx, aloneTime, func() error { return s.emptyAlone(ctx) })
	if err != nil && ctx.Err() == nil {
		time.AfterFunc(emptyAgain, s.erasing.wake)
		return false, nil
	}
	return err == nil, err
}

// emptyAlone empties the log while this process neither reads nor writes.
func (s *Store) emptyAlone(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, aloneTime)
	defer cancel()
	conn, err := s.writer.Conn(within)
	if err != nil {
		return err
	}
	defer conn.Close()
	done, err := s.checkpoint(ctx, "TRUNCATE")
	if err == nil && !done {
		err = errReadLong
	}
	return err
}

// checkpoint reports whether it moved everything.
func (s *Store) checkpoint(ctx context.Context, mode string) (done bool, err error) {
	var busy, pages, moved int
	err = s.emptier.QueryRowContext(ctx, fmt.Sprintf(`PRAGMA wal_checkpoint(%s)`, mode)).Scan(&busy, &pages, &moved)
	return busy == 0 && pages == moved, err
}
