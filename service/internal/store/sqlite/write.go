package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/store"
)

// shareFor is how long a transaction accepts waiting writes, in a Store that Open made. The last
// write may extend the transaction.
const shareFor = 5 * time.Millisecond

// While more than a few answers are being written, a transaction begins no earlier than this long
// after the previous one, unless a waiting write has less patience. Writes that arrive meanwhile share
// it. Each transaction writes whole pages and takes its time, however little it changes.
const (
	few      = 4
	patience = 5 * time.Millisecond
	// beginPatience is for questions, whose senders wait for a sign of life.
	beginPatience = 2 * time.Millisecond
	// wordPatience is for the next words of an answer, which arrive at their own pace.
	wordPatience = 10 * time.Millisecond
)

// change is what a write does, in a transaction of the writer.
type change = func(context.Context, store.Session) error

// write is a change that waits, or that a transaction is running.
type write struct {
	ctx      context.Context
	do       change
	patience time.Duration
	frees    bool // it makes room
	joined   time.Time
	// leads is guarded by writes.mu.
	leads bool
	// woken receives one value: it is this write's turn to lead, or it is over.
	woken chan struct{}

	// undo reverts what do has changed in memory, the last change first. done makes changes that
	// wait for the commit, the first one first.
	undo, done []func()

	// These are set before the last wake-up.
	over  bool
	err   error
	panic any
}

var errBrokenOff = errors.New("the transaction was rolled back")

// write is writeWithin for everything except questions and words.
func (s *Store) write(ctx context.Context, do change) error { return s.writeWithin(ctx, patience, do) }

// writeWithin runs do in a transaction of the writer, and returns when that is committed. Writes
// that arrive while another transaction runs wait, and share the next one: otherwise each of
// 1,000 answers that are written at the same time would wait for 999 commits. Each write has its
// own savepoint, so that only the one that fails or panics is rolled back. The end of ctx
// counts only until do begins.
func (s *Store) writeWithin(ctx context.Context, patience time.Duration, do change) error {
	return s.run(ctx, &write{do: do, patience: patience})
}

func (s *Store) run(ctx context.Context, one *write) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	one.ctx, one.woken = context.WithoutCancel(ctx), make(chan struct{}, 1)
	if !s.writes.join(one) {
		select {
		case <-one.woken:
		case <-ctx.Done():
			if s.writes.leave(one) {
				return ctx.Err()
			}
			<-one.woken
		}
	}
	if !one.over {
		s.lead(ctx, one)
	}
	if one.panic != nil {
		panic(one.panic)
	}
	return one.err
}

// lead runs the first waiting write together with others, and hands over.
func (s *Store) lead(ctx context.Context, first *write) {
	defer s.writes.handOver()
	if s.open.count() > few {
		s.writes.wait(ctx)
	}
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		s.writes.take()
		first.err = err
		return
	}
	defer conn.Close()
	begun := s.writes.begin()
	group := &group{store: s}
	defer func() {
		s.held.add(time.Since(begun))
		group.settle()
		group.tell()
	}()
	s.heedRoom(first.ctx, conn)
	group.run(first.ctx, conn, begun)
	if group.isFull() {
		s.makeRoom(first.ctx, conn)
	}
}

// group are the writes of one transaction.
type group struct {
	store   *Store
	members []*write
	err     error // the transaction's
}

// run fails all writes that wait if the transaction can't begin: each would otherwise wait for the
// lock alone, one after the other.
func (g *group) run(ctx context.Context, conn *sql.Conn, begun time.Time) {
	g.err = errBrokenOff
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		g.members, g.err = g.store.writes.takeUntil(begun), err
		return
	}
	defer tx.Rollback() // does nothing after Commit
	for time.Since(begun) < g.store.shareFor || len(g.members) == 0 {
		one := g.store.writes.take()
		if one == nil {
			break
		}
		g.members = append(g.members, one)
		if !g.add(tx, one) {
			return
		}
	}
	if g.err = g.store.health.present(); g.err == nil {
		g.err = tx.Commit()
	}
}

func (g *group) isFull() bool {
	return isFull(g.err) || slices.ContainsFunc(g.members, func(one *write) bool { return isFull(one.err) })
}

const (
	savepoint  = `SAVEPOINT one`
	release    = `RELEASE one`
	rollBackTo = `ROLLBACK TO one`
)

// add runs a write, and reports whether the transaction can go on. The first write needs no
// savepoint: if it fails, there is nothing else to keep.
func (g *group) add(tx *sql.Tx, one *write) bool {
	g.store.running = one
	if err := g.store.bound(one.ctx, tx, one.frees); err != nil {
		one.err = err
		return g.goesOn(err)
	}
	if len(g.members) == 1 {
		one.run(tx)
		return one.err == nil
	}
	if _, err := tx.ExecContext(one.ctx, savepoint); err != nil {
		one.err = err
		return g.goesOn(err)
	}
	one.run(tx)
	if one.err != nil {
		if _, err := tx.ExecContext(one.ctx, rollBackTo); err != nil {
			return g.goesOn(one.err) // because of that error, SQLite rolled back everything
		}
	}
	_, err := tx.ExecContext(one.ctx, release)
	return g.goesOn(err)
}

func (g *group) goesOn(err error) bool {
	if err != nil {
		g.err = err
	}
	return err == nil
}

// run sets err, and panic if do panics.
func (w *write) run(tx *sql.Tx) {
	defer func() {
		if w.panic = recover(); w.panic != nil {
			w.err = errBrokenOff
		}
		if w.err != nil {
			w.takeBack()
		}
	}()
	w.err = w.do(w.ctx, session{tx})
}

func (w *write) takeBack() {
	for _, undo := range slices.Backward(w.undo) {
		undo()
	}
	w.undo, w.done = nil, nil
}

// orElse registers a function that is called if the running write fails or is rolled back.
func (s *Store) orElse(undo func()) { s.running.undo = append(s.running.undo, undo) }

// andThen registers a function that is called when the running write is committed, before its
// caller continues.
func (s *Store) andThen(done func()) { s.running.done = append(s.running.done, done) }

// settle makes the state in memory match the outcome of the transaction.
func (g *group) settle() {
	for _, one := range slices.Backward(g.members) {
		if g.err != nil {
			one.takeBack()
		}
	}
	for _, one := range g.members {
		for _, done := range one.done {
			done()
		}
	}
}

// tell wakes the callers of writes that are over.
func (g *group) tell() {
	var failure error
	for _, one := range g.members {
		if one.err == nil {
			one.err = g.err
		}
		if resultOf(one.err) != 0 {
			failure = one.err
		}
	}
	g.store.health.note(failure)
	for _, one := range g.members {
		one.over = true
		one.woken <- struct{}{}
	}
}

// writes are the waiting writes, in the order of their arrival.
type writes struct {
	mu      sync.Mutex
	led     bool // one of them is running the others
	waiting []*write
	begun   time.Time     // when the last transaction began
	begins  bool          // that transaction has not ended
	joined  chan struct{} // has a value when a write has arrived
}

// begin records when a transaction begins.
func (w *writes) begin() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun, w.begins = time.Now(), true
	return w.begun
}

// runs reports whether a transaction runs, and for how long it has.
func (w *writes) runs() (runs bool, since time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.led && w.begins, time.Since(w.begun)
}

// wait returns when a waiting write's patience is over, or when ctx ends.
func (w *writes) wait(ctx context.Context) {
	for {
		left := w.left()
		if left <= 0 {
			return
		}
		timer := time.NewTimer(left)
		select {
		case <-w.joined:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
	}
}

// left returns how long the least patient write can still wait.
func (w *writes) left() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	least := w.waiting[0].patience
	for _, one := range w.waiting {
		least = min(least, one.patience)
	}
	return least - time.Since(w.begun)
}

// join adds a write, and reports whether it has to lead.
func (w *writes) join(one *write) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	one.joined = time.Now()
	w.waiting = append(w.waiting, one)
	one.leads = !w.led
	w.led = true
	select {
	case w.joined <- struct{}{}:
	default:
	}
	return one.leads
}

// leave removes a write that has not run, and reports whether it could.
func (w *writes) leave(one *write) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := slices.Index(w.waiting, one)
	if at < 0 || one.leads {
		return false
	}
	w.waiting = slices.Delete(w.waiting, at, at+1)
	return true
}

// take returns the first waiting write; nil if there is none.
func (w *writes) take() *write {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) == 0 {
		return nil
	}
	one := w.waiting[0]
	w.waiting = slices.Delete(w.waiting, 0, 1)
	return one
}

// takeUntil returns the first waiting write, and all others that have waited since a time.
func (w *writes) takeUntil(joined time.Time) (all []*write) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.waiting) > 0 && (len(all) == 0 || !w.waiting[0].joined.After(joined)) {
		all, w.waiting = append(all, w.waiting[0]), w.waiting[1:]
	}
	return all
}

// handOver lets the first waiting write lead.
func (w *writes) handOver() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begins = false
	if w.led = len(w.waiting) > 0; w.led {
		w.waiting[0].leads = true
		w.waiting[0].woken <- struct{}{}
	}
}
