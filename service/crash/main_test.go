// Package crash_test kills the service with SIGKILL at random moments while
// users write and reviewers decide, or while answers are streamed, starts it
// again on the same data, and compares what it says then with what the clients
// were told before. Begin with crash_test.go, and for streams with
// streams_test.go.
//
//	go test -v ./service/crash -args -kills 200 -stream-kills 100
//
// The seed decides what is written and decided and after which events each kill
// comes; the operating system decides how far the service has come by then.
package crash_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/buildtest"
)

var (
	kills       = flag.Int("kills", 20, "how often it is killed while memories are made, over all variants")
	streamKills = flag.Int("stream-kills", 10, "how often it is killed while streams run")
	seed        = flag.Uint64("seed", rand.Uint64(), "what the moments are drawn from")
)

// binary is the built command.
var binary string

func TestMain(m *testing.M) { buildtest.Main(m, &binary) }
