// Package docs_test builds the site of docs/ and reads it in Chromium, where make demo serves it. make test-bundlers
// installs the generator and runs it.
package docs_test

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
