// Package crash_test kills the service with SIGKILL at random moments, while
// users write and reviewers decide or while answers are streamed. It restarts
// the service on the same data, and compares what the service returns then with
// what the clients were told before. Begin with crash_test.go or, for streams,
// with streams_test.go.
//
//	go test -v ./service/crash -args -kills 200 -stream-kills 100
//
// The seed determines what users and reviewers do, and after which events each
// kill comes. How far the service has got by then depends on the operating system.
package crash_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/buildtest"
)

var (
	kills       = flag.Int("kills", 20, "number of kills while users write and reviewers decide, over all variants")
	streamKills = flag.Int("stream-kills", 10, "number of kills while answers are streamed")
	seed        = flag.Uint64("seed", rand.Uint64(), "seed of the random choices")
)

// binary is the built command.
var binary string

func TestMain(m *testing.M) { buildtest.Main(m, &binary) }
