//go:build unix

// Command demo runs three replicas of the service with the demo's pages behind a proxy,
// and restarts those that are killed. make cluster builds what it needs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/cluster"
)

// restartAfter is how long a replica that was killed stays away.
const restartAfter = 3 * time.Second

func main() {
	binary := flag.String("service", ".build/service", "the built service")
	address := flag.String("addr", "127.0.0.1:8080", "where the proxy listens, HOST:PORT")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *binary, *address); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", strings.ReplaceAll(err.Error(), "\n", "; "))
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, address string) (err error) {
	c, err := cluster.Start(ctx, cluster.Config{
		Binary: binary, Names: []string{"replica-1", "replica-2", "replica-3"}, Env: []string{"DEMO=1"}, Address: address,
		Log: func(name string) io.Writer { return cluster.Named(name, os.Stderr) },
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	fmt.Println("listening on", "http://"+c.Proxy.Address())
	for _, r := range c.Replicas {
		say(r)
	}
	base := "http://" + c.Proxy.Address()
	fmt.Printf("\n  Open %s/ to chat,\n  and %s/examples/03-memory-console/ to review memories. Ctrl-C ends it.\n\n", base, base)
	fmt.Printf("  kill -9 a PID in the middle of an answer: chats and the next message continue at once; the answer is marked as failed\n" +
		"  within 15 seconds, and can be regenerated.\n\n")
	var all sync.WaitGroup
	for _, r := range c.Replicas {
		all.Go(func() { keep(ctx, r) })
	}
	all.Wait()
	return nil
}

func say(r *cluster.Replica) {
	fmt.Printf("  %s has PID %d and listens on %s\n", r.Name, r.PID(), r.Address())
}

// keep starts a replica again when it has ended.
func keep(ctx context.Context, r *cluster.Replica) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.Ended():
		}
		fmt.Printf("  %s has ended, and starts again in %v\n", r.Name, restartAfter)
		select {
		case <-ctx.Done():
			return
		case <-time.After(restartAfter):
		}
		if err := r.Start(); err != nil {
			fmt.Fprintln(os.Stderr, "cluster:", err)
			continue // its Ended is still closed
		}
		say(r)
	}
}
