// Package replica coordinates processes that serve one database. It renews the lease of this
// process, ends answers of processes that died, and passes hints between their logs. Begin with
// New.
//
// A hint may get lost, and a process may be suspended: only the Store's data decides.
package replica

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// Owned is an open answer that this replica writes.
type Owned struct {
	StreamID string
	// Stop reports whether somebody has asked to stop it.
	Stop bool
}

// Store is what the replicas need of the shared Store.
type Store interface {
	// RenewLease renews the lease of everything that this replica owns for Lease from now, by the
	// Store's clock.
	RenewLease(ctx context.Context) error
	// Owned returns the open answers that this replica writes.
	Owned(ctx context.Context) ([]Owned, error)
	// LastIDs returns the id of the last event of each of these streams that exists.
	LastIDs(ctx context.Context, streamIDs []string) (map[string]int64, error)
	// Listen calls hear with the notifications of replicas, until ctx ends or the connection
	// breaks. It calls listening when it has begun: earlier notifications are lost.
	Listen(ctx context.Context, listening func(), hear func(payload string)) error
	// Notify sends a text of at most PayloadBytes to all listeners, including this replica.
	Notify(ctx context.Context, payload string) error
	// Release gives up what this replica owns.
	Release(ctx context.Context) error
}

const (
	// Lease is how long a replica keeps what it owns after a renewal.
	Lease = 10 * time.Second
	// contact is how long a replica must have reached the Store without a gap before it ends
	// answers of others: after an outage they have time to renew their leases first.
	contact = 12 * time.Second
	// gap is the time between two renewals after which the contact counts as lost.
	gap = 4 * time.Second

	beatPause = time.Second
	pollPause = 500 * time.Millisecond
	// each is how long one request to the Store may take.
	each = 3 * time.Second
)

// Config configures a Replica. All fields except PollOnly and Now are required.
type Config struct {
	Name string
	// Store keeps this replica's lease.
	Store Store
	// Logs send hints through this replica.
	Logs *stream.Logs
	// EndBroken ends the answers of replicas whose leases have expired, and orphans, which this
	// replica owns but does not write. It returns their streams.
	EndBroken func(ctx context.Context, orphans []string) (streamIDs []string, err error)
	// PollOnly avoids notifications, which a connection pool in between may not support.
	PollOnly bool
	Log      *slog.Logger
	// Now is a monotonic clock. The default is time.Now.
	Now func() time.Time
}

// Replica is this process as one of several.
type Replica struct {
	config Config
	hints  hints
	// since is the first renewal without a gap since then, and last the newest one.
	since, last time.Time
	// failing reports whether the last beat failed.
	failing bool
}

// New makes a Replica, and connects the Logs to it.
func New(config Config) *Replica {
	if config.Now == nil {
		config.Now = time.Now
	}
	r := &Replica{config: config, hints: newHints(), since: config.Now()}
	r.last = r.since
	config.Logs.Tell = r.Tell
	return r
}

// Run coordinates until ctx ends, and then gives up what this replica owns.
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
		r.config.Log.Warn("the lease could not be given up; it expires after a while", "error", err)
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

// beat renews the lease, and handles stops, lost answers and answers of replicas that died.
func (r *Replica) beat(ctx context.Context) {
	err := r.renew(ctx)
	if err == nil {
		err = r.settle(ctx)
	}
	if err != nil && !r.failing && ctx.Err() != context.Canceled {
		r.config.Log.Error("the replica cannot coordinate until the database answers again", "error", err)
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

// settle stops answers of this replica that were asked to stop, gives up those that somebody else
// has taken, and ends those that nobody writes.
func (r *Replica) settle(ctx context.Context) error {
	begun := r.config.Logs.Begun() // read before the Store, which has all of them
	owned, err := r.config.Store.Owned(ctx)
	if err != nil {
		return err
	}
	written := set(r.config.Logs.Writing()) // read after the Store, to include answers that have begun meanwhile
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
		r.config.Log.Warn("ended answers that a dead replica left open", "count", len(ended))
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

// poll wakes the readers of logs that have more events, or that were deleted.
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
		return // beat logs it
	}
	for id, known := range following {
		if newest, there := last[id]; !there || newest > known {
			r.config.Logs.Wake(id)
		}
	}
}
