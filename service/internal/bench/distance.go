package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// hold is how long each part is held back on its way. With all else on the way there and back that makes about
// 2.5 ms, as from another zone of a cloud; the table has what was measured. Timers count in milliseconds.
const hold = time.Millisecond

// fromAfar prints how many messages a second one replica and three answer if PostgreSQL is far away: with as
// many connections as they have by default, where the processors of one machine may be the limit, and with
// few, where only waiting is.
func fromAfar(ctx context.Context, folder string, to io.Writer) error {
	return sendFromAfar(ctx, folder, to, start, 48, 480)
}

func sendFromAfar(ctx context.Context, folder string, to io.Writer, start startFunc, clients, count int) (err error) {
	model, err := start(ctx, ofProvider, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, model.close()) }()
	for _, connections := range []int{16, 4} {
		var rates []float64
		for _, replicas := range []int{1, 3} {
			f := far{replicas: replicas, connections: connections, clients: clients, count: count}
			rate, err := f.send(ctx, folder, to, model)
			var lacks missing
			if errors.As(err, &lacks) {
				_, err = fmt.Fprintf(to, "\nleft out, %v\n", lacks)
				return err
			}
			if err != nil {
				return err
			}
			rates = append(rates, rate)
		}
		if _, err := fmt.Fprintf(to, "three replicas do %.2f times the messages of one\n", rates[1]/rates[0]); err != nil {
			return err
		}
	}
	return nil
}

// far is a run with some replicas that have some connections each.
type far struct{ replicas, connections, clients, count int }

// send prints a line about a run, and returns how many messages a second were answered.
func (f far) send(ctx context.Context, folder string, to io.Writer, model *rival) (rate float64, err error) {
	folder = filepath.Join(folder, fmt.Sprint("far-", f.connections, "-", f.replicas))
	if err := os.Mkdir(folder, 0o711); err != nil {
		return 0, err
	}
	r, took, err := f.start(ctx, folder, model.url)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.stop()) }()
	if f.replicas == 1 {
		fmt.Fprintf(to, "\nPostgreSQL is %v away, there and back, and its commits wait for the disk; %d messages of %d clients at once, each in a new chat; "+
			"%d connections of each replica\n\n%-12s %16s %24s\n",
			took.Round(100*time.Microsecond), f.count, f.clients, f.connections, "replicas", "messages a second", "ms of one alone")
	}
	chat, alone := 0, times{}
	ask := func(chat int) error {
		_, err := r.ask(ctx, chat, askAtOnce, nil)
		return err
	}
	for range 2 * f.clients / 3 { // warms up, too
		begun := time.Now()
		if err := ask(chat); err != nil {
			return 0, err
		}
		alone = append(alone, time.Since(begun))
		chat++
	}
	slices.Sort(alone)
	begun := time.Now()
	if err := each(f.count, f.clients, func(n int) error { return ask(chat + n) }); err != nil {
		return 0, err
	}
	rate = float64(f.count) / time.Since(begun).Seconds()
	_, err = fmt.Fprintf(to, "%-12d %16.0f %24.1f\n", f.replicas, rate, ms(alone.median()))
	return rate, err
}

// start starts replicas whose packets to PostgreSQL and back take their time, and measures a round trip.
func (f far) start(ctx context.Context, folder, model string) (r *running, took time.Duration, err error) {
	r = &running{}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.stop())
		}
	}()
	address, err := r.startPostgres(ctx)
	if err != nil {
		return r, 0, err
	}
	through, err := r.delay(address)
	if err != nil {
		return r, 0, err
	}
	if took, err = pingTime(ctx, through); err != nil {
		return r, 0, err
	}
	through += fmt.Sprint("&pool_max_conns=", f.connections)
	return r, took, r.serve(ctx, folder, model, f.replicas, "DATABASE_URL="+through, "MEMORY_KEY="+apiSecret)
}

// pingTime returns the median time of a round trip.
func pingTime(ctx context.Context, address string) (time.Duration, error) {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return 0, err
	}
	all := times{}
	for range 51 {
		begun := time.Now()
		err = errors.Join(err, conn.Ping(ctx))
		all = append(all, time.Since(begun))
	}
	slices.Sort(all)
	return all.median(), errors.Join(err, conn.Close(ctx))
}

// delay starts a proxy before a database that holds back what it passes on, in both
// directions, and returns the database's address through it.
func (r *running) delay(address string) (string, error) {
	at, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	r.behind = append(r.behind, database{os.Getpid(), listener.Close})
	socket := filepath.Join(at.Query().Get("host"), ".s.PGSQL.5432")
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", socket)
			if err != nil {
				_ = client.Close()
				continue
			}
			go passLate(server, client)
			go passLate(client, server)
		}
	}()
	return "postgres://postgres@" + listener.Addr().String() + at.Path + "?sslmode=disable", nil
}

// passLate passes on what it reads, each part a little later, until one of the two closes.
func passLate(to, from net.Conn) {
	type part struct {
		bytes []byte
		due   time.Time
	}
	parts := make(chan part, 1024)
	go func() {
		defer close(parts)
		for {
			buffer := make([]byte, 16<<10)
			n, err := from.Read(buffer)
			if n > 0 {
				parts <- part{buffer[:n], time.Now().Add(hold)}
			}
			if err != nil {
				return
			}
		}
	}()
	for one := range parts {
		time.Sleep(time.Until(one.due))
		if _, err := to.Write(one.bytes); err != nil {
			break
		}
	}
	_ = to.Close()
	_ = from.Close()
	for range parts {
		// The reader ends when from is closed.
	}
}
