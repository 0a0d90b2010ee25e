package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	codes "modernc.org/sqlite/lib"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// health is what the writes have shown.
type health struct {
	// files are the database and what SQLite keeps beside it, as they were opened, by their paths.
	files map[string]os.FileInfo
	// worked is when a transaction was last committed, in nanoseconds since 1970.
	worked atomic.Int64
	// broken is the error of the last transaction, nil if it worked.
	broken atomic.Pointer[error]
	// damaged says that SQLite has found a page that makes no sense. Only a restart, with a restored
	// file, ends that.
	damaged atomic.Bool

	// fresh is how long the outcome of a write counts, in a Store that Open made.
	fresh time.Duration

	mu      sync.Mutex
	probing chan struct{} // closed at the end of the probe that runs; nil if none does
	probed  time.Time
	outcome error // of the last probe
}

const (
	fresh = time.Second // a failure doesn't count for any time
	// stalled is how long a transaction may take. Others take milliseconds.
	stalled = 500 * time.Millisecond
)

var (
	errStalled = &fault.Error{
		Code: wire.CodeUnavailable, Message: "The database takes no writes: another program has its lock, or its disk is slow", RetryAfter: retryAfter, Shared: true,
	}
	errDamaged = &fault.Error{
		Code: wire.CodeUnavailable, Message: "The database is damaged: its operator must stop the service and restore a backup", RetryAfter: retryAfter, Shared: true,
	}
	errGone = &fault.Error{
		Code: wire.CodeUnavailable,
		Message: "The database's file was removed or replaced while the service ran: its operator must stop the service, " +
			"put the file back or restore a backup, and start it again",
		RetryAfter: retryAfter, Shared: true,
	}
)

// remember notes which files are open.
func (h *health) remember(path string) error {
	h.files = map[string]os.FileInfo{}
	for _, end := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + end)
		if err != nil {
			return err
		}
		h.files[path+end] = info
	}
	return nil
}

// present returns errGone if a file is no longer where it was opened: what is written now would be
// lost at the next start.
func (h *health) present() error {
	for path, opened := range h.files {
		now, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(opened, now) {
			return fmt.Errorf("%s: %w", path, errGone)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// note records how a transaction ended.
func (h *health) note(err error) {
	if resultOf(err) == 0 {
		h.broken.Store(nil)
		h.worked.Store(time.Now().UnixNano())
		return
	}
	h.broken.Store(&err)
}

// saw is called with the error of each statement, nil if there is none.
func (h *health) saw(err error) {
	if err == nil || err == io.EOF {
		return
	}
	switch resultOf(err) {
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB:
		h.damaged.Store(true)
	}
}

// Ping reports whether the store can be read and written. Writers don't notice it: it writes only
// if nothing else was written for a second, at most once a second, and what it writes is rolled back.
func (s *Store) Ping(ctx context.Context) error {
	err := s.health.present()
	if err == nil && s.health.damaged.Load() {
		err = errDamaged
	}
	if err == nil {
		err = s.look(ctx)
	}
	if err == nil {
		err = s.writable(ctx)
	}
	return failed("ping", "the database", err)
}

func (s *Store) look(ctx context.Context) error {
	var tables int
	return s.now().Row(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables)
}

// writable reports whether something can be written.
func (s *Store) writable(ctx context.Context) error {
	h := &s.health
	broken := h.broken.Load()
	switch runs, since := s.writes.runs(); {
	case runs && since > stalled:
		return errStalled
	case runs && broken != nil:
		return *broken
	case runs, broken == nil && time.Since(time.Unix(0, h.worked.Load())) < h.fresh:
		return nil
	}
	done := s.startProbe()
	timer := time.NewTimer(stalled)
	defer timer.Stop()
	select {
	case <-done:
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.outcome
	case <-timer.C:
		return errStalled
	case <-ctx.Done():
		return ctx.Err()
	}
}

var probed = func() chan struct{} { done := make(chan struct{}); close(done); return done }()

// startProbe starts a probe, unless one runs or has just ended. The channel is closed when it has
// ended.
func (s *Store) startProbe() <-chan struct{} {
	h := &s.health
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.probing != nil:
		return h.probing
	case h.outcome == nil && time.Since(h.probed) < h.fresh:
		return probed
	}
	done := make(chan struct{})
	h.probing = done
	go func() {
		err := s.probe(context.Background())
		h.mu.Lock()
		defer h.mu.Unlock()
		h.outcome, h.probed, h.probing = err, time.Now(), nil
		close(done)
	}()
	return done
}

// probeBytes is about what a message takes.
const probeBytes = 16 << 10

var errProbed = errors.New("it can be written")

// probe writes something and takes it back.
func (s *Store) probe(ctx context.Context) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		_, err := tx.Exec(ctx, `INSERT INTO files (id, unnamed_since) VALUES (hex(zeroblob(?)), 0)`, probeBytes/2)
		if err == nil {
			err = errProbed
		}
		return err
	})
	if errors.Is(err, errProbed) {
		return nil
	}
	return err
}
