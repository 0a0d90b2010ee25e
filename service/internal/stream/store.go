package stream

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// DefaultPatience is the Patience of new Logs.
const DefaultPatience = 30 * time.Second

// How long Patiently waits between two tries, at first and at most.
const (
	pause     = 50 * time.Millisecond
	pauseMost = time.Second
)

// Patiently calls try, repeatedly while the Store can't be reached. It gives up when Patience is
// over, ctx ends or the Logs are closed, and returns the last error.
func (l *Logs) Patiently(ctx context.Context, try func() error) error {
	over := time.Now().Add(l.Patience)
	for wait := pause; ; wait = min(2*wait, pauseMost) {
		err := try()
		if !fault.IsUnavailable(err) || !time.Now().Add(wait).Before(over) {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		case <-l.closed:
			return err
		}
	}
}

// Store stores the next events of a log after the one with the id after, by calling try, as
// patiently as Patiently. If the reply to a try was lost, it looks whether the log has the events:
// they are never stored twice, and what was stored is no failure. It sets events to what was
// stored: try may leave out some of them, but not the last two if they end the log.
func (l *Logs) Store(ctx context.Context, streamID string, after int64, events *[]Event, try func() error) error {
	lost := false
	return l.Patiently(ctx, func() error {
		if lost {
			if has, err := l.has(ctx, streamID, after, events); has || fault.IsUnavailable(err) {
				return err // without a look nothing is stored again
			}
		}
		err := try()
		// The first try may have been committed after it was looked for.
		if lost && err != nil && !fault.IsUnavailable(err) {
			if has, _ := l.has(ctx, streamID, after, events); has {
				return nil
			}
		}
		lost = lost || fault.IsUnavailable(err)
		return err
	})
}

// Awaiter is a Store whose transactions may still be committed after their caller has lost the
// connection.
type Awaiter interface {
	// AwaitCommits waits until none of them can change a log any more.
	AwaitCommits(ctx context.Context, streamID string) error
}

// has reports whether a log has these events after an id. If so, it sets them to what is stored.
func (l *Logs) has(ctx context.Context, streamID string, after int64, events *[]Event) (bool, error) {
	wanted := *events
	if awaiter, is := l.store.(Awaiter); is {
		if err := awaiter.AwaitCommits(ctx, streamID); err != nil {
			return false, err
		}
	}
	got, err := l.store.Events(ctx, streamID, after, len(wanted)+BatchEvents)
	if err != nil || len(wanted) == 0 {
		return false, err
	}
	if n := len(wanted); n > 1 && wanted[n-1].Type == wire.EventEnd {
		from := max(len(got)-2, 0)
		if !slices.EqualFunc(got[from:], wanted[n-2:], same) {
			return false, nil
		}
		*events = got
		return true, nil
	}
	for from := range max(len(got)-len(wanted)+1, 0) {
		if slices.EqualFunc(got[from:from+len(wanted)], wanted, same) {
			Number(got[from].ID-1, wanted)
			return true, nil
		}
	}
	return false, nil
}

func same(a, b Event) bool { return a.Type == b.Type && bytes.Equal(a.Data, b.Data) }
