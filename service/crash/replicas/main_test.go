//go:build unix

// Package replicas_test breaks three replicas of the service, and the PostgreSQL that they
// share, at random moments while 100 clients work, and compares what is stored afterwards with
// what the clients were told. Begin with replicas_test.go.
//
//	go test -v ./service/crash/replicas -args -faults 300
//
// The seed decides what clients do and which faults come when; the operating system decides
// how far everybody has come by then.
package replicas_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/buildtest"
)

var (
	faults  = flag.Int("faults", len(kinds), "how many faults there are: one of each kind, and then in dozens")
	clients = flag.Int("clients", 100, "how many clients work at once")
	seed    = flag.Uint64("seed", rand.Uint64(), "the seed of the faults")
)

// binary is the built command, with a clock that can be set.
var binary string

func TestMain(m *testing.M) { buildtest.Main(m, &binary, "-tags", "clockstep") }
