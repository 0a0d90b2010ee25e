package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// betweenReplicas prints how much later an event is read on another replica than on the one
// that writes it.
func betweenReplicas(ctx context.Context, folder string, to io.Writer) error {
	return followElsewhere(ctx, folder, to, start, 30, 20*time.Second)
}

// followElsewhere follows some answers on two replicas for a while.
func followElsewhere(ctx context.Context, folder string, to io.Writer, start startFunc, count int, window time.Duration) (err error) {
	model, err := start(ctx, ofProvider, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, model.close()) }()
	_, err = fmt.Fprintf(to, "\nThree replicas on PostgreSQL, %d answers of a word every %v, each read on its own replica and on another for %v: milliseconds from the one to the other\n\n%-32s %12s %12s %12s %8s\n",
		count, pace, window, "an event is there later by", "50th percentile", "99th", "longest", "events")
	for _, mode := range []struct{ name, notify string }{{"with notifications", "true"}, {"without, by asking alone", "false"}} {
		if err != nil {
			return err
		}
		var late times
		folder := filepath.Join(folder, mode.notify)
		if err = os.Mkdir(folder, 0o711); err == nil {
			late, err = latenessOf(ctx, startOnPostgres(3, "DATABASE_NOTIFY="+mode.notify), folder, model, count, window)
		}
		var lacks missing
		if errors.As(err, &lacks) {
			_, err = fmt.Fprintf(to, "left out, %v\n", lacks)
			return err
		}
		if err == nil && len(late) == 0 {
			err = errors.New("no event came to both")
		}
		if err == nil {
			_, err = fmt.Fprintf(to, "%-32s %12.1f %12.1f %12.1f %8d\n", mode.name, ms(late.median()), ms(late[len(late)*99/100]), ms(late[len(late)-1]), len(late))
		}
	}
	return err
}

// latenessOf gives how much later each event was read elsewhere, sorted.
func latenessOf(
	ctx context.Context, start func(context.Context, string, string) (*running, error), folder string, model *rival, count int, window time.Duration,
) (late times, err error) {
	r, err := start(ctx, folder, model.url)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.stop()) }()
	all := make([]followed, count)
	var readers sync.WaitGroup
	for n := range all {
		readers.Go(func() { all[n].follow(ctx, r, n) })
	}
	time.Sleep(window)
	err = model.end(ctx)
	readers.Wait()
	for n := range all {
		if failed := all[n].err.Load(); failed != nil {
			err = errors.Join(err, *failed)
		}
		late = append(late, all[n].lateness()...)
	}
	slices.Sort(late)
	return late, err
}

// followed is an answer that is read twice.
type followed struct {
	here, elsewhere arrivals
	err             atomic.Pointer[error]
}

// arrivals are when each word was read.
type arrivals []time.Time

func (a *arrivals) note(part, beforeWord string) {
	now := time.Now()
	for range strings.Count(part, beforeWord+mark) {
		*a = append(*a, now)
	}
}

// follow reads an answer to its end on both.
func (f *followed) follow(ctx context.Context, r *running, chat int) {
	var again sync.WaitGroup
	asked := false
	_, err := r.ask(ctx, chat, askPaced, func(part string) {
		f.here.note(part, r.beforeWord)
		if !asked {
			asked = true
			again.Go(func() { f.fail(f.followElsewhere(ctx, r, chat, part)) })
		}
	})
	f.fail(err)
	again.Wait()
}

func (f *followed) followElsewhere(ctx context.Context, r *running, chat int, events string) error {
	request, err := r.elsewhere(ctx, chat, events)
	if err == nil {
		_, err = r.read(request, chat, func(part string) { f.elsewhere.note(part, r.beforeWord) })
	}
	return err
}

func (f *followed) fail(err error) {
	if err != nil {
		f.err.Store(&err)
	}
}

// lateness leaves the first words out: when the second reader came, they were there.
func (f *followed) lateness() (late times) {
	for n := 2; n < min(len(f.here), len(f.elsewhere)); n++ {
		late = append(late, f.elsewhere[n].Sub(f.here[n]))
	}
	return late
}
