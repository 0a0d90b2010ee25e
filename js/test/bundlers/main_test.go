// Package bundlers_test installs the packed tarball in each example that has a
// bundler, builds and serves it as its README says, and drives it in Chromium
// against the real service. Begin with bundlers_test.go.
//
// make test-bundlers runs it. It takes minutes, and asks npm's registry for what
// the examples use.
package bundlers_test

import (
	"os"
	"testing"

	"github.com/chatsdk/chatsdk/js/test"
)

// suite is set before the first test and never changed.
var suite *test.Suite

func TestMain(m *testing.M) {
	os.Exit(test.Main(m, test.Open, func(s *test.Suite) error {
		suite = s
		return nil
	}))
}
