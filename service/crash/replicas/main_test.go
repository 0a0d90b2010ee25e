//go:build unix

// Package replicas_test causes faults at random moments in three replicas of the service, and
// in the PostgreSQL that they share, while 100 clients work. It compares what is stored with
// what the clients were told. Begin with replicas_test.go.
//
//	go test -v ./service/crash/replicas -args -faults 300
//
// The seed determines what clients do, and which faults come when. How far the service has got
// by then depends on the operating system.
package replicas_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/buildtest"
)

var (
	faults  = flag.Int("faults", len(kinds), "number of faults: one of each kind, and then dozens in which each kind has its share")
	clients = flag.Int("clients", 100, "number of clients that work at the same time")
	seed    = flag.Uint64("seed", rand.Uint64(), "seed of the random choices")
)

// binary is the built command, with a clock that can be set.
var binary string

func TestMain(m *testing.M) { buildtest.Main(m, &binary, "-tags", "clockstep") }
