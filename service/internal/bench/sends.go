package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// sends prints how many messages a second are answered.
func sends(ctx context.Context, folder string, to io.Writer) error {
	return sendMany(ctx, folder, to, start, 16, 400, 11)
}

func sendMany(ctx context.Context, folder string, to io.Writer, start startFunc, clients, count, runs int) (err error) {
	service, bare, err := pair(ctx, folder, start)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.close(), bare.close()) }()
	users := newUsers(clients)
	var processor [2]times
	send := func(r *rival, to *times) func() error {
		return func() error {
			return r.processor(ctx, count, to, func() error {
				return each(count, clients, func(n int) error {
					_, err := r.ask(ctx, users[n%clients], question)
					return err
				})
			})
		}
	}
	ofService, ofBare, err := alternate(runs, send(service, &processor[0]), send(bare, &processor[1]))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(to, "\n%d messages of %d users at once, each in a new chat, which the embedded agent answers: median (least to most) of %d alternating runs\n\n%-24s %-32s %-32s %s\n%-24s %-32s %-32s %5.2f\n",
		count, clients, runs, "", "service", "bare net/http", "ratio",
		"sends a second", rate(ofService, count), rate(ofBare, count), float64(ofBare.median())/float64(ofService.median()))
	if err != nil {
		return err
	}
	return printRow(to, "processor ms for each", processor[0][1:], processor[1][1:]) // the first warmed up
}

// printRow prints the times of both and their ratio.
func printRow(to io.Writer, name string, ofService, ofBare times) error {
	slices.Sort(ofService)
	slices.Sort(ofBare)
	_, err := fmt.Fprintf(to, "%-24s %-32v %-32v %5.2f\n", name, ofService, ofBare, float64(ofService.median())/float64(ofBare.median()))
	return err
}

// rate is how many there were per second.
func rate(t times, count int) string {
	second := func(d time.Duration) float64 { return float64(count) / d.Seconds() }
	return fmt.Sprintf("%8.0f (%.0f to %.0f)", second(t.median()), second(t[len(t)-1]), second(t[0]))
}

// processor records how much processor time of the process each of count things
// took, which depends less than the clock on what else the machine does.
func (r *rival) processor(ctx context.Context, count int, to *times, do func() error) error {
	before, err := r.use(ctx)
	if err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	after, err := r.use(ctx)
	*to = append(*to, (after.processor-before.processor)/time.Duration(count))
	return err
}

func newUsers(count int) (users []user) {
	for n := range count {
		users = append(users, newUser(n))
	}
	return users
}

// each does something count times, atOnce at the same time, until an error.
func each(count, atOnce int, do func(n int) error) error {
	var next atomic.Int64
	var failed atomic.Bool
	errs := make([]error, atOnce)
	var all sync.WaitGroup
	for worker := range atOnce {
		all.Go(func() {
			for n := int(next.Add(1)) - 1; n < count && !failed.Load(); n = int(next.Add(1)) - 1 {
				if errs[worker] = do(n); errs[worker] != nil {
					failed.Store(true)
				}
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
