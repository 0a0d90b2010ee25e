// Package replica keeps processes in step that serve one database: it renews the lease
// of what this one owns, ends the answers of those that died, and passes hints between
// their logs. Begin with New.
//
// A hint may get lost, and a process may sleep: what counts is what the Store says.
package replica

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// Owned is an open answer that this replica owns.
type Owned struct {
	StreamID string
	// Stop tells that somebody asked for its end.
	Stop bool
}

// Store is what the replicas share.
type Store interface {
	// RenewLease makes all that this replica owns its own for Lease from now, by the
	// clock of the Store.
	RenewLease(ctx context.Context) error
	// Owned are the open answers that this replica owns.
	Owned(ctx context.Context) ([]Owned, error)
	// LastIDs gives the id of the last event of each of these streams that is there.
	LastIDs(ctx context.Context, streamIDs []string) (map[string]int64, error)
	// Listen calls hear with what replicas notify, until ctx ends or the connection
	// breaks. It calls listening when it has begun: what is notified before is lost.
	Listen(ctx context.Context, listening func(), hear func(payload string)) error
	// Notify sends a text of at most PayloadBytes to all who listen, this replica too.
	Notify(ctx context.Context, payload string) error
	// Release gives back what this replica owns.
	Release(ctx context.Context) error
}

const (
	// Lease is how long what a replica owns stays its own after a renewal.
	Lease = 10 * time.Second
	// contact is how long a replica has reached the Store without a gap before it ends
	// what others own: after an outage they have time to renew their leases first.
	contact = 12 * time.Second
	// gap is the time between two renewals after which the contact was lost.
	gap = 4 * time.Second

	beatPause = time.Second
	pollPause = 500 * time.Millisecond
	// each is how long one question to the Store may take.
	each = 3 * time.Second
)

// Config is what a Replica works with. All but PollOnly and Now is required.
type Config struct {
	Name string
	// Store has this replica's lease.
	Store Store
	// Logs are told to tell the others what changes.
	Logs *stream.Logs
	// EndBroken ends the answers of replicas whose leases ran out, and those of
	// orphans, which this one owns and nobody writes. It gives their streams.
	EndBroken func(ctx context.Context, orphans []string) (streamIDs []string, err error)
	// PollOnly does without notifications, as a pool of connections between may ask for.
	PollOnly bool
	Log      *slog.Logger
	// Now is a clock that only counts time that passes. Nil means time.Now.
	Now func() time.Time
}

// Replica is this process among the others.
type Replica struct {
	config Config
	hints  hints
	// since is the first renewal of the contact that goes on, and last the newest one.
	since, last time.Time
	// failing tells that the beat before failed.
	failing bool
}

// New makes a Replica, and has the Logs pass their hints on through it.
func New(config Config) *Replica {
	if config.Now == nil {
		config.Now = time.Now
	}
	r := &Replica{config: config, hints: newHints(), since: config.Now()}
	r.last = r.since
	config.Logs.Tell = r.Tell
	return r
}

// Run keeps in step until ctx ends, and then gives back what this replica owns.
func (r *Replica) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { every(ctx, beatPause, r.beat) })
	loops.Go(func() { every(ctx, pollPause, r.poll) })
	if !r.config.PollOnly {
		loops.Go(func() { r.listen(ctx) })
		loops.Go(func() { r.notify(ctx) })
	}
	loops.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), each)
	defer cancel()
	if err := r.config.Store.Release(ctx); err != nil {
		r.config.Log.Warn("the lease was not given back; it runs out by itself", "error", err)
	}
}

func every(ctx context.Context, pause time.Duration, do func(context.Context)) {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			within, cancel := context.WithTimeout(ctx, each)
			do(within)
			cancel()
		}
	}
}

// beat renews the lease, and looks after what this replica owns and what the dead did.
func (r *Replica) beat(ctx context.Context) {
	err := r.renew(ctx)
	if err == nil {
		err = r.settle(ctx)
	}
	if err != nil && !r.failing && ctx.Err() != context.Canceled {
		r.config.Log.Error("the replica is out of step until the database answers again", "error", err)
	}
	r.failing = err != nil
}

func (r *Replica) renew(ctx context.Context) error {
	if err := r.config.Store.RenewLease(ctx); err != nil {
		return err
	}
	now := r.config.Now()
	if now.Sub(r.last) > gap {
		r.since = now
	}
	r.last = now
	return nil
}

// settle does what was asked of this replica's answers, lets go of those that somebody
// else has taken, and ends those that nobody writes.
func (r *Replica) settle(ctx context.Context) error {
	begun := r.config.Logs.Begun() // before the Store is asked: it has all of them
	owned, err := r.config.Store.Owned(ctx)
	if err != nil {
		return err
	}
	written := set(r.config.Logs.Writing()) // after: what has begun meanwhile is here
	ours := map[string]bool{}
	var orphans []string
	for _, one := range owned {
		ours[one.StreamID] = true
		switch {
		case !written[one.StreamID]:
			orphans = append(orphans, one.StreamID)
		case one.Stop:
			r.config.Logs.Hear(stream.Hint{Kind: stream.Stop, ID: one.StreamID})
		}
	}
	for _, id := range begun {
		if !ours[id] {
			r.config.Logs.Lost(id)
		}
	}
	if r.last.Sub(r.since) < contact && len(orphans) == 0 {
		return nil
	}
	return r.endBroken(ctx, orphans)
}

func (r *Replica) endBroken(ctx context.Context, orphans []string) error {
	ended, err := r.config.EndBroken(ctx, orphans)
	for _, id := range ended {
		r.config.Logs.Wake(id)
		r.Tell(stream.Hint{Kind: stream.Changed, ID: id})
	}
	if len(ended) > 0 {
		r.config.Log.Warn("answers that a dead replica left open", "count", len(ended))
	}
	return err
}

func set(ids []string) map[string]bool {
	all := map[string]bool{}
	for _, id := range ids {
		all[id] = true
	}
	return all
}

// poll wakes the readers of logs that have more events, or are no longer there.
func (r *Replica) poll(ctx context.Context) {
	following := r.config.Logs.Following()
	if len(following) == 0 {
		return
	}
	ids := make([]string, 0, len(following))
	for id := range following {
		ids = append(ids, id)
	}
	last, err := r.config.Store.LastIDs(ctx, ids)
	if err != nil {
		return // beat tells of it
	}
	for id, known := range following {
		if newest, there := last[id]; !there || newest > known {
			r.config.Logs.Wake(id)
		}
	}
}
