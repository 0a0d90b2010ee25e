// Package faults_test holds the whole, page, core and service, to the promise
// that no answer is lost, cut or doubled, whatever the network does. Between the
// page and the service stands the proxy of js/test/fault. Begin with
// cuts_test.go.
//
//	go test -v ./js/test/faults -args -soak
package faults_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"go.uber.org/goleak"

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
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	if suite, err = test.Open(); err != nil {
		return 1, err
	}
	code = m.Run()
	if err = suite.Close(); err != nil || code != 0 {
		return code, err
	}
	return 0, goleak.Find()
}
