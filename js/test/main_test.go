package test_test

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
