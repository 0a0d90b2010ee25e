//go:build unix

// Package tools_test kills the service with SIGKILL at random moments while agents call tools,
// people decide on the calls, and the service and pages carry them out. It compares the outcome
// of every call with what the model, the tools and the people know about it. Begin with
// tools_test.go.
//
//	go test -v ./service/crash/tools -args -kills 500 -replica-kills 200
//
// The seed determines what is asked and decided, and after which events each kill comes. How
// far the service has got by then depends on the operating system.
package tools_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/buildtest"
)

var (
	kills        = flag.Int("kills", 20, "number of kills of a service on SQLite")
	replicaKills = flag.Int("replica-kills", 4, "number of kills among three replicas on PostgreSQL")
	users        = flag.Int("users", 12, "number of users that ask at the same time")
	seed         = flag.Uint64("seed", rand.Uint64(), "seed of the random choices")
)

// binary is the built command.
var binary string

func TestMain(m *testing.M) { buildtest.Main(m, &binary) }
