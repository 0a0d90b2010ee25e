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
// that writes it, and how many events a second two replicas write while both are read.
func betweenReplicas(ctx context.Context, folder string, to io.Writer) error {
	return errors.Join(
		followElsewhere(ctx, folder, to, start, 30, 20*time.Second),
		countEvents(ctx, folder, to, start, 64, 3),
	)
}

// countEvents makes two replicas write answers as fast as they can. Each answer is read on both.
func countEvents(ctx context.Context, folder string, to io.Writer, start startFunc, count, rounds int) (err error) {
	model, err := start(ctx, ofProvider, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, model.close()) }()
	folder = filepath.Join(folder, "events")
	if err := os.Mkdir(folder, 0o711); err != nil {
		return err
	}
	r, err := startOnPostgres(2)(ctx, folder, model.url)
	var lacks missing
	if errors.As(err, &lacks) {
		_, err = fmt.Fprintf(to, "\nleft out, %v\n", lacks)
		return err
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.stop()) }()
	var rates sizes
	for round := range rounds + 1 { // the first warms up
		begun := time.Now()
		err := each(count, count, func(n int) error { return r.followOnce(ctx, round*count+n) })
		if err != nil {
			return err
		}
		if round > 0 {
			rates = append(rates, int(float64(count*manyWords)/time.Since(begun).Seconds()))
		}
	}
	slices.Sort(rates)
	_, err = fmt.Fprintf(to, "\nTwo replicas on PostgreSQL, whose commits wait for the disk; %d answers of %d words at once, "+
		"each read to its end on both: events a second, median (least to most) of %d rounds\n\n%v\n",
		count, manyWords, rounds, rates)
	return err
}

// followOnce reads a long answer to its end on both replicas.
func (r *running) followOnce(ctx context.Context, chat int) error {
	var f followed
	f.follow(ctx, r, chat, askMany)
	if failed := f.err.Load(); failed != nil {
		return *failed
	}
	if len(f.here.at) != manyWords || len(f.elsewhere.at) != manyWords {
		return fmt.Errorf("an answer of %d words has %d here and %d elsewhere", manyWords, len(f.here.at), len(f.elsewhere.at))
	}
	return nil
}

// followElsewhere follows some answers on two replicas for a while.
func followElsewhere(ctx context.Context, folder string, to io.Writer, start startFunc, count int, window time.Duration) (err error) {
	model, err := start(ctx, ofProvider, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, model.close()) }()
	_, err = fmt.Fprintf(to, "\nThree replicas on PostgreSQL, %d answers of a word every %v, each read on its own replica and on another for %v: "+
		"milliseconds from the one to the other\n\n%-32s %12s %12s %12s %8s\n",
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

// latenessOf returns how much later each event was read elsewhere, sorted.
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
		readers.Go(func() { all[n].follow(ctx, r, n, askPaced) })
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

// arrivals are the times when each word was read.
type arrivals struct {
	at   []time.Time
	rest string // the rest of the parts so far, which may be the beginning of a word
}

func (a *arrivals) note(part, beforeWord string) {
	now := time.Now()
	begin := beforeWord + mark
	part = a.rest + part
	for range strings.Count(part, begin) {
		a.at = append(a.at, now)
	}
	part = part[max(0, strings.LastIndex(part, begin)+1):] // a word is not counted twice
	a.rest = part[max(0, len(part)-len(begin)+1):]
}

// follow reads an answer to its end on both replicas.
func (f *followed) follow(ctx context.Context, r *running, chat int, question string) {
	var again sync.WaitGroup
	asked := false
	_, err := r.ask(ctx, chat, question, func(part string) {
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

// lateness leaves the first words out: they were there before the second reader.
func (f *followed) lateness() (late times) {
	for n := 2; n < min(len(f.here.at), len(f.elsewhere.at)); n++ {
		late = append(late, f.elsewhere.at[n].Sub(f.here.at[n]))
	}
	return late
}
