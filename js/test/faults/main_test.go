// Package faults_test holds the whole, page, core and service, to the promise
// that no answer is lost, cut or doubled, whatever the network does. Between the
// page and the service stands the proxy of js/test/fault. Begin with
// cuts_test.go.
//
//	go test -v ./js/test/faults -args -soak
package faults_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/chatsdk/chatsdk/js/test"
)

var (
	soak = flag.Bool("soak", false, "cut at every byte, and not at the boundaries alone")
	seed = flag.Uint64("seed", rand.Uint64(), "what random places are drawn from")
)

// suite is set before the first test and never changed.
var suite *test.Suite

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(test.Main(m, test.Open, func(s *test.Suite) error {
		suite = s
		return nil
	}))
}
