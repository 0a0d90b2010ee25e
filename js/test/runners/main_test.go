// Package runners_test runs an application's tests on the packed tarball where
// people run theirs: in Vitest and Jest, in the pages that jsdom and happy-dom
// simulate, against the real service. make test-bundlers installs what is needed and
// runs it.
package runners_test

import (
	"os"
	"testing"

	"github.com/chatsdk/chatsdk/js/test"
)

// suite is set before the first test and never changed.
var suite *test.Suite

func TestMain(m *testing.M) {
	os.Exit(test.Main(m, test.OpenWithoutBrowser, func(s *test.Suite) error {
		suite = s
		return nil
	}))
}
