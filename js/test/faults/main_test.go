// Package faults_test tests the promise of page, core and service together: no
// answer is lost, cut or doubled, whatever the network does. The proxy of
// js/test/fault is between the page and the service. Begin with cuts_test.go.
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
	soak = flag.Bool("soak", false, "cut at every byte, and not only at the boundaries")
	seed = flag.Uint64("seed", rand.Uint64(), "the seed of the random places")
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
