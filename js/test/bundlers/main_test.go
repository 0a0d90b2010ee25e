// Package bundlers_test installs the packed tarball in each example that has a
// bundler, builds and serves it as its README says, and drives it in Chromium
// against the real service. Begin with bundlers_test.go.
//
// make test-bundlers runs it. It takes minutes, and asks npm's registry for what
// the examples use.
package bundlers_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/chatsdk/chatsdk/js/test"
)

// suite is set before the first test and never changed.
var suite *test.Suite

func TestMain(m *testing.M) {
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
