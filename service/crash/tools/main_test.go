//go:build unix

// Package tools_test kills the service with SIGKILL at random moments while agents call tools,
// people decide on the calls, and the service and pages carry them out. It compares the outcome
// of every call with what the model, the tools and the people know about it. Begin with
// tools_test.go.
//
//	go test -v ./service/crash/tools -args -kills 500 -replica-kills 200
//
// The seed decides what is asked and decided and after which events each kill comes; the
// operating system decides how far the service has come by then.
package tools_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/buildtest"
)

var (
	kills        = flag.Int("kills", 20, "how often a service on SQLite is killed")
	replicaKills = flag.Int("replica-kills", 4, "how often one of three replicas on PostgreSQL is killed")
	users        = flag.Int("users", 12, "how many users ask at once")
	seed         = flag.Uint64("seed", rand.Uint64(), "the seed of all random choices")
)

// binary is the built command.
var binary string

func TestMain(m *testing.M) { buildtest.Main(m, &binary) }
