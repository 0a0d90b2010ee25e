//go:build unix

// Package cluster runs several replicas of the service with their own PostgreSQL, behind a proxy,
// so that people and tests can make them fail. Begin with Start.
//
// Everything listens only on 127.0.0.1, and ends with the program that started it, even if that
// program is killed.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// Config says what to run.
type Config struct {
	// Binary is the built service.
	Binary string
	// Names are the names of the replicas.
	Names []string
	// Env are additional environment variables of every replica.
	Env []string
	// EnvOf returns a replica's own variables. Nil means none.
	EnvOf func(name string) []string
	// PoolConnections is how many connections to the database a replica may have; 0 means the
	// service's default.
	PoolConnections int
	// Address is the proxy's HOST:PORT; empty means a free port of 127.0.0.1.
	Address string
	// Log receives the replicas' logs. Nil discards them.
	Log func(name string) io.Writer
}

// The credentials of every cluster, and the key for marks of deleted memories.
const (
	APIKey    = "key_of_the_cluster"
	APISecret = "secret_of_the_cluster_on_this_machine"
	memoryKey = "key_of_the_hashes_of_the_cluster_on_this_machine"
)

// Cluster is a PostgreSQL server, replicas and a proxy. The caller calls Close.
type Cluster struct {
	Postgres *pgtest.Server
	// Database is the direct address of the database that the replicas share.
	Database string
	Replicas []*Replica
	Proxy    *Proxy

	closes []func() error // in the order of opening
}

// Start starts a cluster, and returns it when all replicas listen. If PostgreSQL is not
// installed, the error is pgtest.ErrMissing.
func Start(ctx context.Context, config Config) (*Cluster, error) {
	c := &Cluster{}
	if err := c.start(ctx, config); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, config Config) (err error) {
	if c.Postgres, err = pgtest.Start(pgtest.Settings{Durable: true}); err != nil {
		return err
	}
	c.closes = append(c.closes, c.Postgres.Close)
	if c.Database, err = c.Postgres.Create(ctx); err != nil {
		return err
	}
	for _, name := range config.Names {
		if err := c.add(name, config); err != nil {
			return err
		}
	}
	address := config.Address
	if address == "" {
		address = "127.0.0.1:0"
	}
	if c.Proxy, err = NewProxy(address, c.Replicas); err != nil {
		return err
	}
	c.closes = append(c.closes, c.Proxy.Close)
	return nil
}

// add starts a replica, and the link between it and the database.
func (c *Cluster) add(name string, config Config) error {
	address, err := url.Parse(c.Database)
	if err != nil {
		return err
	}
	link, err := NewLink("unix", filepath.Join(address.Query().Get("host"), ".s.PGSQL.5432"))
	if err != nil {
		return err
	}
	c.closes = append(c.closes, link.Close)
	database := fmt.Sprintf("postgres://postgres@127.0.0.1:%d%s?sslmode=disable", link.Port(), address.Path)
	if config.PoolConnections > 0 {
		database += fmt.Sprint("&pool_max_conns=", config.PoolConnections)
	}
	r := &Replica{Name: name, Link: link, binary: config.Binary, log: io.Discard, env: append([]string{
		"HOME=" + os.TempDir(), "PATH=" + os.Getenv("PATH"), "DATABASE_URL=" + database, "API_KEY=" + APIKey, "API_SECRET=" + APISecret,
		"MEMORY_KEY=" + memoryKey, "REPLICA=" + name,
	}, config.Env...)}
	if config.EnvOf != nil {
		r.env = append(r.env, config.EnvOf(name)...)
	}
	if config.Log != nil {
		r.log = config.Log(name)
	}
	if err := r.Start(); err != nil {
		return err
	}
	c.Replicas = append(c.Replicas, r)
	c.closes = append(c.closes, func() error {
		r.Kill()
		return nil
	})
	return nil
}

// Close ends everything at once, without waiting for running answers.
func (c *Cluster) Close() error {
	var all []error
	for i := len(c.closes) - 1; i >= 0; i-- {
		all = append(all, c.closes[i]())
	}
	c.closes = nil
	return errors.Join(all...)
}

// Named returns a writer that puts the name before each line.
func Named(name string, to io.Writer) io.Writer { return &named{name: name, to: to} }

type named struct {
	name string
	to   io.Writer
	rest string // the beginning of a line that has not ended
}

// Write implements io.Writer.
func (n *named) Write(text []byte) (int, error) {
	lines := strings.SplitAfter(n.rest+string(text), "\n")
	n.rest = lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		if _, err := fmt.Fprintf(n.to, "%s: %s", n.name, line); err != nil {
			return 0, err
		}
	}
	return len(text), nil
}
